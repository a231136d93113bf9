# Disable-SoftwareBitLocker with the executable in PowerShell for Windows, on the simulated computers of
# remediation_linux_test.go. Not one of the *.Tests.ps1: these need that test around them.

BeforeAll {
    $executable = $env:DISKAUDIT_PATH
    . $PSScriptRoot/../Testbed.ps1
    $computers = ConvertFrom-Json -InputObject $env:DISKAUDIT_TEST_COMPUTERS -AsHashtable
    $idC = '\\?\Volume{00000000-0000-0000-0000-000000000043}\'

    # From here on programs run on this computer.
    function Use-Computer {
        param([string] $Name)
        $env:DISKAUDIT_RIG = $computers[$Name]
        $env:DISKAUDIT_PATH = $executable
    }

    function Get-Conversion {
        (Get-BitLockerDiskAudit -MountPoint C -ErrorAction SilentlyContinue).Conversion
    }

    # The guards that cannot tell here: Wine has no disks whose health could be read, and more.
    function Get-UnknownGuard {
        $plan = Get-BitLockerDiskAudit -MountPoint C -ErrorAction SilentlyContinue | Disable-SoftwareBitLocker -WhatIf -ErrorAction SilentlyContinue -WarningAction SilentlyContinue
        $plan | ConvertTo-Json -Depth 5 | Add-Content -LiteralPath $env:DISKAUDIT_TEST_TRANSCRIPT
        @($plan.Guards | Where-Object Result -EQ 'refuse') | Should -BeNullOrEmpty -Because "$($plan.Guards | Where-Object Result -EQ 'refuse' | ForEach-Object Text)"
        @($plan.Guards | Where-Object Result -EQ 'unknown' | ForEach-Object Id | Select-Object -Unique)
    }
}

AfterAll {
    $env:DISKAUDIT_RIG = ''
    $env:DISKAUDIT_PATH = ''
}

Describe 'Get-BitLockerDiskAudit | Disable-SoftwareBitLocker' {
    It 'with -WhatIf shows the plan and changes nothing' {
        Use-Computer 'refusing'
        $plan = Get-BitLockerDiskAudit -ErrorAction SilentlyContinue | Disable-SoftwareBitLocker -WhatIf -ErrorAction SilentlyContinue
        $plan.Action | Should -BeExactly 'decrypt'
        $plan.Applied | Should -BeFalse
        $plan.Steps.Change | Should -Be 'set-prevent-device-encryption', 'decrypt', 'wait', 'verify'
        $plan.Steps[1].Target | Should -BeExactly $idC
        $plan.Steps[1].MountPoint | Should -BeExactly 'C:'
        $plan.Steps[1].Before | Should -BeExactly 'FullyEncrypted'
        ($plan.Projected | Where-Object VolumeId -EQ $idC).Conversion | Should -BeExactly 'FullyDecrypted'
        Get-Conversion | Should -BeExactly 'FullyEncrypted'
    }

    It 'is refused where a guard cannot tell, and nothing is changed' {
        Use-Computer 'refusing'
        $unknown = Get-UnknownGuard
        $unknown.Count | Should -BeGreaterThan 0
        $result = Get-BitLockerDiskAudit -MountPoint C -ErrorAction SilentlyContinue | Disable-SoftwareBitLocker -Force -Wait -ErrorVariable problems -ErrorAction SilentlyContinue
        $result.Applied | Should -BeFalse
        @($problems | ForEach-Object FullyQualifiedErrorId | Where-Object { $_ -notmatch '^Guard' }) | Should -BeNullOrEmpty
        @($problems).Count | Should -BeGreaterOrEqual $unknown.Count
        Get-Conversion | Should -BeExactly 'FullyEncrypted'
    }

    It 'without anybody to ask fails at once (C20)' {
        Use-Computer 'refusing'
        $out = Invoke-Child @"
Import-Module '$ManifestPath'
`$watch = [System.Diagnostics.Stopwatch]::StartNew()
try { Disable-SoftwareBitLocker } catch { `$_.FullyQualifiedErrorId }
`$watch.Elapsed.TotalSeconds.ToString([cultureinfo]::InvariantCulture)
"@
        $out[0] | Should -BeExactly 'ConfirmationRequired,Disable-SoftwareBitLocker'
        Add-Content -LiteralPath $env:DISKAUDIT_TEST_TRANSCRIPT -Value "ConfirmationRequired after $($out[1]) s"
        [double]$out[1] | Should -BeLessThan 15 -Because 'a prompt would wait forever'
    }

    It 'needs elevation' {
        Use-Computer 'refusing'
        $out = Invoke-Child -Through $env:DISKAUDIT_TEST_LIMITED -Script "Import-Module '$ManifestPath'; try { Disable-SoftwareBitLocker -Force } catch { `$_.FullyQualifiedErrorId }"
        @($out)[-1] | Should -BeExactly 'ElevationRequired,Disable-SoftwareBitLocker'
    }

    It 'with -Force -Wait decrypts, shows the progress, and is confirmed by a fresh look (B55)' {
        Use-Computer 'decrypting'
        $unknown = Get-UnknownGuard
        $script:seen = @()
        Mock -ModuleName BitLockerDiskAudit -CommandName Write-Progress -MockWith {
            $script:seen += @{ Activity = "$Activity"; Status = "$Status"; Percent = $PercentComplete; Completed = [bool]$Completed }
        }
        $ProgressPreference = 'Continue'
        $result = Get-BitLockerDiskAudit -MountPoint C -ErrorAction SilentlyContinue |
            Disable-SoftwareBitLocker -Force -Wait -Override $unknown -TimeoutSeconds 300 -ErrorVariable problems -ErrorAction SilentlyContinue -WarningAction SilentlyContinue
        $result | ConvertTo-Json -Depth 5 | Add-Content -LiteralPath $env:DISKAUDIT_TEST_TRANSCRIPT
        $seen | ForEach-Object { "$($_.Activity): $($_.Status) $($_.Percent)" } | Add-Content -LiteralPath $env:DISKAUDIT_TEST_TRANSCRIPT
        @($problems | ForEach-Object { "$($_.FullyQualifiedErrorId) $_" }) | Should -BeNullOrEmpty
        $result.Applied, $result.Completed, $result.InProgress | Should -Be $true, $true, $false
        $result.Steps.Result | Should -Be 'done', 'done', 'done', 'done'
        @($result.Guards | Where-Object Result -EQ 'overridden' | ForEach-Object Id | Select-Object -Unique | Sort-Object) | Should -Be @($unknown | Sort-Object)
        $result.Journal | Should -BeLike '*\BitLockerDiskAudit\journal\*'
        Test-Path -LiteralPath $result.Journal | Should -BeTrue
        $decrypting = @($seen | Where-Object Status -Match '^Decrypting: \d+ %$')
        $decrypting.Count | Should -BeGreaterThan 0
        $decrypting[0].Activity | Should -BeLike 'Decrypting \\?\Volume*'
        $seen[-1].Completed | Should -BeTrue
        Get-Conversion | Should -BeExactly 'FullyDecrypted'
    }

    It 'has nothing more to do the second time' {
        Use-Computer 'decrypting'
        $again = Disable-SoftwareBitLocker -MountPoint C -Force -Wait -ErrorVariable problems
        @($problems).Count | Should -Be 0
        $again.Completed | Should -BeTrue
        $again.Steps.Count | Should -Be 0
    }
}
