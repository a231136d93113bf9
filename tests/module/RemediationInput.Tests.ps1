BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    # What the executable was called with for the plan, without the verb and the format.
    function Get-PlanArgument {
        $calls = @(Get-FakeCall)
        $calls.Count | Should -Be 1
        @($calls[0] | Select-Object -Skip 2)
    }
}

Describe 'Parameters' {
    BeforeEach {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
    }

    It 'become flags: <Name>' -ForEach @(
        @{ Name = 'none'; Call = { Disable-SoftwareBitLocker -WhatIf }; Flags = , '--action=decrypt' }
        @{ Name = '-Prevent'; Call = { Disable-SoftwareBitLocker -Prevent -WhatIf }; Flags = , '--action=prevent' }
        @{ Name = '-Pause'; Call = { Disable-SoftwareBitLocker -Pause -MountPoint c -WhatIf }; Flags = '--action=pause', '--volume=C:' }
        @{ Name = '-Resume'; Call = { Disable-SoftwareBitLocker -Resume -WhatIf }; Flags = , '--action=resume' }
        @{ Name = '-Undo'; Call = { Disable-SoftwareBitLocker -Undo -Override Changed-Since -WhatIf }; Flags = '--action=undo', '--override=changed-since' }
        @{ Name = 'volumes'; Call = { Disable-SoftwareBitLocker 'c:\', 'D', '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000003}\' -WhatIf }; Flags = '--action=decrypt', '--volume=C:', '--volume=D:', '--volume=\\?\Volume{9f0c1d2e-0000-4000-8000-000000000003}' }
        @{ Name = 'the rest'; Call = { Disable-SoftwareBitLocker -Override portable, ' on-battery' -ClearAutoUnlock -SpeedUpConversion -Wait -TimeoutSeconds 7200 -ExpectPlan 7f3a -WhatIf }; Flags = '--action=decrypt', '--override=portable', '--override=on-battery', '--clear-auto-unlock', '--speed-up-conversion', '--timeout=7200s', '--expect-plan=7f3a' }
    ) {
        $null = & $Call
        Get-PlanArgument | Should -BeExactly $Flags
    }

    It 'name files by absolute paths' {
        $hive = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'SYSTEM'
        [System.IO.File]::WriteAllText($hive, '')
        $null = Disable-SoftwareBitLocker -Prevent -OfflineHive $hive -WhatIf
        Get-PlanArgument | Should -BeExactly '--action=prevent', "--offline-hive=$hive"
    }

    It 'are passed to the change as to the plan' {
        Use-AppliedCore -Document (Read-Document 'remediate-failed') -ExitCode 1
        $null = Disable-SoftwareBitLocker C -Override portable -ClearAutoUnlock -TimeoutSeconds 60 -ExpectPlan 7f3a90c2d1e4 -Force -ErrorAction SilentlyContinue
        $calls = @(Get-FakeCall)
        $calls[0] | Should -BeExactly 'remediate', '--format=json', '--action=decrypt', '--override=portable', '--clear-auto-unlock', '--timeout=60s', '--volume=C:', '--expect-plan=7f3a90c2d1e4'
        $calls[1] | Should -BeExactly 'remediate', '--format=json', '--action=decrypt', '--override=portable', '--clear-auto-unlock', '--timeout=60s', '--volume=C:', '--apply', '--expect-plan=7f3a90c2d1e4', '--wait=false'
    }

    It 'of another action than decrypting have no --wait' {
        Use-AppliedCore -Document (Read-Document 'remediate-failed') -ExitCode 1
        foreach ($action in 'Prevent', 'Pause', 'Resume', 'Undo') {
            $more = @{ $action = $true }
            $null = Disable-SoftwareBitLocker @more -Force -ErrorAction SilentlyContinue
        }
        @(Get-FakeCall).Count | Should -Be 8
        @(Get-FakeCall | ForEach-Object { $_ } | Where-Object { $_ -match '^--wait' }) | Should -BeNullOrEmpty
    }

    It 'that cannot be meant end the call before anything is run: <Name>' -ForEach @(
        @{ Name = 'an empty name'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker '' -Force } }
        @{ Name = 'an empty name among others'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker 'C', '' -Force } }
        @{ Name = '$null'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker -MountPoint $null -Force } }
        @{ Name = 'an empty list'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker -MountPoint @() -Force } }
        @{ Name = 'an empty override'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker -Override '' -Force } }
        @{ Name = 'an empty plan'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker -ExpectPlan '' -Force } }
        @{ Name = 'an empty recording'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker -Recording '' -Force } }
        @{ Name = 'a switch turned off'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker -Prevent:$false -Force } }
        @{ Name = '-SpeedUpConversion without -Wait'; Id = 'ParametersConflict'; Call = { Disable-SoftwareBitLocker -SpeedUpConversion -Force } }
        @{ Name = 'two actions'; Id = 'AmbiguousParameterSet'; Call = { Disable-SoftwareBitLocker -Prevent -Undo -Force } }
        @{ Name = '-Undo of a volume'; Id = 'AmbiguousParameterSet'; Call = { Disable-SoftwareBitLocker -Undo -MountPoint C -Force } }
        @{ Name = 'no time'; Id = 'ParameterArgumentValidationError'; Call = { Disable-SoftwareBitLocker -TimeoutSeconds 0 -Force } }
        @{ Name = 'a quote'; Id = 'ArgumentInvalid'; Call = { Disable-SoftwareBitLocker 'C"' -Force } }
    ) {
        Get-ErrorId $Call | Should -BeExactly $Id
        @(Get-FakeCall).Count | Should -Be 0
    }
}

