function Disable-SoftwareBitLocker {
    <#
    .SYNOPSIS
    Undoes software BitLocker: shows the plan, asks, carries it out step by step and watches it to
    its end.

    .DESCRIPTION
    Decrypts the volumes that BitLocker encrypts by software, and keeps Windows from encrypting them
    again by itself (PreventDeviceEncryption). Volumes that the drive encrypts stay as they are, and
    so do removable ones that are not named.

    First a plan is made, which changes nothing. Guards look at everything that would make it
    dangerous or futile: a portable computer whose data a thief could read then, a policy that would
    encrypt again, a failing disk, a battery, a state that is not known. A guard that refuses, or
    cannot tell, stops everything; each has its own override. Then the command asks for consent,
    with the steps in their order. The plan is carried out only while the computer is still as it was
    planned for. Every change is written to a journal before it is made.

    Decrypting rewrites the data and takes minutes to hours. Windows does it by itself: it goes on
    without this command, and after a restart. Until it has ended, nothing must be reinstalled, reset
    or repartitioned. Without -Wait the command returns when the decryption runs; InProgress is $true
    then, and a warning says how to watch it. With -Wait it shows the progress and returns when all is
    decrypted and a fresh look has confirmed it. Ctrl-C ends the waiting, not the decryption. Running
    the command again is always safe: what is done already is not done twice, and a computer where
    nothing is to be done is a success.

    One object comes out, with the plan and what became of it. Everything that is piped is done in
    one run; an empty pipeline does nothing. It needs administrator rights.

    Where nobody can be asked, the command fails at once with ConfirmationRequired instead of waiting
    for an answer: as SYSTEM in session 0 (Intune, ConfigMgr, services), with -NonInteractive, without
    a keyboard as input, and in Constrained Language Mode. There it takes -Force, -Confirm:$false or
    -WhatIf.

    The work is done by the executable diskaudit in the module's folder bin. The environment
    variable DISKAUDIT_PATH can name another one, for development and tests. $LASTEXITCODE is left
    as it was.

    .PARAMETER MountPoint
    Only these volumes: drive letters (C, C:, C:\), folders where a volume is mounted, GUID paths
    (\\?\Volume{...}\). Takes volumes from the pipeline: from Get-BitLockerDiskAudit, Get-Volume,
    Get-BitLockerVolume, Get-Partition and Win32_Volume. Without this parameter and a pipeline: all
    volumes of this computer that the action is for.

    .PARAMETER Prevent
    Decrypt nothing; only keep Windows from encrypting by itself (PreventDeviceEncryption).

    .PARAMETER Pause
    Pause conversions that run, encrypting or decrypting.

    .PARAMETER Resume
    Resume conversions that are paused.

    .PARAMETER Undo
    Take back what earlier runs did, as far as that is possible: PreventDeviceEncryption, a pause, a
    resumption. A decryption cannot be taken back.

    .PARAMETER Wait
    Return when the volumes are decrypted, and show the progress until then.

    .PARAMETER Override
    Go on although these guards refuse, each named by its id. Read first what the guard says: it
    names the risk. Ids: hardware-encrypted, managed, policy-reencrypts,
    policy-forbids-decryption, write-denied, portable, on-battery, disk-health, conversion-running, hardware-test-pending, reboot-pending, file-system,
    auto-unlock-only-key, and with -Undo changed-since. Overriding state-unknown, locked,
    metadata-damaged or cluster leaves the volume out that the guard is about; it is never changed.

    .PARAMETER ClearAutoUnlock
    Remove the keys from the operating system volume by which data volumes unlock by themselves.
    Windows does not decrypt it while it holds some.

    .PARAMETER SpeedUpConversion
    Turn the flushing of a hard disk's write cache off while it converts, and on again afterwards. A
    loss of power in that time can cost data. Needs -Wait.

    .PARAMETER ExpectPlan
    Refuse unless the plan has this id: PlanId of a plan that somebody has looked at. Another state of
    the computer gives another id.

    .PARAMETER OfflineHive
    With -Prevent: read the SYSTEM hive of a Windows that does not run, such as that of an image. The
    file is only read; Commands holds the commands that change it. The path is taken literally.

    .PARAMETER Recording
    Only plan, for the facts of another computer in this file, which diskaudit status --record wrote.
    Nothing is asked for and nothing is changed.

    .PARAMETER Force
    Do not ask. Guards are not overridden by it.

    .PARAMETER WhatIf
    Change nothing: return the plan, and say what would be done. Stronger than -Force.

    .PARAMETER Confirm
    Ask, also with -Force. With -Confirm:$false it does not ask.

    .PARAMETER AsJson
    The whole document as one line of JSON, exactly as the executable wrote it. A document that
    tells of a failure comes out too; its problems are non-terminating errors.

    .PARAMETER TimeoutSeconds
    Stop after this many seconds, 1 to 604800 (a week), counted for the plan and for carrying it out
    each. A decryption goes on; the command then returns with InProgress. There is no limit otherwise.

    .INPUTS
    System.String. Volumes, by letter, mount point or GUID path.

    System.Object. Volumes as Get-BitLockerDiskAudit, Get-Volume and Get-BitLockerVolume return them.

    .OUTPUTS
    BitLockerDiskAudit.Remediation. One per call. Journal is $null when nothing was changed, Projected
    when the facts could not be gathered.

    Action [string]              decrypt, prevent, pause, resume or undo
    PlanId [string]              id of the plan and the facts that it rests on
    Applied [bool]               the plan was carried out, at least in part
    Completed [bool]             all that was asked for is so, by this run or before it
    InProgress [bool]            something goes on, or another run is at work
    Steps [object[]]             BitLockerDiskAudit.RemediationStep, in order; empty when there is
                                 nothing to do
    Guards [object[]]            BitLockerDiskAudit.RemediationGuard
    Commands [object[]]          commands to run by hand, [string] each; only with -OfflineHive
    Running [object[]]           BitLockerDiskAudit.RemediationRunning: conversions that go on
    Projected [object[]]         BitLockerDiskAudit.Volume: the volumes as they are to be afterwards
    Journal [string]             file that records every change
    CollectedAt [datetime]       when the run was, UTC
    Complete [bool]              nothing that was asked for is missing
    SchemaVersion [string]       version of the document's schema
    ToolVersion [string]         version of the executable
    Problems [object[]]          BitLockerDiskAudit.Problem, with Code, Level, Stage, Target, Text,
                                 HResult, HResultName and Retryable

    BitLockerDiskAudit.RemediationStep. In the property Steps.

    Id [string]                  id within the plan, such as 2-decrypt
    Target [string]              id of the volume or disk, path of the registry value, or machine
    MountPoint [string]          where the volume is mounted; $null for what is no volume
    Change [string]              set-prevent-device-encryption, decrypt, wait, verify,
                                 clear-auto-unlock-keys, pause-conversion, resume-conversion,
                                 set-cache-flushing
    Text [string]                what it does, for people
    Before [string]              state that it expects
    After [string]               state that it leads to
    Undoable [bool]              -Undo can take it back
    Undo [string]                how it is taken back, or why it cannot be
    EstimatedSeconds [double]    how long it may take; $null when that cannot be told
    Result [string]              done, already-done, running, failed or not-started; $null for a plan
                                 that was not carried out
    StartedAt [datetime]         when it began, UTC
    EndedAt [datetime]           when it ended, UTC
    Problem [object]             BitLockerDiskAudit.Problem that says why it did not end well

    BitLockerDiskAudit.RemediationGuard. In the property Guards.

    Id [string]                  its id, as -Override takes it
    Target [string]              what it is about; machine for the computer
    Result [string]              allow, refuse, unknown (which refuses too) or overridden
    Text [string]                the fact, the risk and the way round it
    Override [string]            parameter that overrides it; $null when nothing does

    BitLockerDiskAudit.RemediationRunning. In the property Running.

    VolumeId [string]            id of the volume
    MountPoint [string]          where it is mounted
    Conversion [string]          DecryptionInProgress and others, as of a volume
    ConversionCode [long]        its code in Win32_EncryptableVolume
    Percent [double]             encrypted part of the volume, 0 to 100
    PercentPerHour [double]      how fast that changes; $null when it was not watched for long enough
    EtaSeconds [double]          seconds that are left at that rate
    Watch [string]               command that shows how far it is

    System.String. With -AsJson.

    .EXAMPLE
    Disable-SoftwareBitLocker -WhatIf

    Shows the plan for this computer, what stands against it and how long it may take. Nothing is
    changed.

    .EXAMPLE
    Disable-SoftwareBitLocker -Wait

    Asks, decrypts all volumes that software encrypts, and shows the progress until it is done.

    .EXAMPLE
    Get-BitLockerDiskAudit | Where-Object { $_.Engine -eq 'software' -and $_.VolumeType -eq 'Data' } | Disable-SoftwareBitLocker

    Decrypts the data volumes only, in one run.

    .EXAMPLE
    (Disable-SoftwareBitLocker -WhatIf).Guards | Where-Object Result -in 'refuse', 'unknown' | Format-List Id, Text, Override

    Reads what stands against the plan, and how each guard is overridden.

    .EXAMPLE
    $plan = Disable-SoftwareBitLocker -WhatIf -Override portable
    PS> Disable-SoftwareBitLocker -Override portable -ExpectPlan $plan.PlanId -Wait

    Overrides one guard deliberately: looks at the plan first, and carries out exactly that one.

    .EXAMPLE
    $result = Disable-SoftwareBitLocker -Force -ErrorAction SilentlyContinue -WarningAction SilentlyContinue -ErrorVariable problems
    PS> if ($result.Completed) { 'decrypted'; exit 0 }
    PS> if ($result.InProgress) { 'decrypting'; exit 0 }
    PS> 'failed: ' + (@($problems.FullyQualifiedErrorId) -replace ',.*$' -join ' '); exit 1

    The core of a remediation script for Intune, which runs as SYSTEM without anybody to ask. It
    begins the decryption and returns; the next run says decrypted. Guards that refuse end it with
    their ids, such as GuardPortable: add -Override for those that you accept for these computers.

    .EXAMPLE
    Disable-SoftwareBitLocker -Prevent -Force

    Keeps Windows from encrypting by itself and decrypts nothing.

    .EXAMPLE
    (Disable-SoftwareBitLocker -Prevent -OfflineHive W:\Windows\System32\config\SYSTEM).Commands

    Shows the commands that do the same in a Windows image that is applied to W: and not running.

    .EXAMPLE
    Disable-SoftwareBitLocker -Undo

    Puts back what earlier runs have set, as far as that is possible.

    .NOTES
    Errors have stable ids. Terminating: ConfirmationRequired, CoreNotFound, CoreBlocked, CoreFailed,
    CoreOutputInvalid, CoreTimeout, SchemaVersionUnsupported, ElevationRequired, ProviderUnavailable,
    Interrupted, UsageError, ArgumentInvalid, ParametersConflict. Non-terminating: InputNotUsable, one
    per guard that refuses (Guard and its id: GuardPortable, GuardPolicyReencrypts, GuardStateUnknown
    and others), and one per problem, with the problem's code as id: VolumeNotFound, EncryptedAgain,
    StateChanged, VerificationFailed and others. What is still in progress is a warning and no error.
    #>
    [CmdletBinding(DefaultParameterSetName = 'Decrypt', SupportsShouldProcess, ConfirmImpact = 'High', PositionalBinding = $false)]
    [OutputType('BitLockerDiskAudit.Remediation')]
    [OutputType([string])]
    param(
        [Parameter(ParameterSetName = 'Decrypt', Position = 0, ValueFromPipeline, ValueFromPipelineByPropertyName)]
        [Parameter(ParameterSetName = 'Pause', Position = 0, ValueFromPipeline, ValueFromPipelineByPropertyName)]
        [Parameter(ParameterSetName = 'Resume', Position = 0, ValueFromPipeline, ValueFromPipelineByPropertyName)]
        [Alias('DriveLetter')]
        [AllowNull()]
        [AllowEmptyString()]
        [AllowEmptyCollection()]
        [string[]] $MountPoint,

        [Parameter(Mandatory, ParameterSetName = 'Prevent')]
        [switch] $Prevent,

        [Parameter(Mandatory, ParameterSetName = 'Pause')]
        [switch] $Pause,

        [Parameter(Mandatory, ParameterSetName = 'Resume')]
        [switch] $Resume,

        [Parameter(Mandatory, ParameterSetName = 'Undo')]
        [switch] $Undo,

        [Parameter(ParameterSetName = 'Decrypt')]
        [switch] $Wait,

        [AllowEmptyString()]
        [string[]] $Override,

        [Parameter(ParameterSetName = 'Decrypt')]
        [switch] $ClearAutoUnlock,

        [Parameter(ParameterSetName = 'Decrypt')]
        [switch] $SpeedUpConversion,

        [AllowEmptyString()]
        [string] $ExpectPlan,

        [Parameter(ParameterSetName = 'Prevent')]
        [AllowEmptyString()]
        [string] $OfflineHive,

        [AllowEmptyString()]
        [string] $Recording,

        [switch] $Force,

        [switch] $AsJson,

        [ValidateRange(1, 604800)]
        [int] $TimeoutSeconds
    )

    begin {
        # A function of a module does not see the preferences of the script that calls it; without
        # WhatIfPreference it would change what it was only to plan. Constrained Language Mode gives
        # no access to them.
        $fullLanguage = "$($ExecutionContext.SessionState.LanguageMode)" -eq 'FullLanguage'
        if ($fullLanguage) {
            $preferences = @{
                ErrorActionPreference = 'ErrorAction'; WarningPreference = 'WarningAction'; VerbosePreference = 'Verbose'
                ProgressPreference = 'ProgressAction'; WhatIfPreference = 'WhatIf'; ConfirmPreference = 'Confirm'
            }
            foreach ($name in $preferences.Keys) {
                if ($PSBoundParameters.Keys -notcontains $preferences[$name]) {
                    # Set-Variable would heed WhatIfPreference itself.
                    Set-Variable -Name $name -Value $PSCmdlet.GetVariableValue($name) -WhatIf:$false -Confirm:$false
                }
            }
        }
        if ($Force -and $PSBoundParameters.Keys -notcontains 'Confirm') {
            $ConfirmPreference = 'None'
        }
        # They are for the one question below. Cmdlets that the module uses would heed them too, and
        # do nothing: ForEach-Object -MemberName is one.
        $planOnly = [bool]$WhatIfPreference
        $confirm = "$ConfirmPreference"
        $WhatIfPreference = $false
        $ConfirmPreference = 'None'

        $named = $PSBoundParameters.Keys -contains 'MountPoint'
        $recorded = $PSBoundParameters.Keys -contains 'Recording'
        # Of another computer, and of a Windows that does not run, there is only a plan.
        $elsewhere = $recorded -or $PSBoundParameters.Keys -contains 'OfflineHive'

        $request = ConvertTo-RemediationFlag -Parameter $PSBoundParameters -ParameterSetName $PSCmdlet.ParameterSetName
        $failure = $request.Failure
        if ($null -eq $failure -and $named -and ($null -eq $MountPoint -or $MountPoint.Count -eq 0)) {
            $failure = New-AuditFailure -Id ArgumentInvalid -Message 'The list of volumes is empty. Leave the parameter out to decrypt all volumes that software encrypts.'
        }
        if ($null -eq $failure -and $SpeedUpConversion -and -not $Wait) {
            $failure = New-AuditFailure -Id ParametersConflict -Message '-SpeedUpConversion needs -Wait: the flushing is turned on again when the decryption has ended, and for that somebody has to wait.'
        }
        # Before anything is run: nobody is to wait for a question that nobody can answer.
        if ($null -eq $failure -and -not $planOnly -and -not $elsewhere -and $confirm -ne 'None') {
            $obstacle = Get-PromptObstacle
            if ($obstacle) {
                $failure = New-AuditFailure -Id ConfirmationRequired -Message "This changes the computer and needs consent, but nobody can be asked: $obstacle. Nothing was done. With -Force it asks nothing; -WhatIf shows what it would do."
            }
        }
        if ($null -ne $failure) {
            if ($fullLanguage) {
                $PSCmdlet.ThrowTerminatingError((New-AuditErrorRecord -Failure $failure))
            }
            Write-Error @failure -CategoryActivity 'Disable-SoftwareBitLocker' -ErrorAction Stop
        }

        $choices = @()
        if ($named) {
            $choices = @(foreach ($name in $MountPoint) { @{ Volume = ConvertTo-VolumeName -Name "$name"; Failure = $null } })
        }
    }

    process {
        # $_ is what was piped; the parameter holds what binding made of it.
        if ($MyInvocation.ExpectingInput -and -not $named) {
            $choices += Select-RemediationTarget -InputObject $_ -Recorded:$recorded
        }
    }

    end {
        $volumes = @($choices | ForEach-Object { $_.Volume } | Where-Object { $null -ne $_ } | Select-Object -Unique)
        $flags = $request.Flag + @(foreach ($volume in $volumes) { , @('volume', $volume) })
        $expected = @()
        if ($PSBoundParameters.Keys -contains 'ExpectPlan') {
            $expected = @(, @('expect-plan', $ExpectPlan))
        }
        # What was piped and names no volume comes first: a caller who stops at errors changes nothing.
        $turn = @{ Plan = $null; Outcome = @($choices | Where-Object { $null -ne $_.Failure } | ForEach-Object { @{ Kind = 'Error'; Value = $_.Failure } }) }
        foreach ($stage in 'Input', 'Plan', 'Change') {
            # An empty pipeline asks for nothing; without a pipeline and names, the executable chooses.
            if ($stage -eq 'Plan' -and ($volumes.Count -gt 0 -or -not $MyInvocation.ExpectingInput)) {
                $turn = Get-RemediationTurn -Flag ($flags + $expected) -AsJson:$AsJson
            }
            elseif ($stage -eq 'Change' -and $null -ne $turn.Plan) {
                $text = ConvertTo-ConsentText -Plan $turn.Plan
                $consent = -not $elsewhere
                if ($consent -and $fullLanguage) {
                    $WhatIfPreference = $planOnly
                    $ConfirmPreference = $confirm
                    $consent = $PSCmdlet.ShouldProcess($text.Description, $text.Query, 'Disable-SoftwareBitLocker')
                    $WhatIfPreference = $false
                    $ConfirmPreference = 'None'
                }
                elseif ($consent -and $planOnly) {
                    # Constrained Language Mode allows no call of ShouldProcess.
                    Write-Information -MessageData "What if: $($text.Description)" -InformationAction Continue
                    $consent = $false
                }
                if ($consent) {
                    $more = @(@('apply', $null), @('expect-plan', $turn.Plan.PlanId))
                    $activity = ''
                    if ($PSCmdlet.ParameterSetName -eq 'Decrypt' -and -not $Wait) {
                        $more += , @('wait', 'false')
                    }
                    elseif ($Wait -and 'SilentlyContinue', 'Ignore' -notcontains $ProgressPreference) {
                        $activity = "Decrypting $($volumes -join ', ')".Trim()
                    }
                    $turn = Get-RemediationTurn -Flag ($flags + $more) -Plan $turn.Plan -Activity $activity -AsJson:$AsJson
                }
                else {
                    $turn.Outcome = @(@{ Kind = 'Object'; Value = $turn.Object })
                }
            }
            elseif ($stage -ne 'Input') {
                break
            }
            foreach ($outcome in $turn.Outcome) {
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
                            Write-Error @failure -CategoryActivity 'Disable-SoftwareBitLocker'
                        }
                    }
                    'Stop' {
                        if ($fullLanguage) {
                            $PSCmdlet.ThrowTerminatingError((New-AuditErrorRecord -Failure $failure))
                        }
                        Write-Error @failure -CategoryActivity 'Disable-SoftwareBitLocker' -ErrorAction Stop
                    }
                }
            }
        }
    }
}
