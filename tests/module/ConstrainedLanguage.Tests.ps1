BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    # Imports and runs the module in a session in Constrained Language Mode. The script's lines
    # come back; it may use $calls, the number of runs so far.
    function Invoke-Constrained {
        param([string] $Script)
        @(Invoke-Child @"
`$ExecutionContext.SessionState.LanguageMode = 'ConstrainedLanguage'
Import-Module '$ManifestPath'
`$ExecutionContext.SessionState.LanguageMode
$Script
"@)
    }
}

Describe 'Constrained Language Mode (C52)' {
    It 'gives the same objects' {
        Use-FakeCore -Document (New-StatusDocument) -ErrorText "noise`n"
        $expected = Get-BitLockerDiskAudit | ConvertTo-Json -Depth 5 -Compress
        $detailed = Get-BitLockerDiskAudit -Detailed | ConvertTo-Json -Depth 5 -Compress
        $out = Invoke-Constrained @'
Get-BitLockerDiskAudit | ConvertTo-Json -Depth 5 -Compress -EscapeHandling EscapeNonAscii
Get-BitLockerDiskAudit -Detailed | ConvertTo-Json -Depth 5 -Compress -EscapeHandling EscapeNonAscii
Get-BitLockerDiskAudit | ForEach-Object { $_.PSTypeNames[0] + ' ' + $_.CollectedAt.Kind }
'@
        $out[0] | Should -Be 'ConstrainedLanguage'
        ConvertFrom-Json -InputObject $out[1] | ConvertTo-Json -Depth 5 -Compress | Should -BeExactly $expected
        ConvertFrom-Json -InputObject $out[2] | ConvertTo-Json -Depth 5 -Compress | Should -BeExactly $detailed
        $out[3] | Should -BeExactly 'BitLockerDiskAudit.Volume Utc'
    }

    It 'gives the same ids of errors' -Tag Documents {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 2 -Problem (New-Problem -Code 'volume-locked' -Text 'D: is locked.')
        Use-FakeCore -Document $document -ExitCode 3
        $out = Invoke-Constrained @'
$volumes = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
"$($volumes.Count) $(@($problems)[-1].FullyQualifiedErrorId) $(@($problems)[-1].CategoryInfo.Category) $(@($problems)[-1].TargetObject) $(@($problems)[-1].ErrorDetails.RecommendedAction)"
try { $null = Get-BitLockerDiskAudit -ErrorAction Stop; 'none' } catch { $_.FullyQualifiedErrorId }
$env:FAKECORE_STDOUT = ''
foreach ($code in '0', '1', '2', '4', '77') {
    $env:FAKECORE_EXIT = $code
    try { $null = Get-BitLockerDiskAudit; 'none' } catch { $_.FullyQualifiedErrorId + ' ' + $_.CategoryInfo.Category }
}
$env:DISKAUDIT_PATH = 'nowhere'
try { $null = Get-BitLockerDiskAudit; 'none' } catch { $_.FullyQualifiedErrorId }
try { $null = Get-BitLockerDiskAudit -MountPoint ''; 'none' } catch { $_.FullyQualifiedErrorId }
'@
        $out[1] | Should -BeLike "3 VolumeLocked,Get-BitLockerDiskAudit ResourceUnavailable $VolumeD Unlock*"
        $out[2] | Should -BeExactly 'VolumeLocked,Get-BitLockerDiskAudit'
        $out[3] | Should -BeExactly 'CoreOutputInvalid,Get-BitLockerDiskAudit ParserError'
        $out[4] | Should -BeExactly 'CoreFailed,Get-BitLockerDiskAudit InvalidResult'
        $out[5] | Should -BeExactly 'UsageError,Get-BitLockerDiskAudit InvalidArgument'
        $out[6] | Should -BeExactly 'ElevationRequired,Get-BitLockerDiskAudit PermissionDenied'
        $out[7] | Should -BeExactly 'CoreFailed,Get-BitLockerDiskAudit InvalidResult'
        $out[8] | Should -BeExactly 'CoreNotFound,Get-BitLockerDiskAudit'
        $out[9] | Should -BeExactly 'ArgumentInvalid,Get-BitLockerDiskAudit'
    }

    It 'takes the pipeline and shows the table' {
        Use-FakeCore -Document (New-StatusDocument)
        $image = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'c.vhdx'
        [System.IO.File]::WriteAllText($image, '')
        $out = Invoke-Constrained @"
'C' | Get-BitLockerDiskAudit | Out-Null
Get-Item -LiteralPath '$image' | Get-BitLockerDiskAudit | Out-Null
Get-BitLockerDiskAudit | Get-BitLockerDiskAudit | Out-Null
Get-BitLockerDiskAudit | Select-Object -First 1 | Out-String -Width 120
Get-BitLockerDiskAudit -Detailed | Out-String -Width 120
"@
        $calls = @(Get-FakeCall)
        $calls[0][2] | Should -BeExactly '--volume=C:'
        $calls[1][2] | Should -BeExactly "--image=$image"
        @($calls[3] -match '^--volume=').Count | Should -Be 3
        "$out" | Should -Match 'C:\s+FullyEncrypted 100%\s+On \(protected\)'
        "$out" | Should -Match '2026-03-29 01:30:00 UTC'
    }

    It 'gives the same benches, answers and profiles' -Tag Documents {
        Use-FakeCore -Document (Read-Document 'bench-material')
        $expected = Test-NvmeLatency C | ConvertTo-Json -Depth 6 -Compress
        $out = Invoke-Constrained @'
Test-NvmeLatency C -Duration 0:00:10 -Size 4GB -BlockSize 4K | ConvertTo-Json -Depth 6 -Compress -EscapeHandling EscapeNonAscii
Test-NvmeLatency C -Quiet
'C' | Test-NvmeLatency | Out-String -Width 79
'@
        $out[0] | Should -Be 'ConstrainedLanguage'
        ConvertFrom-Json -InputObject $out[1] | ConvertTo-Json -Depth 6 -Compress | Should -BeExactly $expected
        $out[2] | Should -BeExactly 'False'
        "$out" | Should -Match 'RND4K-Q1T1-read +19400 +79\.5 +51\.0 +88\.0'
        "$out" | Should -Match 'Verdict: material \(evidence: paired\)\.'
        $calls = @(Get-FakeCall)
        $calls[1] | Should -Contain '--duration=10000ms'
        $calls[1] | Should -Contain '--size=4294967296'
        $calls[1] | Should -Contain '--block=4096'
        $calls[3] | Should -Contain '--target=C:'
        Use-FakeCore -Document (Read-Document 'bench-profiles')
        (Invoke-Constrained '(Test-NvmeLatency -ListProfile).Tests.Test -join ","')[1] | Should -Match '^RND4K-Q1T1-read,RND4K-Q1T1-write,'
    }

    It 'shows progress while the executable runs' {
        Use-FakeCore -Document (Read-Document 'bench-material') -Progress '{"stage":"measure","done":1,"total":4,"unit":"rounds","etaSeconds":3}', '{"stage":"measure","done":4,"total":4,"unit":"rounds","etaSeconds":0}'
        $env:FAKECORE_GATE = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'gate of the constrained'
        $out = Invoke-Constrained @'
function global:Write-Progress {
    param($Id, $Activity, $Status, $PercentComplete, $SecondsRemaining, [switch] $Completed)
    Set-Content -LiteralPath $env:FAKECORE_GATE -Value 'open'
    $global:seen += @("$Activity $Status $PercentComplete $SecondsRemaining $Completed")
}
$global:seen = @()
$tests = (Test-NvmeLatency C -ErrorVariable problems).Tests
$global:seen
"$($tests.Count) $(@($problems | Where-Object { $_ }).Count)"
'@
        $out[1] | Should -BeExactly 'Measuring C: Running the tests: 1 of 4 rounds 25 3 False'
        $out[2] | Should -BeExactly 'Measuring C: Running the tests: 4 of 4 rounds 100 -1 False'
        $out[3] | Should -BeExactly 'Measuring C:    True'
        $out[4] | Should -BeExactly '3 0'
    }

    It 'gives the same ids of errors for a bench' -Tag Documents {
        Use-FakeCore -Document (Read-Document 'bench-no-space') -ExitCode 1
        $out = Invoke-Constrained @'
$null = Test-NvmeLatency D -ErrorVariable problems -ErrorAction SilentlyContinue
"$(@($problems)[-1].FullyQualifiedErrorId) $(@($problems)[-1].CategoryInfo.Category) $(@($problems)[-1].CategoryInfo.Activity) $(@($problems)[-1].TargetObject)"
try { $null = Test-NvmeLatency D -Size nonsense; 'none' } catch { $_.FullyQualifiedErrorId }
$env:DISKAUDIT_PATH = 'nowhere'
try { $null = Test-NvmeLatency D; 'none' } catch { $_.FullyQualifiedErrorId }
'@
        $out[1] | Should -BeExactly 'NoSpace,Test-NvmeLatency ResourceUnavailable Test-NvmeLatency D:\'
        $out[2] | Should -BeExactly 'ArgumentInvalid,Test-NvmeLatency'
        $out[3] | Should -BeExactly 'CoreNotFound,Test-NvmeLatency'
    }

    It 'asks nobody: what needs consent fails at once, -WhatIf plans, -Force carries out (C20)' {
        $done = Read-Document 'remediate-failed'
        $done.problems = @()
        foreach ($step in $done.steps) {
            $step.result = 'done'
            $step.problem = $null
        }
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document $done
        $out = Invoke-Constrained @'
try { Disable-SoftwareBitLocker } catch { $_.FullyQualifiedErrorId + ' ' + $_.CategoryInfo.Category }
try { Disable-SoftwareBitLocker -Force -Confirm } catch { $_.FullyQualifiedErrorId }
(Disable-SoftwareBitLocker -WhatIf).Steps[0].Undo
'C' | Disable-SoftwareBitLocker -Force -Wait | ForEach-Object { $_.PSTypeNames[0] + " $($_.Completed) $($_.Steps.Count)" }
Disable-SoftwareBitLocker -WhatIf | Out-String -Width 79
'@
        $out[1] | Should -BeExactly 'ConfirmationRequired,Disable-SoftwareBitLocker InvalidOperation'
        $out[2] | Should -BeExactly 'ConfirmationRequired,Disable-SoftwareBitLocker'
        $out[3] | Should -BeLike 'What if: *1. Keep Windows from encrypting by itself*'
        $out[4] | Should -BeExactly 'Disable-SoftwareBitLocker -Undo puts back what was there.'
        $out[5] | Should -BeExactly 'BitLockerDiskAudit.Remediation True 4'
        "$out" | Should -Match 'Verdict : Planned'
        $calls = @(Get-FakeCall)
        $calls.Count | Should -Be 4
        @($calls | Where-Object { $_ -contains '--apply' }).Count | Should -Be 1
        $calls[2] | Should -Contain '--expect-plan=7f3a90c2d1e4'
    }

    It 'gives the same errors for guards' -Tag Documents {
        $document = Read-Document 'remediate-plan'
        $document.plan.guards += @{ id = 'portable'; target = 'machine'; result = 'refuse'; text = 'It is portable.'; override = '--override portable' }
        Use-FakeCore -Document $document -ExitCode 5
        $out = Invoke-Constrained @'
$plan = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
"$($plan.Applied) $(@($problems)[-1].FullyQualifiedErrorId) $(@($problems)[-1].CategoryInfo.Category) $(@($problems)[-1].ErrorDetails.RecommendedAction)"
'@
        $out[1] | Should -BeLike 'False GuardPortable,Disable-SoftwareBitLocker SecurityError *-Override portable'
    }
}
