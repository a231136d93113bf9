BeforeAll {
    . $PSScriptRoot/Testbed.ps1
    $env:DISKAUDIT_PATH = ''
}

Describe 'The executable of this computer' {
    It 'is in bin/<Expected> for <System> on <Architecture>' -ForEach @(
        @{ System = 'Windows'; Architecture = 'AMD64'; Expected = 'win-x64' }
        @{ System = 'Windows'; Architecture = 'ARM64'; Expected = 'win-arm64' }
        @{ System = 'Linux'; Architecture = 'X64'; Expected = 'linux-x64' }
        @{ System = 'Linux'; Architecture = 'Arm64'; Expected = 'linux-arm64' }
        @{ System = 'Windows'; Architecture = 'x86'; Expected = '' }
        @{ System = 'Windows'; Architecture = ''; Expected = '' }
        @{ System = 'macOS'; Architecture = 'Arm64'; Expected = '' }
    ) {
        InModuleScope BitLockerDiskAudit -Parameters @{ System = $System; Architecture = $Architecture; Expected = $Expected } {
            "$(ConvertTo-PlatformName -System $System -Architecture $Architecture)" | Should -BeExactly $Expected
        }
    }

    It 'is looked for by an absolute path below the module' {
        InModuleScope BitLockerDiskAudit {
            foreach ($case in @('Windows', 'ARM64', 'bin/win-arm64/diskaudit.exe'), @('Linux', 'X64', 'bin/linux-x64/diskaudit')) {
                $machine = @{ System = $case[0]; Architecture = $case[1] }
                Mock Get-NativeMachine { $machine }
                $path = (Get-DiskAuditPath).Path
                [System.IO.Path]::IsPathRooted($path) | Should -BeTrue
                $path.Replace('\', '/') | Should -BeLike "*/module/$($case[2])"
            }
        }
    }

    It 'is that of the computer in a 32-bit or emulated process on Windows (C30)' {
        if (-not $IsWindows) {
            Set-ItResult -Skipped -Because 'this is not Windows'
        }
        InModuleScope BitLockerDiskAudit {
            $before = $env:PROCESSOR_ARCHITECTURE
            try {
                $env:PROCESSOR_ARCHITECTURE = 'x86'
                (Get-NativeMachine).Architecture | Should -Be 'AMD64'
                Mock Get-ItemProperty { }
                $env:PROCESSOR_ARCHITEW6432 = 'ARM64'
                (Get-NativeMachine).Architecture | Should -Be 'ARM64'
                $env:PROCESSOR_ARCHITEW6432 = ''
                (Get-NativeMachine).Architecture | Should -Be 'x86'
            }
            finally {
                $env:PROCESSOR_ARCHITECTURE = $before
                $env:PROCESSOR_ARCHITEW6432 = ''
            }
        }
    }

    It 'is known for the computer that runs this test' {
        InModuleScope BitLockerDiskAudit {
            $machine = Get-NativeMachine
            ConvertTo-PlatformName @machine | Should -Match '^(win|linux)-(x64|arm64)$'
        }
    }
}
