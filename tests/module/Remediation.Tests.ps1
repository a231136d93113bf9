BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    # A plan against which these guards have this result; it has an override where a text is given.
    function New-RefusedPlan {
        param([System.Collections.IDictionary] $Guard, [string] $Result = 'refuse')
        $document = Read-Document 'remediate-plan'
        foreach ($id in $Guard.Keys) {
            $document.plan.guards += @{ id = $id; target = 'machine'; result = $Result; text = "What $id means. Go on with $($Guard[$id])."; override = $Guard[$id] }
        }
        $document
    }

    # What a run tells that begins the decryption and does not wait.
    function New-RunningDocument {
        $document = Read-Document 'remediate-failed'
        $document.projected = (Read-Document 'remediate-plan').projected
        $document.complete = $true
        $document.problems = @()
        $results = 'done', 'running', 'not-started', 'not-started'
        foreach ($i in 0..3) {
            $document.steps[$i].result = $results[$i]
            $document.steps[$i].problem = $null
        }
        $document.running = @(@{
                volumeId = $VolumeC; conversion = @{ name = 'DecryptionInProgress'; code = 3 }; percent = 81.25
                percentPerHour = 62.5; etaSeconds = 4680; watch = "diskaudit status --volume $VolumeC"
            })
        $document
    }

    # What a run tells that has ended well.
    function New-DoneDocument {
        $document = New-RunningDocument
        foreach ($step in $document.steps) {
            $step.result = 'done'
            $step.startedAt = '2026-03-29T01:30:03Z'
            $step.endedAt = '2026-03-29T03:00:00Z'
        }
        $document.running = @()
        $document
    }
}

