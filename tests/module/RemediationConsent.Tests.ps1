BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    $plan = Read-Document 'remediate-plan'
    $done = Read-Document 'remediate-plan'
    $done.applied = $true
    $done.steps = @($done.plan.steps | ForEach-Object { @{ id = $_.id; result = 'done'; startedAt = '2026-03-29T01:30:03Z'; endedAt = '2026-03-29T03:00:00Z'; problem = $null } })

    # Calls that were to change something.
    function Get-Change {
        , @(Get-FakeCall | Where-Object { $_ -contains '--apply' })
    }
}

Describe 'Without anybody to ask' {
    BeforeEach {
        Use-FakeCore -Document $plan
        Use-AppliedCore -Document $done
    }

    It 'it fails at once, before anything is run: pwsh <_> (C20)' -ForEach '-NonInteractive', '-noni', '-NonInter', '/noninteractive', '--noninteractive' {
        if ($_ -like '/*' -and -not $IsWindows) {
            Set-ItResult -Skipped -Because 'a slash begins a path here'
        }
        $out = Invoke-Child -Switch $_ -Script @"
Import-Module '$ManifestPath'
`$watch = [System.Diagnostics.Stopwatch]::StartNew()
try { Disable-SoftwareBitLocker } catch { `$_.FullyQualifiedErrorId; "`$(`$_.CategoryInfo.Category)"; "`$_"; `$_.ErrorDetails.RecommendedAction }
`$watch.Elapsed.TotalSeconds -lt 15
"@
        $out[0] | Should -BeExactly 'ConfirmationRequired,Disable-SoftwareBitLocker'
        $out[1] | Should -BeExactly 'InvalidOperation'
        $out[2] | Should -Match 'nobody can be asked'
        $out[3] | Should -Match '-Force.*-WhatIf'
        $out[4] | Should -BeExactly 'True' -Because 'a prompt would wait forever'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'it fails where the input is no keyboard (C20)' {
        $out = Invoke-Child -Piped -Switch @() -Script "Import-Module '$ManifestPath'; try { Disable-SoftwareBitLocker } catch { `$_.FullyQualifiedErrorId; `"`$_`" }"
        $out[0] | Should -BeExactly 'ConfirmationRequired,Disable-SoftwareBitLocker'
        if (-not $IsWindows) {
            # There the desktop or the session can be the first reason.
            $out[1] | Should -Match 'the input of the process is no keyboard'
        }
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'it fails before the upstream of a pipeline has done anything (C20)' {
        $id = Get-ErrorId { & { Set-Content -LiteralPath "$TestDrive/upstream" -Value 'ran'; 'C' } | Disable-SoftwareBitLocker }
        $id | Should -BeExactly 'ConfirmationRequired'
        Test-Path -LiteralPath "$TestDrive/upstream" | Should -BeFalse
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'it fails for each action, and with -Confirm although -Force is given: <Name>' -ForEach @(
        @{ Name = '-Prevent'; Call = { Disable-SoftwareBitLocker -Prevent } }
        @{ Name = '-Pause'; Call = { Disable-SoftwareBitLocker -Pause } }
        @{ Name = '-Resume'; Call = { Disable-SoftwareBitLocker -Resume } }
        @{ Name = '-Undo'; Call = { Disable-SoftwareBitLocker -Undo } }
        @{ Name = '-Force -Confirm'; Call = { Disable-SoftwareBitLocker -Force -Confirm } }
        @{ Name = '-Force:$false'; Call = { Disable-SoftwareBitLocker -Force:$false } }
    ) {
        Get-ErrorId $Call | Should -BeExactly 'ConfirmationRequired'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'it goes on with consent beforehand: <Name>' -ForEach @(
        @{ Name = '-Force'; Call = { Disable-SoftwareBitLocker -Force } }
        @{ Name = '-Confirm:$false'; Call = { Disable-SoftwareBitLocker -Confirm:$false } }
        @{ Name = 'ConfirmPreference None of the caller'; Call = { $ConfirmPreference = 'None'; Disable-SoftwareBitLocker } }
    ) {
        (& $Call).Completed | Should -BeTrue
        (Get-Change).Count | Should -Be 1
    }

    It 'it tells a program that shows no prompts at once' {
        $shell = [powershell]::Create()
        $null = $shell.AddScript("Import-Module '$ManifestPath'; & (Get-Module BitLockerDiskAudit) { function script:Test-NonInteractiveSwitch { `$false } }; try { Disable-SoftwareBitLocker } catch { `$_.FullyQualifiedErrorId }")
        $shell.Invoke()[0] | Should -BeExactly 'ConfirmationRequired,Disable-SoftwareBitLocker'
        $shell.Dispose()
        @(Get-FakeCall).Count | Should -Be 0
    }
}

Describe 'The switch -NonInteractive' {
    It 'is found in <_>' -ForEach '-noni', '-NONI', '-nonint', '-NonInteractive', '--noninteractive', '/NonInter', "$([char]0x2013)noni" {
        InModuleScope BitLockerDiskAudit -Parameters @{ Switch = $_ } {
            Test-NonInteractiveSwitch -Argument 'pwsh', '-NoProfile', '-ExecutionPolicy', 'Bypass', $Switch, '-File', 'a.ps1' | Should -BeTrue
        }
    }

    It 'is not seen in what is none: <_>' -ForEach @('-non'), @('-NoProfile', '-NoLogo', '-NoExit'), @('-File', 'a.ps1', '-NonInteractive'), @('-f', 'a.ps1', '-noni'), @('-Command', '-noni'), @('-c', 'x', '-noni'), @('-noninteractively'), @('noni'), @('') {
        InModuleScope BitLockerDiskAudit -Parameters @{ Arguments = @($_) } {
            Test-NonInteractiveSwitch -Argument (@('-noni') + $Arguments) | Should -BeFalse
        }
    }
}

Describe '-WhatIf' -Tag Documents {
    BeforeEach {
        Use-FakeCore -Document $plan
        Use-AppliedCore -Document $done
    }

    It 'returns the plan, says what would be done, and changes nothing: <Name>' -ForEach @(
        @{ Name = '-WhatIf'; Call = 'Disable-SoftwareBitLocker -WhatIf' }
        @{ Name = 'with -Force'; Call = 'Disable-SoftwareBitLocker -WhatIf -Force' }
        @{ Name = 'with -Confirm:$false'; Call = 'Disable-SoftwareBitLocker -WhatIf -Confirm:$false' }
        @{ Name = 'with -Wait'; Call = 'Disable-SoftwareBitLocker -Wait -WhatIf' }
        @{ Name = 'WhatIfPreference of the script that calls it, which a module does not see by itself'; Call = '& { $WhatIfPreference = $true; Disable-SoftwareBitLocker -Force }' }
        @{ Name = 'the global WhatIfPreference'; Call = '& { $global:WhatIfPreference = $true; Disable-SoftwareBitLocker -Force }' }
    ) {
        $out = @(Invoke-Child "Import-Module '$ManifestPath'; `$result = $Call; `"`$(`$result.PlanId) `$(`$result.Applied) `$(`$result.Completed)`"")
        $out.Count | Should -Be 2
        $out[0] | Should -BeLike 'What if: *1. Keep Windows from encrypting by itself*2. Decrypt C:.*3. Wait*'
        $out[1] | Should -BeExactly '7f3a90c2d1e4 False False'
        @(Get-FakeCall).Count | Should -Be 1
        (Get-Change).Count | Should -Be 0
    }

    It 'says nothing when nothing is to be done' {
        $document = Read-Document 'remediate-plan'
        $document.plan.steps = @()
        Use-FakeCore -Document $document
        @(Invoke-Child "Import-Module '$ManifestPath'; (Disable-SoftwareBitLocker -WhatIf).Completed") | Should -Be 'True'
    }
}

Describe '-Recording' {
    It 'plans only, and asks nothing, with -Force too' {
        Use-FakeCore -Document $plan
        Use-AppliedCore -Document $done
        (Disable-SoftwareBitLocker -Recording 'facts.json').Applied | Should -BeFalse
        (Disable-SoftwareBitLocker -Recording 'facts.json' -Force).Applied | Should -BeFalse
        (Get-Change).Count | Should -Be 0
        @(Get-FakeCall)[0] -match '^--recording=.*facts\.json$' | Should -Not -BeNullOrEmpty
    }
}

Describe '-OfflineHive' {
    It 'plans only, asks nothing, and gives the commands to run by hand' {
        $document = Read-Document 'remediate-plan'
        $document.plan.action = 'prevent'
        $document.plan.steps = @($document.plan.steps[0])
        $document.plan.commands = @('reg load HKLM\Offline "W:\SYSTEM"', 'reg unload HKLM\Offline')
        $document.problems = @(New-Problem -Code 'run-by-hand' -Level warning -Text 'Nothing was changed.')
        Use-FakeCore -Document $document
        Use-AppliedCore -Document $done
        $result = Disable-SoftwareBitLocker -Prevent -OfflineHive 'SYSTEM' -WarningVariable warnings -WarningAction SilentlyContinue
        $result.Commands | Should -BeExactly 'reg load HKLM\Offline "W:\SYSTEM"', 'reg unload HKLM\Offline'
        $result.Applied, $result.Completed | Should -Be $false, $false
        "$warnings" | Should -BeExactly 'Nothing was changed.'
        (Get-Change).Count | Should -Be 0
        $result | Out-String -Width 79 | Should -Match 'Commands : reg load'
    }
}

Describe 'The question' -Tag Documents {
    It 'lists the steps in order with their time, what is overridden, and what must not be done meanwhile' {
        $document = Read-Document 'remediate-plan'
        $document.plan.guards += @{ id = 'on-battery'; target = 'machine'; result = 'overridden'; text = 'The battery is at 20 %.'; override = '--override on-battery' }
        Use-FakeCore -Document $document
        $planned = Disable-SoftwareBitLocker -Recording a
        $text = InModuleScope BitLockerDiskAudit -Parameters @{ Planned = $planned } { ConvertTo-ConsentText -Plan $Planned }
        $lines = $text.Query -split "`n"
        $lines[1] | Should -BeLike '  1. Keep Windows from encrypting*'
        $lines[2] | Should -BeLike '  2. Decrypt C:*'
        $lines[3] | Should -BeExactly '  3. Wait until C: is decrypted. About 81 minutes.'
        $text.Query | Should -Match 'overridden:\n  on-battery: The battery is at 20 %\.'
        $lines[-1] | Should -Match 'being rewritten.*nothing must be reinstalled, reset or repartitioned'
        $text.Description | Should -Not -Match "`n"
    }

    It 'says nothing of rewriting where nothing is rewritten' {
        $document = Read-Document 'remediate-plan'
        $document.plan.steps = @($document.plan.steps[0])
        Use-FakeCore -Document $document
        $planned = Disable-SoftwareBitLocker -Prevent -Recording a
        (InModuleScope BitLockerDiskAudit -Parameters @{ Planned = $planned } { ConvertTo-ConsentText -Plan $Planned }).Query | Should -Not -Match 'rewritten'
    }

    It 'tells spans as people do' {
        InModuleScope BitLockerDiskAudit {
            $spans = @{ 0 = '0 seconds'; 40.4 = '40 seconds'; 90 = '2 minutes'; 4680 = '78 minutes'; 7170 = '2 h 0 min'; 86340 = '23 h 59 min'; 187200 = '2 days 4 h' }
            foreach ($seconds in $spans.Keys) {
                ConvertTo-SpanText -Seconds $seconds | Should -BeExactly $spans[$seconds]
            }
        }
    }
}
