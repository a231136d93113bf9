function Get-BitLockerDiskAudit {
    <#
    .SYNOPSIS
    Tells for each volume whether and how BitLocker encrypts it, what does the encrypting and
    what is wrong.

    .DESCRIPTION
    Software BitLocker costs time on each read and write, most on fast NVMe disks, and Windows 11
    24H2 turns it on by itself on many computers. This command shows which volumes are encrypted,
    by software or by the drive, with which cipher and which protectors, whether the protection is
    really on, and which findings follow from that. It changes nothing.

    One object per volume comes out, those without a drive letter included. Conversion,
    protection, lock and protectors are four separate answers: a volume can be encrypted and yet
    not protected. What could not be found out is $null, never $false, 0 or "decrypted".

    A volume that cannot be read is a non-terminating error; the others come out. All objects come
    before the first error, so that a pipeline has them even when the error stops it. Without
    administrator rights less can be found out on Windows; what is missing is $null and an error
    says so.

    The work is done by the executable diskaudit in the module's folder bin. The environment
    variable DISKAUDIT_PATH can name another one, for development and tests. $LASTEXITCODE is left
    as it was.

    .PARAMETER MountPoint
    Only these volumes: drive letters (C, C:, C:\), folders where a volume is mounted, GUID paths
    (\\?\Volume{...}\), on Linux devices or mount points. Takes volumes from the pipeline: from
    Get-Volume, Get-BitLockerVolume, Get-Partition, Win32_Volume and from this command. Whatever
    is piped is collected and audited in one run at the end; an empty pipeline gives no output.

    .PARAMETER Image
    Read these disk or volume images (raw, VHD, VHDX) instead of this computer. The paths are
    taken literally. Takes files from the pipeline, as Get-ChildItem gives them.

    .PARAMETER Recording
    Read the facts of another computer from this file, which diskaudit status --record wrote.

    .PARAMETER Detailed
    One object with everything: computer, policy, disks, volumes, findings and problems.

    .PARAMETER Summary
    The whole computer in one flat object, for management tools: one state, counts of volumes and
    findings, and the operating system volume in words. Every property always has its one type:
    what is not known is the text Unknown or the number -1, and the state unknown. No property
    changes while the computer stays as it is. Removable volumes are not judged.

    .PARAMETER AsJson
    The whole document as one line of JSON, exactly as the executable wrote it. A document that
    tells of a failure comes out too; its problems are non-terminating errors.

    .PARAMETER Identify
    Include serial numbers and the name of the computer, which are left out otherwise.

    .PARAMETER TimeoutSeconds
    Stop asking after this many seconds, 1 to 86400, and return what was found by then. The
    executable's own limit is 60 seconds.

    .PARAMETER Language
    The language of findings' Title and Advice: en (English), de (German) or zh (Chinese, simplified).
    Without it the session's UI culture decides, $PSUICulture, and other cultures get English. Names of
    properties, ids, words of enumerations, Evidence and errors are English always. With -AsJson the
    English texts stay where they are, and those in the language stand beside them as localized.

    .INPUTS
    System.String. Volumes, by letter, mount point or GUID path.

    System.Object. Volumes as Get-Volume, Get-BitLockerVolume and this command return them, and
    image files as Get-ChildItem returns them.

    .OUTPUTS
    BitLockerDiskAudit.Volume. One per volume. Every property can be $null for "not known", but
    MountPoint, MountPoints, VolumeId, Findings, Problems, Source, CollectedAt and Complete.

    MountPoint [string]          first mount point; the volume's id where there is none
    MountPoints [object[]]       all mount points, [string] each
    VolumeId [string]            GUID path, device, or image path with #partition and a number
    Label [string]               label of the file system
    FileSystem [string]          such as NTFS, ReFS, ext4
    VolumeType [string]          OperatingSystem, Data or Removable
    VolumeTypeCode [long]        its code in Win32_EncryptableVolume
    SizeBytes [long]             size of the volume in bytes
    FreeBytes [long]             space left in the file system in bytes
    ClusterBytes [long]          size of a cluster in bytes
    FileSystemDirty [bool]       the file system is marked as not sound: its dirty bit
    DiskId [string]              id of the disk where the volume begins
    EncryptionFormat [string]    bitlocker, bitlocker-to-go, luks or none
    Conversion [string]          FullyDecrypted, FullyEncrypted, EncryptionInProgress,
                                 DecryptionInProgress, EncryptionPaused, DecryptionPaused
    ConversionCode [long]        its code in Win32_EncryptableVolume
    Percent [double]             encrypted part of the volume, 0 to 100
    UsedSpaceOnly [bool]         only the space then in use was encrypted
    Wiping [string]              NotWiped, Wiped, WipeInProgress, WipePaused
    WipingCode [long]            its code in Win32_EncryptableVolume
    WipePercent [double]         wiped part of the free space, 0 to 100
    Method [string]              None, XtsAes128, XtsAes256, Aes128, Aes256, Aes128Diffuser,
                                 Aes256Diffuser, Hardware, Unknown
    MethodCode [long]            its code in Win32_EncryptableVolume
    Engine [string]              none, software, drive (the drive itself) or soc
    DriveMethod [string]         the drive's own cipher, by its own account
    HardwareEncryption [string]  what the drive offers: NotSupported, NoProtection, UsesSoftware,
                                 UsesHardware
    HardwareEncryptionCode [long] its code in Win32_EncryptableVolume
    Protection [string]          On, Off, Unknown
    ProtectionCode [long]        its code in Win32_EncryptableVolume
    ProtectionReason [string]    protected, suspended, waiting-for-activation, converting, locked,
                                 decrypted
    SuspendCount [long]          restarts until suspended protection resumes; 0 for never
    Lock [string]                Unlocked, Locked
    LockCode [long]              its code in Win32_EncryptableVolume
    Protectors [object[]]        types of the key protectors, [string] each: Tpm, TpmPin,
                                 RecoveryPassword, ExternalKey, ClearKey and others
    ProtectorCodes [object[]]    their codes, [long] each
    ProtectorIds [object[]]      their GUIDs, [string] each
    ClearKey [bool]              a key is stored in the clear beside the data
    AutoUnlock [bool]            the volume unlocks by itself with the operating system volume
    AutoUnlockKeysStored [bool]  the operating system volume holds keys that unlock other volumes
    HardwareTest [string]        NotFailedAndNotPending, Failed, Pending: the restart that BitLocker
                                 makes before it encrypts the operating system volume
    HardwareTestCode [long]      its code in Win32_EncryptableVolume
    MetadataVersion [long]       1 for Windows Vista, 2 for Windows 7 and later
    VolumeGuid [string]          GUID of the encrypted volume
    Description [string]         description that Windows stored in the metadata
    CreatedAt [datetime]         when encryption began, UTC
    SectorBytes [long]           sector of the cipher in bytes
    Findings [object[]]          ids of the findings about this volume, [string] each
    Severity [string]            that of the worst of them: info, notice, warning or critical;
                                 $null without findings
    Problems [object[]]          codes of the problems about this volume, [string] each
    Source [string]              windows, linux, image or recording
    ComputerName [string]        only with -Identify
    CollectedAt [datetime]       when the facts were gathered, UTC
    Complete [bool]              nothing that was asked for in this run is missing

    An enumeration's code that has no name reads Unrecognized; the property with the code holds it.

    BitLockerDiskAudit.Status. With -Detailed: CollectedAt [datetime] UTC, Complete [bool],
    SchemaVersion [string], ToolVersion [string], Source [string], ComputerName [string],
    BitLockerAvailable [bool], BitLockerProvider [string], BitLockerReason [string], Machine
    (BitLockerDiskAudit.Machine), Policy (BitLockerDiskAudit.Policy), Disks [object[]] of
    BitLockerDiskAudit.Disk, Volumes [object[]] of BitLockerDiskAudit.Volume, Findings [object[]]
    of BitLockerDiskAudit.Finding with Id, Severity, Target, Title, Evidence, Advice and
    Reference, Problems [object[]] of BitLockerDiskAudit.Problem with Code, Level, Stage, Target,
    Text, HResult, HResultName and Retryable, and Summary.

    BitLockerDiskAudit.Summary. With -Summary: State [string] (unknown, decrypting, encrypting,
    paused, software-encrypted, hardware-encrypted or not-encrypted: the first that fits a volume),
    Complete [bool], the counts of volumes Volumes, SoftwareEncrypted, HardwareEncrypted,
    NotEncrypted, Unprotected, UnknownVolumes and Converting [long], OsVolume, OsConversion,
    OsMethod, OsEngine, OsProtection and OsProtectionReason [string], the counts of findings
    Critical and Warnings [long], WorstFinding [string], Detail [string] with each volume as
    C:=software/XtsAes128/FullyEncrypted/On, and ToolVersion [string].

    System.String. With -AsJson.

    .EXAMPLE
    Get-BitLockerDiskAudit

    Shows all volumes of this computer in a table.

    .EXAMPLE
    Get-BitLockerDiskAudit | Where-Object Engine -eq 'software' | Select-Object MountPoint, Method, Findings

    Lists the volumes that BitLocker encrypts by software, and what was found about them.

    .EXAMPLE
    Get-BitLockerDiskAudit -MountPoint C, D:

    Audits two volumes.

    .EXAMPLE
    Get-Volume | Where-Object DriveType -eq 'Fixed' | Get-BitLockerDiskAudit

    Audits the fixed volumes, those without a drive letter too.

    .EXAMPLE
    $status = Get-BitLockerDiskAudit -Detailed
    PS> $status.Findings | Format-List Severity, Target, Title, Evidence, Advice

    Reads the findings with what they rest on and what to do.

    .EXAMPLE
    Get-ChildItem *.vhdx | Get-BitLockerDiskAudit

    Reads disk images, on Windows or Linux, without mounting them.

    .EXAMPLE
    Get-BitLockerDiskAudit | Select-Object MountPoint, Conversion, Method, Protection, @{ Name = 'Protectors'; Expression = { $_.Protectors -join ' ' } } | Export-Csv audit.csv -NoTypeInformation

    Writes a table to a file. Export-Csv cannot write lists, so the protectors are joined.

    .EXAMPLE
    Get-BitLockerDiskAudit -AsJson | Set-Content -Path audit.json -Encoding ascii

    Keeps the whole document.

    .NOTES
    Errors have stable ids. Terminating: CoreNotFound, CoreBlocked, CoreFailed,
    CoreOutputInvalid, CoreTimeout, SchemaVersionUnsupported, ElevationRequired,
    ProviderUnavailable, Interrupted, UsageError, ArgumentInvalid, ParametersConflict,
    SourcesMixed. Non-terminating: InputNotUsable, and one per problem of the document, with the
    problem's code as id: VolumeLocked, MetadataDamaged, NeedsElevation and others. The target of
    a non-terminating error is the volume, the disk or the file.
    #>
    [CmdletBinding(DefaultParameterSetName = 'Computer', PositionalBinding = $false)]
    [OutputType('BitLockerDiskAudit.Volume')]
    [OutputType('BitLockerDiskAudit.Status')]
    [OutputType('BitLockerDiskAudit.Summary')]
    [OutputType([string])]
    param(
        [Parameter(ParameterSetName = 'Computer', Position = 0, ValueFromPipeline, ValueFromPipelineByPropertyName)]
        [Parameter(ParameterSetName = 'Recording', Position = 0, ValueFromPipeline, ValueFromPipelineByPropertyName)]
        [Alias('DriveLetter')]
        [AllowNull()]
        [AllowEmptyString()]
        [AllowEmptyCollection()]
        [string[]] $MountPoint,

        [Parameter(Mandatory, ParameterSetName = 'Image', ValueFromPipelineByPropertyName)]
        [Alias('FullName')]
        [AllowEmptyString()]
        [string[]] $Image,

        [Parameter(Mandatory, ParameterSetName = 'Recording')]
        [AllowEmptyString()]
        [string] $Recording,

        [switch] $Detailed,

        [switch] $Summary,

        [switch] $AsJson,

        [switch] $Identify,

        [ValidateRange(1, 86400)]
        [int] $TimeoutSeconds,

        [ValidateSet('en', 'de', 'zh')]
        [string] $Language
    )

    begin {
        # A function of a module does not see the preferences of the script that calls it.
        # Constrained Language Mode gives no access to them.
        $fullLanguage = "$($ExecutionContext.SessionState.LanguageMode)" -eq 'FullLanguage'
        if ($fullLanguage) {
            $preferences = @{ ErrorActionPreference = 'ErrorAction'; WarningPreference = 'WarningAction'; VerbosePreference = 'Verbose' }
            foreach ($name in $preferences.Keys) {
                if ($PSBoundParameters.Keys -notcontains $preferences[$name]) {
                    Set-Variable -Name $name -Value $PSCmdlet.GetVariableValue($name)
                }
            }
        }

        $choices = @()
        $outcomes = @()
        $recorded = $PSBoundParameters.Keys -contains 'Recording'
        $named = $PSBoundParameters.Keys -contains 'MountPoint' -or $PSBoundParameters.Keys -contains 'Image'
        if ($named) {
            $choices = @(
                foreach ($name in $MountPoint) { @{ Volume = ConvertTo-VolumeName -Name "$name"; Image = $null } }
                foreach ($path in $Image) { @{ Volume = $null; Image = ConvertTo-ImagePath -Path "$path" } }
            )
        }
    }

    process {
        # $_ is what was piped; the parameters hold what binding made of it.
        if ($MyInvocation.ExpectingInput -and -not $named) {
            $choice = Select-AuditInput -InputObject $_ -Recorded:$recorded
            if ($null -ne $choice.Failure) {
                $outcomes += @{ Kind = 'Error'; Value = $choice.Failure }
            }
            else {
                $choices += $choice
            }
        }
    }

    end {
        # An empty pipeline asks for nothing; without a pipeline and names, everything is asked for.
        if ($named -or $choices.Count -gt 0 -or -not $MyInvocation.ExpectingInput) {
            $request = @{
                Choice         = $choices
                ChoiceRequired = $named
                Recording      = $null
                TimeoutSeconds = $TimeoutSeconds
                Language       = 'en'
                Identify       = $Identify
                Detailed       = $Detailed
                Summary        = $Summary
                AsJson         = $AsJson
            }
            if ($Language) {
                $request.Language = $Language
            }
            elseif ($PSUICulture -match '^de\b') {
                $request.Language = 'de'
            }
            elseif ($PSUICulture -match '^zh(?!-(Hant|TW|HK|MO)\b)\b') {
                # Who reads traditional characters may not read the simplified ones of these texts.
                $request.Language = 'zh'
            }
            if ($recorded) {
                $request.Recording = ConvertTo-ImagePath -Path $Recording
            }
            $outcomes += @(Get-AuditOutcome @request)
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
                        Write-Error @failure -CategoryActivity 'Get-BitLockerDiskAudit'
                    }
                }
                'Stop' {
                    if ($fullLanguage) {
                        $PSCmdlet.ThrowTerminatingError((New-AuditErrorRecord -Failure $failure))
                    }
                    Write-Error @failure -CategoryActivity 'Get-BitLockerDiskAudit' -ErrorAction Stop
                }
            }
        }
    }
}
