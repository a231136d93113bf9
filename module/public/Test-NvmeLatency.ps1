function Test-NvmeLatency {
    <#
    .SYNOPSIS
    Measures how fast a disk is, and what the encryption adds to an I/O.

    .DESCRIPTION
    Measures as diskspd does, past every cache of the system: latency of single I/Os with exact
    percentiles, IOPS and throughput. Where the computer gives evidence, it tells what encryption
    adds to an I/O there, with an interval, and whether that is material. It never judges by one
    absolute number. A figure that cannot be true, such as that of a sparse file or of a cache, is
    marked invalid with the reason.

    On a volume or in a folder a new file is written, measured and removed again on every way out;
    so is a file that is named and does not exist. An existing file and a device are only read. The
    bytes that are written are reported.

    One object per target comes out; its tests are in the property Tests. What could not be found
    out is $null, never 0 or $false. A target that cannot be measured is a non-terminating error;
    the others come out. For the best evidence run it as administrator (on Linux as root), on mains
    power, with nothing else at work.

    Ctrl-C ends the measuring at once; nothing is left on the disk.

    The work is done by the executable diskaudit in the module's folder bin. The environment
    variable DISKAUDIT_PATH can name another one, for development and tests. $LASTEXITCODE is left
    as it was.

    .PARAMETER MountPoint
    What to measure: drives (C, C:, C:\), folders, GUID paths (\\?\Volume{...}\), existing files, on
    Linux also devices. Takes volumes from the pipeline: from Get-Volume, Get-BitLockerVolume,
    Get-Partition, Win32_Volume and Get-BitLockerDiskAudit, and files and folders as Get-Item gives
    them. Each is measured when it comes; an empty pipeline measures nothing. Without this
    parameter and a pipeline, the current folder is measured, and with -Upper and -Lower only these.

    .PARAMETER Profile
    A named list of tests: quick (the default, about 20 seconds), cdm and cdm-nvme (as
    CrystalDiskMark), atto (block sizes from 512 B to 64 MiB), oltp (8 KiB random, 8 threads), server
    (64 KiB sequential beside that), flush (write and flush), legacy (what
    Test-BitLockerDiskSpeed.ps1 measured), spaced (one I/O at a time with pauses) or custom.
    -ListProfile shows them with all options.

    .PARAMETER Operation
    Of a custom test: read or write.

    .PARAMETER Pattern
    Of a custom test: random or sequential.

    .PARAMETER BlockSize
    Of a custom test: bytes of one I/O, such as 4096, 4KB or 4K. K is 1024.

    .PARAMETER QueueDepth
    Of a custom test: I/Os that each thread keeps in flight.

    .PARAMETER ThreadCount
    Of a custom test: threads, each with a handle of its own.

    .PARAMETER Durability
    Of a custom test that writes: when a write counts as done. device-cache: the device has it, if
    only in its cache. write-through: the device says that it is stored. flush: after a flush, which
    is counted.

    .PARAMETER Rounds
    Of a custom test: rounds that are measured. Below 6 there is no interval.

    .PARAMETER Upper
    Path with the encryption layer, to find out what lies between two paths named by hand: a volume
    (C: stands for \\.\C:) or a mapped device. It is only read.

    .PARAMETER Lower
    Path below the encryption layer: the disk or the backing device. It is only read.

    .PARAMETER LowerOffset
    Where the first byte of Upper lies in Lower, in bytes: the offset of the partition.

    .PARAMETER Twin
    A drive or folder on a volume of the same disk that is not encrypted: evidence of what encryption
    adds, where the volume cannot be read below its encryption.

    .PARAMETER Duration
    How long each test is measured in all, instead of the profile's time. A number is seconds, 0.5
    too. A time span, or a text with colons such as 0:01:30, is taken as such.

    .PARAMETER PenaltyDuration
    How long at most to measure what encryption adds; written like -Duration.

    .PARAMETER NoPenalty
    Do not measure what encryption adds.

    .PARAMETER Size
    Bytes of the file that is written and measured, such as 8GB, or of the file or device that is
    read, instead of the profile's size.

    .PARAMETER MaxWritten
    Bytes that the run may write in all, such as 8GB.

    .PARAMETER Baseline
    Compare with this older result: a file with the output of -AsJson, CrystalDiskMark's text,
    diskspd's XML or fio's JSON. The path is taken literally.

    .PARAMETER ThresholdPercent
    From how many percent of the latency without encryption a penalty is called material; 10 if it is
    not given.

    .PARAMETER FailOn
    Give the non-terminating error FailOnMatched, after the result, when this is true: regression (a
    test is slower than in the baseline), material (so is the penalty), invalid (a test is).

    .PARAMETER Quiet
    Only say whether encryption costs little here: $true when what it adds is negligible, $false when
    it is material. When that is not decided, for want of evidence too, the answer is $null, and a
    warning says why. Compare with what you look for: -eq $true or -eq $false.

    .PARAMETER ListProfile
    Measure nothing; return the profiles with their tests.

    .PARAMETER AsJson
    The whole document as one line of JSON, exactly as the executable wrote it. It holds what the
    objects leave out: rounds, histograms, the computer and its disk, before and after. A document
    that tells of a failure comes out too; its problems are non-terminating errors.

    .PARAMETER Identify
    Include serial numbers and the name of the computer in the document, which are left out
    otherwise.

    .PARAMETER TimeoutSeconds
    Stop measuring after this many seconds, 1 to 86400, and return what was measured by then.

    .INPUTS
    System.String. What to measure, by drive letter, path or GUID path.

    System.Object. Volumes as Get-Volume, Get-BitLockerVolume and Get-BitLockerDiskAudit return them,
    files and folders as Get-Item returns them.

    .OUTPUTS
    BitLockerDiskAudit.Bench. One per target. Every property can be $null for "not known", but
    Target, BytesWritten, Profile, Tests, Verdict, VerdictText, ThresholdPercent, Evidence,
    PenaltyValid, Pairs, Headroom, CollectedAt, Complete and Problems. Comparison is $null without
    -Baseline.

    Target [string]              path that was measured, as it was opened; empty for two paths alone
    TargetKind [string]          file (written and removed), existing-file or device (only read)
    VolumeId [string]            id of its volume, as Get-BitLockerDiskAudit gives it
    DiskId [string]              id of its disk
    Layer [string]               where the I/O enters: file system, crypt, partition, disk
    FileSystem [string]          such as NTFS, ReFS, ext4
    SizeBytes [long]             bytes of the target that the tests use
    BytesWritten [long]          bytes that were written in all
    Engine [string]              what encrypts the volume: none, software, drive or soc
    Method [string]              its cipher, such as XtsAes128
    MethodCode [long]            its code in Win32_EncryptableVolume
    Profile [string]             name of the list of tests
    Tests [object[]]             BitLockerDiskAudit.BenchTest, in the order of the profile
    Verdict [string]             material, negligible or undecided
    VerdictText [string]         the verdict for people, with its figures
    ThresholdPercent [double]    penalty from which it is material, in percent
    Evidence [string]            paired, twin, before-after or none
    PenaltyValid [bool]          the figures tell what encryption adds
    PenaltyReason [string]       code of the reason why they do not
    PenaltyReasonText [string]   the reason, and how to get evidence
    AddedMicroseconds [double]   what encryption adds to an I/O, in microseconds
    AddedMicrosecondsLow [double] lower end of its 95 % interval
    AddedMicrosecondsHigh [double] upper end of it
    BareMicroseconds [double]    median latency without encryption
    LayeredMicroseconds [double] median latency with it
    CpuMicroseconds [double]     processor time that encryption adds to an I/O
    AddedPercent [double]        what encryption adds, in percent of the bare latency
    AddedPercentLow [double]     lower end of its 95 % interval
    AddedPercentHigh [double]    upper end of it
    Pairs [long]                 pairs of reads that the estimate rests on
    UpperPath [string]           path with the encryption layer
    LowerPath [string]           path below it
    LowerOffsetBytes [long]      where the first byte of the one lies in the other
    Headroom [object[]]          BitLockerDiskAudit.BenchHeadroom: figures predicted without
                                 encryption, with Test, Metric, Measured, Predicted, PredictedLow
                                 and PredictedHigh
    Comparison [object]          BitLockerDiskAudit.BenchComparison: Baseline, BaselineFormat,
                                 BaselineVersion, BaselineCollectedAt, Comparable, Regression,
                                 ThresholdPercent, Tests (with Test, Metric, Baseline, Current,
                                 ChangePercent, ChangePercentLow, ChangePercentHigh, PValue and
                                 Result), Refusals (Code, Test, Text) and Notes (Code, Text)
    ClockSource [string]         the clock
    ClockResolutionNs [double]   its smallest step, in ns
    ClockOverheadNs [double]     time that a reading of it takes, in ns; part of each latency
    CollectedAt [datetime]       when it was measured, UTC
    Complete [bool]              nothing that was asked for is missing
    SchemaVersion [string]       version of the document's schema
    ToolVersion [string]         version of the executable
    Problems [object[]]          BitLockerDiskAudit.Problem, with Code, Level, Stage, Target, Text,
                                 HResult, HResultName and Retryable

    BitLockerDiskAudit.BenchTest. In the property Tests. The figures of a test that is not Valid do
    not tell the speed of the disk. A percentile that the number of I/Os does not carry is $null.

    Test [string]                id, such as RND4K-Q1T1-read
    Operation [string]           read or write
    BlockBytes [long]            bytes of one I/O
    Pattern [string]             random or sequential
    QueueDepth [long]            I/Os that each thread kept in flight
    Threads [long]               threads
    Durability [string]          device-cache, write-through or flush; $null for reads
    Iops [double]                I/Os per second: median of the rounds
    MBPerSecond [double]         megabytes of 10^6 bytes per second: median of the rounds
    MiBPerSecond [double]        mebibytes of 2^20 bytes per second: median of the rounds
    MinNs [double]               shortest latency, in ns
    MeanNs [double]              mean latency, in ns
    P50Ns [double]               median latency, in ns
    P90Ns [double]               90th percentile of the latency, in ns
    P95Ns [double]               95th percentile
    P99Ns [double]               99th percentile
    P999Ns [double]              99.9th percentile
    P9999Ns [double]             99.99th percentile
    MaxNs [double]               longest latency, in ns
    P50NsLow [double]            lower end of the 95 % interval of the rounds' medians
    P50NsHigh [double]           upper end of it
    IopsLow [double]             lower end of the 95 % interval of the rounds' IOPS
    IopsHigh [double]            upper end of it
    DriftPercent [double]        change of the latency from the first to the last round
    DriftSignificant [bool]      the change is unlikely to be chance: no steady state
    CpuNsPerIo [double]          processor time of the measuring threads per I/O, in ns
    SystemCpuNsPerIo [double]    processor time of the whole computer per I/O, in ns
    CpuPercent [double]          busy part of one processor per measuring thread, 0 to 100
    Ops [long]                   I/Os in all rounds
    Bytes [long]                 bytes in all rounds
    DistinctBlocks [long]        different blocks that were touched
    AchievedDepth [double]       I/Os in flight on average, over all threads
    Flushes [long]               flushes that were done
    RoundCount [long]            rounds that were measured
    Api [string]                 calls that did the I/O
    ApiFallback [string]         why these and not the first choice
    Valid [bool]                 the figures tell the speed of the disk
    InvalidReasons [object[]]    codes of the reasons why they do not, [string] each
    InvalidReasonTexts [object[]] these reasons for people, [string] each
    Notes [object[]]             codes of what to know about a valid test, [string] each
    NoteTexts [object[]]         the same for people, [string] each

    BitLockerDiskAudit.BenchProfile. With -ListProfile: Name [string], Purpose [string] and Tests
    [object[]] with Test, Operation, BlockBytes, Pattern, QueueDepth, Threads, Durability,
    SpanBytes, SpacingMs, Rounds, RoundMs, RoundOps, WarmupMs, MaxWrittenBytes, Diskspd and Fio (the
    same test as command lines of those programs).

    System.Boolean. With -Quiet; $null for not decided.

    System.String. With -AsJson.

    .EXAMPLE
    Test-NvmeLatency -MountPoint C

    Measures drive C: for about 20 seconds and shows the tests and the verdict.

    .EXAMPLE
    (Test-NvmeLatency C).Tests | Select-Object Test, Iops, @{ Name = 'P99Us'; Expression = { $_.P99Ns / 1000 } }, Valid

    Takes figures of the tests, with the 99th percentile of the latency in microseconds.

    .EXAMPLE
    Get-BitLockerDiskAudit | Where-Object { $_.Engine -eq 'software' -and $_.MountPoint -match '^[A-Z]:$' } | Test-NvmeLatency | Select-Object Target, Verdict, AddedMicroseconds, AddedPercent, Evidence

    Measures what encryption adds on each volume with a letter that software encrypts.

    .EXAMPLE
    Test-NvmeLatency D:\ -Operation read -BlockSize 8KB -QueueDepth 32 -ThreadCount 4 -Size 4GB -Duration 10

    Measures one test of your own.

    .EXAMPLE
    Test-NvmeLatency C -Profile cdm-nvme -AsJson | Set-Content -Path before.json -Encoding ascii
    PS> (Test-NvmeLatency C -Profile cdm-nvme -Baseline before.json).Comparison.Tests

    Keeps a result, and compares with it later, such as after decrypting.

    .EXAMPLE
    if ((Test-NvmeLatency C -Quiet) -eq $false) { 'Encryption costs much here.' }

    Decides in a script. Neither $true nor $false means that there is no evidence.

    .EXAMPLE
    Test-NvmeLatency -Upper /dev/mapper/data -Lower /dev/nvme0n1p3 -LowerOffset 16MB -PenaltyDuration 10

    Compares two paths to the same data on Linux, as root.

    .EXAMPLE
    Test-NvmeLatency -ListProfile | Select-Object -ExpandProperty Tests | Format-Table Test, Diskspd -Wrap

    Shows the tests of all profiles as command lines of diskspd.

    .NOTES
    Errors have stable ids. Terminating: CoreNotFound, CoreBlocked, CoreFailed,
    CoreOutputInvalid, CoreTimeout, SchemaVersionUnsupported, ElevationRequired, Interrupted,
    UsageError, ArgumentInvalid, ParametersConflict. Non-terminating: InputNotUsable,
    FailOnMatched, and one per problem of the document, with the problem's code as id: NoSpace,
    ReadOnly, OnlyRead, Remote, AccessDenied, NotFound, NotATarget, InUse, BaselineUnreadable,
    Timeout, Interrupted and others. The target of a non-terminating error is what was measured, the
    file or the disk.
    #>
    [CmdletBinding(DefaultParameterSetName = 'Profile', PositionalBinding = $false)]
    [OutputType('BitLockerDiskAudit.Bench')]
    [OutputType('BitLockerDiskAudit.BenchProfile')]
    [OutputType([bool])]
    [OutputType([string])]
    param(
        [Parameter(ParameterSetName = 'Profile', Position = 0, ValueFromPipeline, ValueFromPipelineByPropertyName)]
        [Parameter(ParameterSetName = 'Custom', Position = 0, ValueFromPipeline, ValueFromPipelineByPropertyName)]
        [Parameter(ParameterSetName = 'Paths', Position = 0)]
        [Alias('DriveLetter', 'Path')]
        [AllowNull()]
        [AllowEmptyString()]
        [AllowEmptyCollection()]
        [string[]] $MountPoint,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [ValidateSet('quick', 'cdm', 'cdm-nvme', 'atto', 'oltp', 'server', 'flush', 'legacy', 'spaced', 'custom')]
        [string] $Profile,

        [Parameter(ParameterSetName = 'Custom')]
        [ValidateSet('read', 'write')]
        [string] $Operation,

        [Parameter(ParameterSetName = 'Custom')]
        [ValidateSet('random', 'sequential')]
        [string] $Pattern,

        [Parameter(ParameterSetName = 'Custom')]
        [AllowEmptyString()]
        [string] $BlockSize,

        [Parameter(ParameterSetName = 'Custom')]
        [ValidateRange(1, 4096)]
        [int] $QueueDepth,

        [Parameter(ParameterSetName = 'Custom')]
        [ValidateRange(1, 1024)]
        [int] $ThreadCount,

        [Parameter(ParameterSetName = 'Custom')]
        [ValidateSet('device-cache', 'write-through', 'flush')]
        [string] $Durability,

        [Parameter(ParameterSetName = 'Custom')]
        [ValidateRange(1, 1000)]
        [int] $Rounds,

        [Parameter(Mandatory, ParameterSetName = 'Paths')]
        [AllowEmptyString()]
        [string] $Upper,

        [Parameter(Mandatory, ParameterSetName = 'Paths')]
        [AllowEmptyString()]
        [string] $Lower,

        [Parameter(ParameterSetName = 'Paths')]
        [ValidateRange(0, 9223372036854775807)]
        [long] $LowerOffset,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [AllowEmptyString()]
        [string] $Twin,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [AllowEmptyString()]
        [string] $Duration,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [AllowEmptyString()]
        [string] $PenaltyDuration,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [switch] $NoPenalty,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [AllowEmptyString()]
        [string] $Size,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [AllowEmptyString()]
        [string] $MaxWritten,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [AllowEmptyString()]
        [string] $Baseline,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [ValidateRange(0.001, 1000000.0)]
        [double] $ThresholdPercent,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [ValidateSet('regression', 'material', 'invalid')]
        [string[]] $FailOn,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [switch] $Quiet,

        [Parameter(Mandatory, ParameterSetName = 'List')]
        [switch] $ListProfile,

        [switch] $AsJson,

        [Parameter(ParameterSetName = 'Profile')]
        [Parameter(ParameterSetName = 'Custom')]
        [Parameter(ParameterSetName = 'Paths')]
        [switch] $Identify,

        [ValidateRange(1, 86400)]
        [int] $TimeoutSeconds
    )

    begin {
        # A function of a module does not see the preferences of the script that calls it.
        # Constrained Language Mode gives no access to them.
        $fullLanguage = "$($ExecutionContext.SessionState.LanguageMode)" -eq 'FullLanguage'
        if ($fullLanguage) {
            $preferences = @{ ErrorActionPreference = 'ErrorAction'; WarningPreference = 'WarningAction'; VerbosePreference = 'Verbose'; ProgressPreference = 'ProgressAction' }
            foreach ($name in $preferences.Keys) {
                if ($PSBoundParameters.Keys -notcontains $preferences[$name]) {
                    Set-Variable -Name $name -Value $PSCmdlet.GetVariableValue($name)
                }
            }
        }
        $named = $PSBoundParameters.Keys -contains 'MountPoint'
        $request = ConvertTo-BenchFlag -Parameter $PSBoundParameters -ParameterSetName $PSCmdlet.ParameterSetName
        if ($null -eq $request.Failure -and $Quiet -and $AsJson) {
            $request.Failure = New-AuditFailure -Id ParametersConflict -Message '-Quiet and -AsJson exclude each other: one gives a yes or no, the other the whole document.'
        }
        if ($null -eq $request.Failure -and $named -and ($null -eq $MountPoint -or $MountPoint.Count -eq 0)) {
            $request.Failure = New-AuditFailure -Id ArgumentInvalid -Message 'The list of what to measure is empty.'
        }
        $showProgress = 'SilentlyContinue', 'Ignore' -notcontains $ProgressPreference -and -not $ListProfile
    }

    process {
        # $_ is what was piped; the parameter holds what binding made of it. $null leaves the target
        # to the executable: the current folder, or only the two paths.
        $choices = @(@{ Target = $null; Failure = $request.Failure })
        if ($null -eq $request.Failure -and $MyInvocation.ExpectingInput -and -not $named) {
            $choices = @(Select-BenchTarget -InputObject $_)
        }
        elseif ($null -eq $request.Failure -and $named) {
            $choices = @(foreach ($name in $MountPoint) { @{ Target = ConvertTo-TargetPath -Name "$name"; Failure = $null } })
        }
        foreach ($choice in $choices) {
            if ($null -ne $request.Failure) {
                $outcomes = @(@{ Kind = 'Stop'; Value = $request.Failure })
            }
            elseif ($null -ne $choice.Failure) {
                $outcomes = @(@{ Kind = 'Error'; Value = $choice.Failure })
            }
            else {
                $about = $choice.Target
                $flags = @()
                if ($null -ne $about) {
                    $flags = @(, @('target', $about))
                }
                elseif ($Upper) {
                    $about = $Upper
                }
                $activity = ''
                if ($showProgress) {
                    $activity = "Measuring $about".Trim()
                }
                $outcomes = @(Get-BenchOutcome -Flag ($flags + $request.Flag) -Activity $activity -Target $about -FailOn @($FailOn) -ListProfile:$ListProfile -Quiet:$Quiet -AsJson:$AsJson)
            }
            foreach ($outcome in $outcomes) {
                $failure = $outcome.Value
                switch ($outcome.Kind) {
                    'Object' { $outcome.Value }
                    'Warning' { Write-Warning -Message $outcome.Value }
                    'Verbose' { Write-Verbose -Message $outcome.Value }
                    'Error' {
                        if ($fullLanguage) {
                            $PSCmdlet.WriteError((New-AuditErrorRecord -Failure $failure))
                        }
                        else {
                            Write-Error @failure -CategoryActivity 'Test-NvmeLatency'
                        }
                    }
                    'Stop' {
                        if ($fullLanguage) {
                            $PSCmdlet.ThrowTerminatingError((New-AuditErrorRecord -Failure $failure))
                        }
                        Write-Error @failure -CategoryActivity 'Test-NvmeLatency' -ErrorAction Stop
                    }
                }
            }
        }
    }
}