Describe 'The object of a plan' -Tag Documents {
    BeforeAll {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        $plan = Disable-SoftwareBitLocker -WhatIf
    }

    It 'tells what would be done, in order, and that nothing was' {
        $plan.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Remediation'
        $plan.Action | Should -BeExactly 'decrypt'
        $plan.PlanId | Should -BeExactly '7f3a90c2d1e4'
        $plan.Applied, $plan.Completed, $plan.InProgress | Should -Be $false, $false, $false
        $plan.Journal | Should -Be $null
        $plan.CollectedAt | Should -Be ([datetime]::new(2026, 3, 29, 1, 30, 0))
        $plan.CollectedAt.Kind | Should -Be 'Utc'
        $plan.Steps.Change | Should -Be 'set-prevent-device-encryption', 'decrypt', 'wait', 'verify'
        $plan.Steps.MountPoint | Should -Be $null, 'C:', 'C:', $null
        $plan.Steps.Result | Should -Be $null, $null, $null, $null
        $step = $plan.Steps[0]
        $step.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.RemediationStep'
        $step.Before, $step.After | Should -Be 'absent', '1'
        $step.Undoable | Should -BeTrue
        $step.EstimatedSeconds | Should -Be $null
        $plan.Steps[2].EstimatedSeconds | Should -Be 4865.7
    }

    It 'shows the volumes as they are to be (B59)' {
        $plan.Projected.Count | Should -Be 3
        $plan.Projected[0].PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Volume'
        $plan.Projected[0].MountPoint | Should -BeExactly 'C:'
        $plan.Projected[0].Conversion | Should -BeExactly 'FullyDecrypted'
        $plan.Projected[2].Conversion | Should -Be $null
    }

    It 'has types that do not change with the value (B59)' {
        foreach ($name in 'Steps', 'Guards', 'Running', 'Projected', 'Problems') {
            , $plan.$name | Should -BeOfType [object[]] -Because $name
        }
        foreach ($name in 'Applied', 'Completed', 'InProgress', 'Complete') {
            $plan.$name | Should -BeOfType [bool]
        }
        Use-FakeCore -Document (Read-Document 'remediate-failed') -ExitCode 1
        $failed = Disable-SoftwareBitLocker -WhatIf -ErrorAction SilentlyContinue
        $failed.Projected | Should -Be $null -Because 'facts that were not gathered are no empty list'
        $failed.Steps[1].StartedAt.Kind | Should -Be 'Utc'
        $failed.Steps[1].EndedAt - $failed.Steps[1].StartedAt | Should -Be ([timespan]::FromMinutes(1))
        $failed.Steps[2].StartedAt | Should -Be $null
    }

    It 'speaks of parameters and commands of the module, not of options' {
        $plan.Steps[0].Undo | Should -BeExactly 'Disable-SoftwareBitLocker -Undo puts back what was there.'
        $plan.Guards[1].Override | Should -BeExactly '-Override portable'
        InModuleScope BitLockerDiskAudit {
            $texts = @{
                'x --override disk-health. y'                              = 'x -Override disk-health. y'
                '--clear-auto-unlock'                                      = '-ClearAutoUnlock'
                'Leave --speed-up-conversion out.'                         = 'Leave -SpeedUpConversion out.'
                'diskaudit remediate --action prevent --apply'             = 'Disable-SoftwareBitLocker -Prevent'
                'by diskaudit remediate, or again'                         = 'by Disable-SoftwareBitLocker, or again'
                'diskaudit status --volume \\?\Volume{9f0c}\'              = 'Get-BitLockerDiskAudit -MountPoint ''\\?\Volume{9f0c}\'''
                'diskaudit status --record FILE there'                     = 'diskaudit status --record FILE there'
                'PreventDeviceEncryption = 1 -- and no option of anything' = 'PreventDeviceEncryption = 1 -- and no option of anything'
            }
            foreach ($text in $texts.Keys) {
                ConvertTo-ParameterText -Text $text | Should -BeExactly $texts[$text]
            }
            ConvertTo-ParameterText -Text $null | Should -Be $null
        }
    }

    It 'comes through a job or a remote session with its steps' {
        $text = [System.Management.Automation.PSSerializer]::Serialize($plan, 1)
        $received = [System.Management.Automation.PSSerializer]::Deserialize($text)
        $received.Steps[1].Text | Should -BeExactly $plan.Steps[1].Text
        $received.Guards[1].Override | Should -BeExactly '-Override portable'
        $received.Projected[0].Conversion | Should -BeExactly 'FullyDecrypted'
        ($plan | ConvertTo-Json -Depth 5 | ConvertFrom-Json).Steps[3].Change | Should -BeExactly 'verify'
    }

    It 'is the whole document as it was written with -AsJson' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        $expected = Get-Content -LiteralPath $env:FAKECORE_STDOUT -Raw
        Disable-SoftwareBitLocker -WhatIf -AsJson | Should -BeExactly $expected.TrimEnd()
    }
}

Describe 'A document that is not one' -Tag Documents {
    It 'never passes for a plan with nothing to do: without <_>' -ForEach 'plan', 'applied', 'steps', 'running' {
        $document = Read-Document 'remediate-plan'
        $document.plan.steps = @()
        $document.Remove($_)
        Use-FakeCore -Document $document
        Get-ErrorId { Disable-SoftwareBitLocker -Force } | Should -BeExactly 'CoreOutputInvalid'
        @(Get-FakeCall).Count | Should -Be 1
    }

    It 'nor without <_> of the plan' -ForEach 'steps', 'guards', 'id', 'action' {
        $document = Read-Document 'remediate-plan'
        $document.plan.Remove($_)
        Use-FakeCore -Document $document
        Get-ErrorId { Disable-SoftwareBitLocker -Force } | Should -BeExactly 'CoreOutputInvalid'
        @(Get-FakeCall).Count | Should -Be 1
    }
}

Describe 'Carrying out' {
    It 'is done with consent, exactly the plan that was seen, and nothing is left on stderr (C22)' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (New-DoneDocument)
        $Error.Clear()
        $done = Disable-SoftwareBitLocker -Force -Wait -ErrorVariable problems -WarningVariable warnings
        @($problems).Count + @($warnings).Count + $Error.Count | Should -Be 0
        $done.Applied, $done.Completed, $done.InProgress | Should -Be $true, $true, $false
        $done.Steps.Result | Should -Be 'done', 'done', 'done', 'done'
        $done.Journal | Should -BeLike '*\journal\*.jsonl'
        $calls = @(Get-FakeCall)
        $calls.Count | Should -Be 2
        $calls[0] | Should -Not -Contain '--apply'
        $calls[1] | Should -Contain '--apply'
        $calls[1] | Should -Contain '--expect-plan=7f3a90c2d1e4'
        $calls[1] | Should -Not -Match '^--wait'
    }

    It 'writes nothing but the object, in a script of its own (C20, C22, B46)' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (New-DoneDocument)
        $modules = 'PowerShellGet', 'PackageManagement', 'Microsoft.PowerShell.PSResourceGet'
        $all = @(Invoke-Child @"
Set-StrictMode -Version Latest
`$ErrorActionPreference = 'Stop'
`$ProgressPreference = 'SilentlyContinue'
Import-Module '$ManifestPath'
`$result = Disable-SoftwareBitLocker -Force -Wait
"`$(`$result.Completed) `$(@(Get-Module -Name $($modules -join ',')).Count)"
"@ 2>&1)
        @($all | Where-Object { $_ -is [System.Management.Automation.ErrorRecord] }) | Should -BeNullOrEmpty
        $all | Should -Be 'True 0'
        @(Get-FakeCall).Count | Should -Be 2
        @(Get-FakeCall)[1] | Should -Not -Contain '--progress'
    }

    It 'is not begun when nothing is to be done, which is a success (B55)' {
        $document = Read-Document 'remediate-plan'
        $document.plan.steps = @()
        $document.plan.guards = @()
        Use-FakeCore -Document $document
        $result = Disable-SoftwareBitLocker -Force -ErrorVariable problems -WarningVariable warnings
        $result.Applied, $result.Completed | Should -Be $false, $true
        $result.Steps.Count | Should -Be 0
        @($problems).Count + @($warnings).Count | Should -Be 0
        @(Get-FakeCall).Count | Should -Be 1
    }

    It 'gives the document of the run with -AsJson' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (New-DoneDocument)
        $expected = Get-Content -LiteralPath $env:FAKECORE_APPLIED -Raw
        Disable-SoftwareBitLocker -Force -Wait -AsJson | Should -BeExactly $expected.TrimEnd()
    }

    It 'says once what the plan and the run both warn of' {
        $document = Read-Document 'remediate-plan'
        $document.problems = @(New-Problem -Code 'flushing-restored' -Level warning -Text 'It is on now.')
        $done = New-DoneDocument
        $done.problems = @($document.problems) + @(New-Problem -Code 'other' -Level warning -Text 'Another.')
        Use-FakeCore -Document $document
        Use-AppliedCore -Document $done
        $null = Disable-SoftwareBitLocker -Force -Wait -WarningVariable warnings -WarningAction SilentlyContinue
        "$($warnings -join '|')" | Should -BeExactly 'It is on now.|Another.'
    }

    It 'is refused for a plan that says it was carried out' {
        $document = Read-Document 'remediate-plan'
        $document.applied = $true
        Use-FakeCore -Document $document
        $null = Disable-SoftwareBitLocker -Force
        @(Get-FakeCall).Count | Should -Be 1
    }
}

Describe 'What is still in progress (exit code 7)' {
    It 'is a warning that says what runs and how to watch it, and no error (B55, C22)' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (New-RunningDocument) -ExitCode 7
        $result = Disable-SoftwareBitLocker -Force -ErrorVariable problems -WarningVariable warnings -WarningAction SilentlyContinue
        @($problems).Count | Should -Be 0
        $result.Applied, $result.Completed, $result.InProgress | Should -Be $true, $false, $true
        $running = $result.Running[0]
        $running.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.RemediationRunning'
        $running.VolumeId, $running.MountPoint | Should -Be $VolumeC, 'C:'
        $running.Conversion, $running.ConversionCode | Should -Be 'DecryptionInProgress', 3
        $running.ConversionCode | Should -BeOfType [long]
        $running.Percent, $running.PercentPerHour, $running.EtaSeconds | Should -Be 81.25, 62.5, 4680
        $running.Watch | Should -BeExactly 'Get-BitLockerDiskAudit -MountPoint C:'
        @($warnings).Count | Should -Be 1
        "$warnings" | Should -BeLike 'C: DecryptionInProgress, 81.? % are encrypted, about 78 minutes left.*do not reinstall*Get-BitLockerDiskAudit -MountPoint C:'
        @(Get-FakeCall)[1] | Should -Contain '--wait=false'
    }

    It 'stays $null where it is not known' {
        $document = New-RunningDocument
        $document.projected = $null
        $document.running[0].conversion = $null
        foreach ($name in 'percent', 'percentPerHour', 'etaSeconds') {
            $document.running[0].$name = $null
        }
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document $document -ExitCode 7
        $running = (Disable-SoftwareBitLocker -Force -WarningVariable warnings -WarningAction SilentlyContinue).Running[0]
        foreach ($name in 'Conversion', 'ConversionCode', 'Percent', 'PercentPerHour', 'EtaSeconds') {
            $running.$name | Should -Be $null -Because $name
        }
        $running.MountPoint | Should -BeExactly $VolumeC
        $running.Watch | Should -BeExactly "Get-BitLockerDiskAudit -MountPoint $VolumeC"
        "$warnings" | Should -Match 'Windows goes on'
        "$warnings" | Should -Not -Match '%|left'
    }

    It 'is another run that acts' {
        $document = Read-Document 'remediate-plan'
        $document.plan.steps = @()
        $document.complete = $false
        $document.problems = @(New-Problem -Code 'another-run' -Text 'Process 4711 is decrypting since 01:30.' -Retryable $true)
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document $document -ExitCode 7
        $result = Disable-SoftwareBitLocker -Force -ErrorVariable problems -WarningVariable warnings -WarningAction SilentlyContinue
        @($problems).Count | Should -Be 0
        $result.InProgress, $result.Completed, $result.Applied | Should -Be $true, $false, $false
        "$warnings" | Should -BeExactly 'Process 4711 is decrypting since 01:30.'
    }

    It 'is told when the document does not say what' {
        $document = New-RunningDocument
        $document.running = @()
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document $document -ExitCode 7
        (Disable-SoftwareBitLocker -Force -WarningVariable warnings -WarningAction SilentlyContinue).InProgress | Should -BeTrue
        "$warnings" | Should -Match 'still in progress'
    }
}

Describe 'A guard that refuses (exit code 5)' -Tag Documents {
    It 'is an error with its id and its override, after the object, and nothing is carried out (C40, B73)' {
        Use-FakeCore -Document (New-RefusedPlan @{ 'portable' = '--override portable'; 'plan-changed' = $null; 'auto-unlock-keys' = '--clear-auto-unlock' }) -ExitCode 5
        $result = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
        $result.Applied, $result.Completed, $result.Steps.Count | Should -Be $false, $false, 4
        @($problems).FullyQualifiedErrorId | Sort-Object | Should -Be 'GuardAutoUnlockKeys,Disable-SoftwareBitLocker', 'GuardPlanChanged,Disable-SoftwareBitLocker', 'GuardPortable,Disable-SoftwareBitLocker'
        $record = @($problems | Where-Object FullyQualifiedErrorId -Match '^GuardPortable,')[0]
        $record.CategoryInfo.Category | Should -Be 'SecurityError'
        $record.TargetObject | Should -BeExactly 'machine'
        $record.ErrorDetails.RecommendedAction | Should -Match '-Override portable$'
        "$record" | Should -Match '^What portable means\. Go on with -Override portable\.'
        @($problems | Where-Object FullyQualifiedErrorId -Match '^GuardAutoUnlockKeys,')[0].ErrorDetails.RecommendedAction | Should -Match '-ClearAutoUnlock$'
        @($problems | Where-Object FullyQualifiedErrorId -Match '^GuardPlanChanged,')[0].ErrorDetails.RecommendedAction | Should -Match 'nothing overrides'
        @(Get-FakeCall).Count | Should -Be 1
    }

    It 'is the same when it cannot tell, whatever the exit code' -ForEach @(
        @{ Result = 'unknown'; ExitCode = 5 }, @{ Result = 'unknown'; ExitCode = 0 }
        @{ Result = 'refuse'; ExitCode = 0 }, @{ Result = 'a word of later'; ExitCode = 0 }
    ) {
        Use-FakeCore -Document (New-RefusedPlan @{ 'disk-health' = '--override disk-health' } -Result $Result) -ExitCode $ExitCode
        $plan = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
        $plan.Guards[-1].Result | Should -BeExactly $Result
        @($problems).FullyQualifiedErrorId | Should -Be 'GuardDiskHealth,Disable-SoftwareBitLocker'
        @(Get-FakeCall).Count | Should -Be 1
    }

    It 'is told by -WhatIf too, without the What if line' {
        Use-FakeCore -Document (New-RefusedPlan @{ 'portable' = '--override portable' }) -ExitCode 5
        $out = Invoke-Child @"
Import-Module '$ManifestPath'
Disable-SoftwareBitLocker -WhatIf -ErrorVariable problems -ErrorAction SilentlyContinue | ForEach-Object Applied
@(`$problems).FullyQualifiedErrorId
"@
        @($out) | Should -Be 'False', 'GuardPortable,Disable-SoftwareBitLocker'
    }

    It 'comes up between plan and change: nothing is changed, and it is said' {
        $changed = New-RefusedPlan @{ 'plan-changed' = $null }
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document $changed -ExitCode 5
        $result = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
        $result.Applied | Should -BeFalse
        @($problems).FullyQualifiedErrorId | Should -Be 'GuardPlanChanged,Disable-SoftwareBitLocker'
    }

    It 'is an error also when the document names none' {
        Use-FakeCore -Document (Read-Document 'remediate-plan') -ExitCode 5
        $null = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems).FullyQualifiedErrorId | Should -Be 'OperationRefused,Disable-SoftwareBitLocker'
        @(Get-FakeCall).Count | Should -Be 1
    }

    It 'gives its object before -ErrorAction Stop ends the call' {
        Use-FakeCore -Document (New-RefusedPlan @{ 'portable' = '--override portable' }) -ExitCode 5
        $seen = @()
        $id = Get-ErrorId { Disable-SoftwareBitLocker -Force -ErrorAction Stop | ForEach-Object { Set-Variable -Name seen -Value $_ -Scope 2 } }
        $id | Should -BeExactly 'GuardPortable'
        $seen.PlanId | Should -BeExactly '7f3a90c2d1e4'
    }
}

Describe 'A failure' -Tag Documents {
    It 'of a step is one error, with the id of its problem, and the object (exit code 1, B56, B71)' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (Read-Document 'remediate-failed') -ExitCode 1
        $result = Disable-SoftwareBitLocker -Force -Wait -ErrorVariable problems -ErrorAction SilentlyContinue
        $result.Applied, $result.Completed, $result.InProgress, $result.Complete | Should -Be $true, $false, $false, $false
        $result.Steps.Result | Should -Be 'done', 'failed', 'not-started', 'not-started'
        $result.Steps[1].Problem.Code | Should -BeExactly 'bitlocker-busy'
        @($problems).Count | Should -Be 1
        $problems[0].FullyQualifiedErrorId | Should -BeExactly 'BitlockerBusy,Disable-SoftwareBitLocker'
        $problems[0].CategoryInfo.Category | Should -Be 'ResourceBusy'
        $problems[0].TargetObject | Should -BeExactly $VolumeC
        "$($problems[0])" | Should -Match 'FVE_E_TRANSIENT_STATE'
    }

    It 'of a step that the document does not repeat is an error too' {
        $failed = Read-Document 'remediate-failed'
        $failed.problems = @()
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document $failed -ExitCode 1
        $null = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems).FullyQualifiedErrorId | Should -Be 'BitlockerBusy,Disable-SoftwareBitLocker'
    }

    It 'of the plan is an error about what it names, and nothing is carried out: <Code>' -ForEach @(
        @{ Code = 'volume-not-found'; Id = 'VolumeNotFound'; Category = 'ObjectNotFound' }
        @{ Code = 'system-not-supported'; Id = 'SystemNotSupported'; Category = 'NotImplemented' }
        @{ Code = 'encrypted-again'; Id = 'EncryptedAgain'; Category = 'InvalidOperation' }
        @{ Code = 'journal-folder-unusable'; Id = 'JournalFolderUnusable'; Category = 'WriteError' }
    ) {
        $document = Read-Document 'remediate-plan'
        $document.problems = @(New-Problem -Code $Code -Target 'Q:')
        $document.complete = $false
        Use-FakeCore -Document $document -ExitCode 1
        $result = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
        $result.Completed | Should -BeFalse
        @($problems).FullyQualifiedErrorId | Should -Be "$Id,Disable-SoftwareBitLocker"
        $problems[0].CategoryInfo.Category | Should -Be $Category
        $problems[0].TargetObject | Should -BeExactly 'Q:'
        @(Get-FakeCall).Count | Should -Be 1
    }

    It 'that brings nothing is terminating: exit code <ExitCode>' -ForEach @(
        @{ ExitCode = 4; Code = 'needs-elevation'; Id = 'ElevationRequired' }
        @{ ExitCode = 6; Code = 'provider-unavailable'; Id = 'ProviderUnavailable' }
        @{ ExitCode = 130; Code = 'interrupted'; Id = 'Interrupted' }
        @{ ExitCode = 1; Code = 'timeout'; Id = 'CoreTimeout' }
        @{ ExitCode = 1; Code = 'internal-error'; Id = 'CoreFailed' }
        @{ ExitCode = 77; Code = 'anything'; Id = 'CoreFailed' }
    ) {
        $document = Read-Document 'remediate-plan'
        $document.plan.steps = @()
        $document.plan.guards = @()
        $document.plan.id = ''
        $document.projected = $null
        $document.complete = $false
        $document.problems = @(New-Problem -Code $Code -Text 'Why it is so.')
        Use-FakeCore -Document $document -ExitCode $ExitCode
        $record = $null
        try { $null = Disable-SoftwareBitLocker -Force } catch { $record = $_ }
        $record.FullyQualifiedErrorId | Should -BeExactly "$Id,Disable-SoftwareBitLocker"
        "$record" | Should -Match 'Why it is so\.'
        @(Get-FakeCall).Count | Should -Be 1
        # The document is there for those who ask for it.
        $json = Disable-SoftwareBitLocker -Force -AsJson -ErrorAction SilentlyContinue
        ConvertFrom-Json -InputObject $json | ForEach-Object { $_.problems[0].code } | Should -BeExactly $Code
    }

    It 'without a document is terminating: exit code <ExitCode>' -ForEach @(
        @{ ExitCode = 0; Id = 'CoreOutputInvalid' }, @{ ExitCode = 1; Id = 'CoreFailed' }, @{ ExitCode = 2; Id = 'UsageError' }
        @{ ExitCode = 4; Id = 'ElevationRequired' }, @{ ExitCode = 5; Id = 'OperationRefused' }, @{ ExitCode = 7; Id = 'OperationInProgress' }
    ) {
        Use-FakeCore -Text '' -ExitCode $ExitCode
        Get-ErrorId { Disable-SoftwareBitLocker -Force } | Should -BeExactly $Id
    }

    It 'of a run that is killed after it began is an error, with what its document tells' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (New-RunningDocument) -ExitCode 77
        $result = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue -WarningAction SilentlyContinue
        $result.Applied, $result.Completed | Should -Be $true, $false
        @($problems).FullyQualifiedErrorId | Should -Be 'CoreFailed,Disable-SoftwareBitLocker'
    }

    It 'that interrupts a run before anything was begun says so' {
        $document = Read-Document 'remediate-failed'
        $document.problems = @()
        foreach ($step in $document.steps) {
            $step.result = 'not-started'
            $step.problem = $null
        }
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document $document -ExitCode 130
        $result = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
        $result.Completed | Should -BeFalse
        @($problems).FullyQualifiedErrorId | Should -Be 'Interrupted,Disable-SoftwareBitLocker'
    }

    It 'never holds a recovery password, nor do the sources of the module (C27)' {
        $files = Get-ChildItem -LiteralPath (Split-Path -Path $ManifestPath -Parent) -Recurse -File | Where-Object FullName -NotMatch '[\\/]bin[\\/]'
        @($files | Select-String -Pattern '(\d{6}-){7}\d{6}') | Should -BeNullOrEmpty
        @($files | Select-String -Pattern 'GetKeyProtectorNumericalPassword|GetKeyProtectorExternalKey|GetKeyPackage|\.RecoveryPassword\b') | Should -BeNullOrEmpty
    }
}
