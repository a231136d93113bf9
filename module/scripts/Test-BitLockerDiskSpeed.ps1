<#
.SYNOPSIS
Shows which volumes BitLocker encrypts and how, and what that costs on this disk.

.DESCRIPTION
Takes the place of an older script of the same name. Its lines Volume, Protection Status, Conversion
State, Encryption Engine, Average 4K Write Latency, Single-Queue 4K IOPS and VERDICT come in the same
order and form, for people and for what reads transcripts. What they say is right now, and what is not
known is called Unknown.

It audits all volumes; those without a drive letter come last, with a line of another form. Then it measures, in the folder of the
environment variable TEMP, what the older script timed (for comparison with its results; mostly the
drive's flush), then single random reads and writes past every cache and, where the computer gives
evidence, what encryption adds to a read. The verdict rests on that alone. At the end stands the
command that comes next.

It changes nothing but a file of its own in that folder, which it fills, measures and removes, on
Ctrl-C too; it writes about 2 GB at most. It takes about half a minute, asks nothing and does not
clear the screen. Without administrator rights it goes on, and says what stays unknown.

The work is done by the module BitLockerDiskAudit: that in the folder above this script's, else the
installed one.

.PARAMETER MountPoint
The drive or folder to measure, such as D: or D:\Data, instead of the folder of TEMP.

.PARAMETER PassThru
Return an object, too.

.OUTPUTS
Nothing, or with -PassThru a BitLockerDiskAudit.DiskSpeed with

Volumes [object[]]    BitLockerDiskAudit.Volume, one per volume; empty when the audit failed
Legacy                BitLockerDiskAudit.Bench of what the older script timed; $null when that failed
Bench                 BitLockerDiskAudit.Bench of the measurement; $null when it failed
Verdict [string]      material, negligible or undecided, from Bench; $null when it failed
NextCommand [string]  the command that comes next; $null when there is nothing to do

.EXAMPLE
.\Test-BitLockerDiskSpeed.ps1

Audits all volumes and measures in the folder of TEMP.

.EXAMPLE
.\Test-BitLockerDiskSpeed.ps1 -MountPoint D: 6>&1 | Out-File -FilePath audit.txt

Measures D: and keeps the lines in a file.

.EXAMPLE
$result = .\Test-BitLockerDiskSpeed.ps1 -PassThru
PS> $result.Bench.Tests | Format-Table -Property Test, P50Ns, P99Ns, Valid

Keeps the objects that the lines are made of.

.NOTES
Exit codes: 0 when the audit and both measurements were done, whatever they found and also where
some of it is unknown; 1 when one of them could not be done, which a line on the error stream
explains.
#>
[Diagnostics.CodeAnalysis.SuppressMessage('PSAvoidUsingWriteHost', '', Justification = 'People read the screen, and take lines out of transcripts.')]
[CmdletBinding(PositionalBinding = $false)]
[OutputType('BitLockerDiskAudit.DiskSpeed')]
param(
    [Parameter(Position = 0)]
    [ValidateNotNullOrEmpty()]
    [string] $MountPoint,

    [switch] $PassThru
)

Set-StrictMode -Version Latest
# What fails is told and leads to exit code 1; it must not end the script in the middle.
$ErrorActionPreference = 'Continue'

# A text in which no name of a folder or a disk can move the cursor or begin a line.
function Format-Plain {
    param($Text)
    "$Text" -replace '[\x00-\x1f\x7f-\x9f\u2028\u2029]', '?'
}

function Write-Line {
    param($Text, $Color)
    $line = @{ Object = Format-Plain $Text }
    if ($Color) {
        $line.ForegroundColor = $Color
    }
    Write-Host @line
}

# A number with a point, whatever the culture; $null is Unknown.
function Format-Number {
    param($Number, $Format = '0.0', $Unit = 1)
    if ($null -eq $Number) {
        return 'Unknown'
    }
    ([double]$Number / $Unit).ToString($Format, [cultureinfo]::InvariantCulture)
}

# A text between apostrophes. PowerShell takes typographic ones for the end of it, too.
function Format-Quoted {
    param($Text)
    "'$("$Text" -replace "['\u2018-\u201b]", '$0$0')'"
}

# A text as an argument on a command line.
function Format-Argument {
    param($Text)
    if ("$Text" -match '^[A-Za-z]:$') {
        return "$Text"
    }
    Format-Quoted $Text
}

# The script itself as a command, for the place that was named.
function Format-Again {
    param([string] $Script, [string] $MountPoint)
    $command = "& $(Format-Argument $Script)"
    if ($MountPoint) {
        $command += " -MountPoint $(Format-Argument $MountPoint)"
    }
    $command
}

# The script as administrator. That begins in another folder, and with the execution policy of the
# computer, not that of this process.
function Format-Elevated {
    param([string] $Script, [string] $MountPoint)
    $program = 'powershell'
    if ($PSVersionTable.PSEdition -eq 'Core' -and (Get-Command -Name pwsh -CommandType Application -ErrorAction Ignore)) {
        $program = 'pwsh'
    }
    $arguments = '-NoExit'
    if ('AllSigned', 'RemoteSigned', 'Unrestricted', 'Bypass' -contains $env:PSExecutionPolicyPreference) {
        $arguments += " -ExecutionPolicy $env:PSExecutionPolicyPreference"
    }
    $arguments += " -File `"$Script`""
    if ($MountPoint) {
        $place = $MountPoint
        if ($place -notmatch '^[A-Za-z]:$') {
            $place = @(@(Resolve-Path -LiteralPath $place -ErrorAction Ignore | ForEach-Object { $_.ProviderPath }) + $place) | Select-Object -First 1
        }
        # Before a quotation mark, backslashes count twice.
        $arguments += " -MountPoint `"$($place -replace '\\+$', '$0$0')`""
    }
    "Start-Process $program -Verb RunAs -ArgumentList $(Format-Quoted $arguments)"
}

# The module that belongs to this script, else the installed one with the highest version. A 32-bit
# host does not look where modules of 64-bit Windows are, and neither does one that runs as SYSTEM
# with a search path of its own.
function Find-AuditModule {
    $name = 'BitLockerDiskAudit'
    $beside = Join-Path -Path (Split-Path -Path $PSScriptRoot -Parent) -ChildPath "$name.psd1"
    if (Test-Path -LiteralPath $beside -PathType Leaf) {
        return $beside
    }
    $found = @()
    foreach ($programs in @($env:ProgramW6432, $env:ProgramFiles | Where-Object { $_ } | Select-Object -First 1)) {
        $found = @(Get-ChildItem -LiteralPath (Join-Path -Path $programs -ChildPath "WindowsPowerShell\Modules\$name") -Directory -ErrorAction Ignore |
                Where-Object { $_.Name -match '^\d+(\.\d+){1,3}$' } | Sort-Object -Property @{ Expression = { [version]$_.Name } } -Descending |
                ForEach-Object { Join-Path -Path $_.FullName -ChildPath "$name.psd1" } | Where-Object { Test-Path -LiteralPath $_ -PathType Leaf })
    }
    $found += @(Get-Module -ListAvailable -Name $name -ErrorAction Ignore | ForEach-Object { $_.Path })
    $found | Select-Object -First 1
}

# Runs a command of the module and keeps what it fails at, which is told in the script's own lines.
function Invoke-Step {
    param([string] $Command, [hashtable] $Parameter)
    $objects = @()
    $problems = @()
    try {
        $objects = @(& $Command @Parameter -ErrorVariable problems -ErrorAction SilentlyContinue -WarningAction SilentlyContinue)
    }
    catch {
        $problems = @($_)
    }
    @{
        Value  = $objects | Select-Object -First 1
        Errors = @($problems | ForEach-Object { "$_" } | Select-Object -Unique)
    }
}

# Whether BitLocker holds the volume's data encrypted, in whole or in part; $null when not known.
function Test-Encrypted {
    param($Volume)
    if ($null -eq $Volume -or $null -eq $Volume.Conversion) {
        return $null
    }
    $Volume.Conversion -ne 'FullyDecrypted'
}

function Format-Protection {
    param($Volume)
    $reasons = @{
        'protected'              = 'encrypted, and the key is guarded'
        'suspended'              = 'suspended: encrypted, but the key lies in the clear beside the data'
        'waiting-for-activation' = 'waiting for activation: encrypted, but the key lies in the clear beside the data'
        'converting'             = 'encrypted in part'
        'locked'                 = 'locked'
        'decrypted'              = 'not encrypted'
    }
    $words = @{ On = 'Protection ON'; Off = 'Protection OFF' }
    $text = 'Protection Unknown'
    if ($words.Keys -contains $Volume.Protection) {
        $text = $words[$Volume.Protection]
    }
    if ($reasons.Keys -contains $Volume.ProtectionReason) {
        $text += " ($($reasons[$Volume.ProtectionReason]))"
    }
    $text
}

function Format-Conversion {
    param($Volume)
    $words = @{
        FullyDecrypted       = 'Fully Decrypted'
        FullyEncrypted       = 'Fully Encrypted'
        EncryptionInProgress = 'Encryption In Progress'
        DecryptionInProgress = 'Decryption In Progress'
        EncryptionPaused     = 'Encryption Paused'
        DecryptionPaused     = 'Decryption Paused'
    }
    if ($words.Keys -notcontains $Volume.Conversion) {
        return 'Unknown'
    }
    $text = $words[$Volume.Conversion]
    if ($Volume.Conversion -notlike 'Fully*' -and $null -ne $Volume.Percent) {
        $text += " ($(Format-Number $Volume.Percent '0.#') % encrypted)"
    }
    $text
}

# The methods are those of Win32_EncryptableVolume.GetEncryptionMethod
# (learn.microsoft.com/windows/win32/secprov/getencryptionmethod-win32-encryptablevolume).
function Format-Engine {
    param($Volume)
    $methods = @{
        Aes128Diffuser = 'AES-CBC 128 with diffuser'
        Aes256Diffuser = 'AES-CBC 256 with diffuser'
        Aes128         = 'AES-CBC 128'
        Aes256         = 'AES-CBC 256'
        XtsAes128      = 'XTS-AES 128'
        XtsAes256      = 'XTS-AES 256'
    }
    $engines = @{ software = 'Software'; soc = "Hardware, the processor's own engine" }
    if ($Volume.Engine -eq 'drive') {
        return 'Hardware Encryption (by the drive itself)'
    }
    if ($Volume.Engine -eq 'none') {
        return 'None'
    }
    $text = 'Unknown'
    if ($methods.Keys -contains $Volume.Method) {
        $text = $methods[$Volume.Method]
    }
    if ($engines.Keys -contains $Volume.Engine) {
        $text += " ($($engines[$Volume.Engine]))"
    }
    $text
}

# Whether a volume has a drive letter, or lies in a file system without any.
function Test-Lettered {
    param($Volume)
    $Volume.MountPoint -notmatch '^(\\|[A-Za-z]:.)'
}

# What reads the older script's lines knows volumes with a letter alone: it must not take the facts of
# others for those of the volume above them.
function Write-Volume {
    param($Volume)
    Write-Host ''
    if (-not (Test-Lettered $Volume)) {
        Write-Line "  Without a drive letter: [$($Volume.MountPoint)]" Green
        Write-Line "    $(Format-Protection $Volume); conversion: $(Format-Conversion $Volume); engine: $(Format-Engine $Volume)"
        return
    }
    Write-Line "  Volume: [$($Volume.MountPoint)]" Green
    Write-Line "    - Protection Status:  $(Format-Protection $Volume)"
    Write-Line "    - Conversion State:   $(Format-Conversion $Volume)"
    Write-Line "    - Encryption Engine:  $(Format-Engine $Volume)"
    if ($Volume.Engine -eq 'software' -and (Test-Encrypted $Volume)) {
        Write-Line '    [!] ALERT: The processor encrypts this volume, by software.' Magenta
    }
}

# The two lines of the older script. Its figure was the mean, and the other one its reciprocal.
function Write-Legacy {
    param($Step)
    $mean = $null
    $latency = 'Unknown'
    $iops = 'Unknown'
    $reasons = $Step.Errors
    foreach ($test in @($Step.Value | Where-Object { $null -ne $_ } | ForEach-Object { $_.Tests } | Select-Object -First 1)) {
        $mean = $test.MeanNs
        $reasons = @($test.InvalidReasonTexts) + $reasons
    }
    if ($mean -gt 0) {
        $latency = "$(Format-Number $mean '0.##' 1000) microseconds"
        $iops = "$(Format-Number (1e9 / $mean) '0') IOPS"
    }
    Write-Line '  [+] Benchmark Results:' Green
    Write-Line "      - Average 4K Write Latency: $latency"
    Write-Line "      - Single-Queue 4K IOPS:     $iops"
    foreach ($reason in $reasons) {
        Write-Line "        [?] $reason" Yellow
    }
    Write-Line '        (mostly the drive''s flush: it says next to nothing about encryption)'
}

function Write-Measured {
    param($Step)
    Write-Line '  [+] Measured, past every cache, one I/O at a time:' Green
    $wanted = [ordered]@{ 'RND4K-Q1T1-read' = 'Random 4 KiB read:        '; 'RND4K-Q1T1-write' = 'Random 4 KiB write:       ' }
    $bench = $Step.Value
    foreach ($id in $wanted.Keys) {
        $tests = @()
        if ($null -ne $bench) {
            $tests = @($bench.Tests | Where-Object -Property Test -EQ -Value $id)
        }
        $figures = 'Unknown'
        if ($tests.Count -gt 0 -and $null -ne $tests[0].P50Ns) {
            $figures = "p50 $(Format-Number $tests[0].P50Ns -Unit 1000) us, p99 $(Format-Number $tests[0].P99Ns -Unit 1000) us"
        }
        Write-Line "      - $($wanted[$id])$figures"
        foreach ($reason in @($tests | Where-Object { -not $_.Valid } | ForEach-Object { $_.InvalidReasonTexts })) {
            Write-Line "        [?] Not valid: $reason" Yellow
        }
    }
    $added = 'Unknown'
    $evidence = 'none'
    if ($null -ne $bench) {
        $evidence = $bench.Evidence
        if ($bench.PenaltyValid -and $null -ne $bench.AddedMicroseconds) {
            $added = "$(Format-Number $bench.AddedMicroseconds) us ($(Format-Number $bench.AddedMicrosecondsLow) to $(Format-Number $bench.AddedMicrosecondsHigh) us), " +
            "$(Format-Number $bench.AddedPercent) % ($(Format-Number $bench.AddedPercentLow) to $(Format-Number $bench.AddedPercentHigh) %); 95 % intervals"
        }
        if ($evidence -eq 'paired' -and $bench.UpperPath) {
            $evidence = "paired: one volume read from $($bench.UpperPath) and from $($bench.LowerPath) in turns, $($bench.Pairs) pairs"
        }
    }
    Write-Line "      - Encryption adds:          $added"
    Write-Line "      - Evidence for that:        $evidence"
    foreach ($text in $Step.Errors) {
        Write-Line "        [?] $text" Yellow
    }
}

# The executable's texts name its own options.
function Format-Option {
    param($Text)
    $names = [ordered]@{
        '--penalty-time' = '-PenaltyDuration'; '--lower-offset' = '-LowerOffset'; '--lower' = '-Lower'; '--upper' = '-Upper'
        '--twin' = '-Twin'; '--baseline' = '-Baseline'; '--output' = '-AsJson'; 'diskaudit status' = 'Get-BitLockerDiskAudit'
    }
    foreach ($name in $names.Keys) {
        $Text = "$Text" -replace $name, $names[$name]
    }
    $Text
}

function Write-Verdict {
    param($Step)
    $marks = @{ material = '[!]', 'Red'; negligible = '[+]', 'Green' }
    $bench = $Step.Value
    if ($null -eq $bench) {
        Write-Line '  [?] VERDICT: NOT MEASURED: What encryption costs here is not known; the errors say why.' Yellow
        return
    }
    $mark, $color = '[?]', 'Yellow'
    if ($marks.Keys -contains $bench.Verdict) {
        $mark, $color = $marks[$bench.Verdict]
    }
    $word = "$($bench.Verdict)".ToUpperInvariant()
    $text = $bench.VerdictText
    if ($bench.PenaltyReason -eq 'not-encrypted') {
        $mark, $color, $word, $text = '[+]', 'Green', 'NOTHING TO PAY', $bench.PenaltyReasonText
    }
    Write-Line "  $mark VERDICT: ${word}: $(Format-Option $text)" $color
}

# A volume as an argument of a command; empty for none.
function Format-Place {
    param($Volume)
    if ($null -eq $Volume) {
        return ''
    }
    Format-Argument $Volume.MountPoint
}

# The command that comes next, by the first rule that fits, and why. Without a command there is
# nothing to do.
function Get-NextStep {
    param($Status, $Bench, [string] $Script, [string] $MountPoint)
    if ($null -eq $Status -or $null -eq $Bench) {
        return @{ Command = Format-Again $Script $MountPoint; Why = 'again, when what the errors say is dealt with' }
    }
    $volumes = @($Status.Volumes)
    $measured = $volumes | Where-Object -Property VolumeId -EQ -Value $Bench.VolumeId | Select-Object -First 1
    $place = Format-Place $measured
    $software = @($volumes | Where-Object { $_.Engine -eq 'software' -and (Test-Encrypted $_) })
    $paying = $null -ne $measured -and @($software | Where-Object -Property VolumeId -EQ -Value $Bench.VolumeId).Count -gt 0
    $running = $volumes | Where-Object -Property Conversion -Like -Value '*InProgress' | Select-Object -First 1
    $paused = $volumes | Where-Object -Property Conversion -Like -Value '*Paused' | Select-Object -First 1
    $suspended = $software | Where-Object -Property ProtectionReason -EQ -Value 'suspended' | Select-Object -First 1
    $waiting = $software | Where-Object -Property ProtectionReason -EQ -Value 'waiting-for-activation' | Select-Object -First 1
    $unknown = @($volumes | Where-Object { $_.VolumeType -ne 'Removable' -and ($null -eq $_.Engine -or $null -eq $_.Conversion) })
    $lettered = @($volumes | Where-Object { $_.MountPoint -match '^[A-Za-z]:$' -and $_.VolumeId -ne $Bench.VolumeId })
    $other = $lettered | Where-Object { $_.Engine -eq 'software' -and (Test-Encrypted $_) } | Select-Object -First 1
    $twin = $lettered | Where-Object { $_.Engine -eq 'none' -and $paying -and $null -ne $_.DiskId -and $_.DiskId -eq $measured.DiskId } | Select-Object -First 1
    # Reasons that pass; the others need evidence of another kind.
    $passing = 'interrupted', 'too-few-pairs', 'control-not-zero', 'encrypted-faster-than-plain', 'no-answer', 'partly-encrypted', 'clock-backwards', 'zero-latency'
    $undecided = $paying -and $Bench.Verdict -eq 'undecided'
    # When, the command, why.
    $rules = @(
        @(($Status.Source -eq 'windows' -and $Status.Machine.Elevated -eq $false), (Format-Elevated $Script $MountPoint),
            'runs this as administrator, whom Windows tells the rest'),
        @(($paying -and $Bench.Verdict -eq 'material'), "Disable-SoftwareBitLocker -MountPoint $place -WhatIf",
            'shows what removing the encryption would take and risk; it changes nothing'),
        @(($null -ne $running), "Get-BitLockerDiskAudit -MountPoint $(Format-Place $running) | Format-List -Property MountPoint, Conversion, Percent",
            'shows how far it is; measure again when it is done'),
        @(($null -ne $paused), "Disable-SoftwareBitLocker -MountPoint $(Format-Place $paused) -Resume -WhatIf",
            'shows how the conversion would go on to its end; until then nothing can be measured'),
        @(($null -ne $waiting), "Disable-SoftwareBitLocker -MountPoint $(Format-Place $waiting) -WhatIf",
            'shows what removing the encryption would take; it protects nothing until a recovery key is stored in an account'),
        @(($null -ne $suspended), "Resume-BitLocker -MountPoint $(Format-Place $suspended)",
            'turns the protection on again; wait if it was suspended for an update that still has to restart'),
        @(($undecided -and ($Bench.PenaltyValid -or $passing -contains $Bench.PenaltyReason)), "Test-NvmeLatency -MountPoint $place -PenaltyDuration 60",
            'measures longer; leave the computer idle meanwhile'),
        @(($undecided -and $null -ne $twin), "Test-NvmeLatency -MountPoint $place -Twin $(Format-Place $twin)",
            'compares with a volume of the same disk that is not encrypted'),
        @($undecided, "Test-NvmeLatency -MountPoint $place -AsJson | Set-Content -Path before.json -Encoding ascii",
            'keeps a result; measuring again with -Baseline before.json when the volume is in the other state is evidence'),
        @(($null -ne $other), "& $(Format-Argument $Script) -MountPoint $(Format-Place $other)",
            'measures the other volume that is encrypted by software'),
        @(($unknown.Count -gt 0 -or $volumes.Count -eq 0), '(Get-BitLockerDiskAudit -Detailed).Problems | Format-List -Property Code, Target, Text',
            'says why something is unknown'),
        @((@($Status.Findings | Where-Object { 'warning', 'critical' -contains $_.Severity }).Count -gt 0), '(Get-BitLockerDiskAudit -Detailed).Findings | Format-List -Property Severity, Target, Title, Evidence, Advice',
            'says what the findings rest on and what to do')
    )
    foreach ($rule in $rules) {
        if ($rule[0]) {
            return @{ Command = $rule[1]; Why = $rule[2] }
        }
    }
    @{ Command = $null; Why = '' }
}

$bar = '=' * 70
Write-Line $bar Cyan
Write-Line '     DISK SPEED AND BITLOCKER AUDIT' Cyan
Write-Line $bar Cyan

$errors = @()
$audit = @{ Value = $null; Errors = @() }
$legacy = @{ Value = $null; Errors = @() }
$measurement = @{ Value = $null; Errors = @() }
$manifest = Find-AuditModule
try {
    if (-not $manifest) {
        throw 'The module BitLockerDiskAudit was not found, neither in the folder above this script nor installed. Install it, or run this script where it lies in the folder scripts of the module.'
    }
    Import-Module -Name $manifest -ErrorAction Stop
}
catch {
    $errors += "$_"
    $manifest = $null
}

Write-Host ''
Write-Line '[*] Asking how BitLocker encrypts the volumes...' Yellow
if ($manifest) {
    $audit = Invoke-Step -Command Get-BitLockerDiskAudit -Parameter @{ Detailed = $true }
}
$status = $audit.Value
$volumes = @()
if ($null -ne $status) {
    $volumes = [object[]]@(@($status.Volumes | Where-Object { Test-Lettered $_ }) + @($status.Volumes | Where-Object { -not (Test-Lettered $_) }))
    if ($status.Source -eq 'windows' -and $status.Machine.Elevated -eq $false) {
        Write-Line '  [?] Not run as administrator: what Windows tells administrators alone is Unknown, not decrypted.' Yellow
    }
    foreach ($volume in $volumes) {
        Write-Volume $volume
    }
    foreach ($text in @($status.Problems | Where-Object { 'info', 'warning' -notcontains $_.Level } | ForEach-Object { $_.Text } | Select-Object -Unique -First 5)) {
        Write-Line "  [?] $text" Yellow
    }
}
else {
    Write-Line '  [?] The state of the volumes is unknown; the errors say why.' Yellow
}

$target = $MountPoint
if (-not $target) {
    $target = @($env:TEMP, $env:TMPDIR, '/tmp' | Where-Object { $_ }) | Select-Object -First 1
}
Write-Host ''
Write-Line "[*] Measuring in $target what the older script did: 4 KiB written to one place, each flushed..." Yellow
if ($manifest) {
    # 1,000 writes a round, or as many as there is time for, so that a slow drive does not take minutes.
    $legacy = Invoke-Step -Command Test-NvmeLatency -Parameter @{ MountPoint = $target; Profile = 'legacy'; NoPenalty = $true; Duration = '6'; TimeoutSeconds = 90 }
}
Write-Legacy $legacy
Write-Host ''
Write-Line "[*] Measuring in $target how fast the disk is, and what encryption adds..." Yellow
if ($manifest) {
    $measurement = Invoke-Step -Command Test-NvmeLatency -Parameter @{ MountPoint = $target; Profile = 'quick'; TimeoutSeconds = 180 }
}
Write-Measured $measurement
Write-Verdict $measurement

if ($null -ne $status) {
    foreach ($finding in @($status.Findings | Where-Object { 'warning', 'critical' -contains $_.Severity })) {
        Write-Line "      $("$($finding.Severity)".ToUpperInvariant()): $($finding.Title) ($($finding.Id))" Yellow
    }
}
$next = Get-NextStep -Status $status -Bench $measurement.Value -Script $PSCommandPath -MountPoint $MountPoint
if ($next.Command) {
    # A module that PowerShell does not find by itself has to be loaded before its commands.
    $found = @(Get-Module -ListAvailable -Name BitLockerDiskAudit -ErrorAction Ignore | Where-Object -Property Path -EQ -Value $manifest)
    if ($manifest -and $found.Count -eq 0 -and $next.Command -match 'BitLockerDiskAudit |-SoftwareBitLocker |Test-NvmeLatency ') {
        $next.Command = "Import-Module -Name $(Format-Argument $manifest); $($next.Command)"
    }
    Write-Line "      Recommended: $($next.Command)"
    Write-Line "      ($($next.Why))"
}
else {
    Write-Line '      Recommended: nothing to do.'
}
Write-Host ''
Write-Line $bar Cyan

if ($PassThru) {
    $verdict = $measurement.Value | Where-Object { $null -ne $_ } | ForEach-Object { $_.Verdict }
    # New-Object, because Constrained Language Mode refuses a cast to [pscustomobject].
    $result = New-Object -TypeName PSObject -Property ([ordered]@{
            Volumes = [object[]]$volumes; Legacy = $legacy.Value; Bench = $measurement.Value; Verdict = $verdict; NextCommand = $next.Command
        })
    Add-Member -InputObject $result -TypeName 'BitLockerDiskAudit.DiskSpeed'
    $result
}

$failed = @($audit, $legacy, $measurement | Where-Object { $null -eq $_.Value })
foreach ($text in @($errors + @($failed | ForEach-Object { $_.Errors }) | Select-Object -Unique)) {
    Write-Error -Message $text
}
if ($failed.Count -gt 0) {
    exit 1
}
exit 0