Describe 'The pipeline' {
    BeforeEach {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
    }

    It 'of two volumes is one run, by their ids' {
        Use-FakeCore -Document (New-StatusDocument)
        $volumes = @(Get-BitLockerDiskAudit)[0, 2]
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (Read-Document 'remediate-failed') -ExitCode 1
        $result = @($volumes | Disable-SoftwareBitLocker -Force -ErrorAction SilentlyContinue)
        $result.Count | Should -Be 1
        $calls = @(Get-FakeCall)
        $calls.Count | Should -Be 2
        foreach ($call in $calls) {
            @($call -match '^--volume=') | Should -BeExactly "--volume=$($VolumeC.TrimEnd('\'))", "--volume=$($VolumeD.TrimEnd('\'))"
        }
    }

    It 'takes <Name>' -ForEach @(
        @{ Name = 'letters'; Object = 'C', 'd:', 'C:\'; Volumes = '--volume=C:', '--volume=D:' }
        @{ Name = 'objects of Get-Volume'; Object = , [pscustomobject]@{ DriveLetter = [char]'C'; Path = '\\?\Volume{1}\' }; Volumes = , '--volume=C:' }
        @{ Name = 'objects of Get-BitLockerVolume'; Object = , [pscustomobject]@{ MountPoint = 'D:'; VolumeType = 'Data' }; Volumes = , '--volume=D:' }
        @{ Name = 'a volume without a letter'; Object = , [pscustomobject]@{ DriveLetter = [char]0; Path = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}\' }; Volumes = , '--volume=\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}' }
    ) {
        $null = $Object | Disable-SoftwareBitLocker -WhatIf
        @((Get-PlanArgument) -match '^--volume=') | Should -BeExactly $Volumes
    }

    It 'passes on what is not encrypted by software: the executable decides' {
        $plain = [pscustomobject]@{ PSTypeName = 'BitLockerDiskAudit.Volume'; MountPoint = 'E:'; VolumeId = $VolumeNoLetter; Source = 'windows'; Engine = 'none'; Conversion = 'FullyDecrypted' }
        $null = $plain | Disable-SoftwareBitLocker -WhatIf
        Get-PlanArgument | Should -Contain "--volume=$($VolumeNoLetter.TrimEnd('\'))"
    }

    It 'that is empty does nothing, not even for all volumes' {
        @() | Disable-SoftwareBitLocker -Force | Should -BeNullOrEmpty
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'with nothing usable does nothing: <Name>' -ForEach @(
        @{ Name = '$null'; Object = $null }
        @{ Name = 'an empty text'; Object = ' ' }
        @{ Name = 'a number'; Object = 7 }
        @{ Name = 'a volume of a recording'; Object = [pscustomobject]@{ PSTypeName = 'BitLockerDiskAudit.Volume'; MountPoint = 'C:'; VolumeId = 'x'; Source = 'recording'; DiskId = $null } }
        @{ Name = 'a volume of an image'; Object = [pscustomobject]@{ PSTypeName = 'BitLockerDiskAudit.Volume'; MountPoint = 'a.vhd#partition1'; VolumeId = 'a.vhd#partition1'; Source = 'image'; DiskId = 'a.vhd' } }
    ) {
        $Object | Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue | Should -BeNullOrEmpty
        @($problems)[-1].FullyQualifiedErrorId | Should -BeExactly 'InputNotUsable,Disable-SoftwareBitLocker'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'with something unusable stops before any change when the caller stops at errors' {
        Get-ErrorId { 'C', [pscustomobject]@{ Colour = 'red' } | Disable-SoftwareBitLocker -Force -ErrorAction Stop } | Should -BeExactly 'InputNotUsable'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'takes volumes of a recording with -Recording' {
        $volume = [pscustomobject]@{ PSTypeName = 'BitLockerDiskAudit.Volume'; MountPoint = 'C:'; VolumeId = $VolumeC; Source = 'recording'; DiskId = $null }
        $null = $volume | Disable-SoftwareBitLocker -Recording 'facts.json'
        Get-PlanArgument | Should -Contain "--volume=$($VolumeC.TrimEnd('\'))"
    }
}
