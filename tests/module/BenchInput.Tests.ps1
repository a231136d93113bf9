BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    # The arguments of the only call, without the fixed ones.
    function Get-CallArgument {
        $calls = @(Get-FakeCall)
        $calls.Count | Should -Be 1 -Because 'the executable runs once'
        $calls[0][0, 1] | Should -Be 'bench', '--format=json'
        @($calls[0] | Select-Object -Skip 2 | Where-Object { $_ -ne '--progress' })
    }

    # The targets of all calls, in order.
    function Get-CallTarget {
        foreach ($call in Get-FakeCall) {
            @($call -match '^--target=') -replace '^--target='
        }
    }
}

Describe 'The parameters of Test-NvmeLatency' {
    BeforeEach {
        Use-FakeCore -Document (Read-Document 'bench-material')
    }

    It 'are these, with these sets' {
        $command = Get-Command -Name Test-NvmeLatency
        $common = [System.Management.Automation.PSCmdlet]::CommonParameters
        $command.Parameters.Keys | Where-Object { $_ -notin $common } | Should -Be 'MountPoint', 'Profile', 'Operation', 'Pattern',
            'BlockSize', 'QueueDepth', 'ThreadCount', 'Durability', 'Rounds', 'Upper', 'Lower', 'LowerOffset', 'Twin', 'Duration',
            'PenaltyDuration', 'NoPenalty', 'Size', 'MaxWritten', 'Baseline', 'ThresholdPercent', 'FailOn', 'Quiet', 'ListProfile',
            'AsJson', 'Identify', 'TimeoutSeconds'
        $command.ParameterSets.Name | Sort-Object | Should -Be 'Custom', 'List', 'Paths', 'Profile'
        $command.DefaultParameterSet | Should -Be 'Profile'
    }

    It 'that are left out are not passed at all: the executable measures the current folder (C11)' {
        $null = Test-NvmeLatency
        Get-CallArgument | Should -BeNullOrEmpty
    }

    It '-MountPoint <Value> becomes --target <Expected> (B18)' -ForEach @(
        @{ Value = 'C'; Expected = 'C:' }
        @{ Value = 'c:'; Expected = 'C:' }
        @{ Value = 'C:\'; Expected = 'C:' }
        @{ Value = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}\'; Expected = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}/' }
        @{ Value = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}'; Expected = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}/' }
        @{ Value = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}\data\'; Expected = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}\data' }
        @{ Value = '\\.\PhysicalDrive1'; Expected = '\\.\PhysicalDrive1' }
        @{ Value = 'Q:\mnt\data\'; Expected = 'Q:\mnt\data' }
        @{ Value = '/no/such/device'; Expected = '/no/such/device' }
    ) {
        $null = Test-NvmeLatency -MountPoint $Value
        Get-CallArgument | Should -BeExactly "--target=$Expected"
    }

    It '-MountPoint takes several, by position and by its aliases, one run each' {
        @(Test-NvmeLatency C, D).Count | Should -Be 2
        Get-CallTarget | Should -BeExactly 'C:', 'D:'
        Use-FakeCore -Document (Read-Document 'bench-material')
        $null = Test-NvmeLatency -DriveLetter C
        $null = Test-NvmeLatency -Path D:
        Get-CallTarget | Should -BeExactly 'C:', 'D:'
    }

    It '-MountPoint takes relative folders and files as absolute ones, wildcards literally' {
        $folder = (New-Item -ItemType Directory -Path "$TestDrive/mnt/da[t]a" -Force).FullName
        $file = Join-Path $folder 'a file.img'
        [System.IO.File]::WriteAllText($file, '')
        Push-Location -LiteralPath $folder
        try {
            $null = Test-NvmeLatency -MountPoint .
            $null = Test-NvmeLatency -MountPoint './a file.img'
            $null = Test-NvmeLatency -MountPoint 'not there'
        }
        finally {
            Pop-Location
        }
        Get-CallTarget | Should -Be $folder, $file, (Join-Path $folder 'not there')
    }

    It '-Profile <_> is passed in the letters of the executable' -ForEach 'quick', 'cdm', 'cdm-nvme', 'atto', 'oltp', 'server', 'flush', 'legacy', 'spaced', 'custom' {
        $null = Test-NvmeLatency C -Profile $_.ToUpperInvariant()
        Get-CallArgument | Should -BeExactly '--target=C:', "--profile=$_"
    }

    It 'of a custom test become flags, with sizes in bytes' {
        $null = Test-NvmeLatency C -Operation Write -Pattern Random -BlockSize 8KB -QueueDepth 32 -ThreadCount 4 -Durability Write-Through -Size 1GB -Rounds 8 -Duration 10
        Get-CallArgument | Should -BeExactly '--target=C:', '--profile=custom', '--operation=write', '--pattern=random', '--block=8192', '--queue-depth=32', '--threads=4', '--durability=write-through', '--rounds=8', '--size=1073741824', '--duration=10000ms'
        Use-FakeCore -Document (Read-Document 'bench-material')
        $null = Test-NvmeLatency C -Profile Custom -Operation read
        Get-CallArgument | Should -BeExactly '--target=C:', '--profile=custom', '--operation=read'
    }

    It 'of a custom test do not go with another profile' {
        Get-ErrorId { Test-NvmeLatency C -Profile cdm -BlockSize 4KB } | Should -BeExactly 'ParametersConflict'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'of two paths become flags, and nothing else is measured unless it is named' {
        $null = Test-NvmeLatency -Upper /dev/mapper/x -Lower /dev/nvme0n1p3 -LowerOffset 16MB -PenaltyDuration 10 -ThresholdPercent 12.5
        Get-CallArgument | Should -BeExactly '--upper=/dev/mapper/x', '--lower=/dev/nvme0n1p3', '--lower-offset=16777216', '--penalty-time=10000ms', '--threshold=12.5'
        Use-FakeCore -Document (Read-Document 'bench-material')
        $null = Test-NvmeLatency -Upper '\\?\Volume{b}\' -Lower d
        Get-CallArgument | Should -BeExactly '--upper=\\?\Volume{b}', '--lower=\\.\D:'
        Use-FakeCore -Document (Read-Document 'bench-material')
        $null = Test-NvmeLatency C -Profile cdm -Upper 'C:\' -Lower '\\.\PhysicalDrive0'
        Get-CallArgument | Should -BeExactly '--target=C:', '--profile=cdm', '--upper=\\.\C:', '--lower=\\.\PhysicalDrive0'
    }

    It 'of the whole run become flags' {
        $baseline = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'before [1].json'
        [System.IO.File]::WriteAllText($baseline, '')
        $null = Test-NvmeLatency C -Twin D:\ -Baseline 'TestDrive:\before [1].json' -FailOn Regression, invalid -MaxWritten 8GB -TimeoutSeconds 90 -Identify -NoPenalty -Size 4G
        Get-CallArgument | Should -BeExactly '--target=C:', '--twin=D:', '--no-penalty', '--size=4294967296', '--max-written=8589934592', "--baseline=$baseline", '--fail-on=regression', '--fail-on=invalid', '--timeout=90s', '--identify'
    }

    It 'that are switched off are not passed' {
        $null = Test-NvmeLatency C -NoPenalty:$false -Identify:$false -Quiet:$false -AsJson:$false
        Get-CallArgument | Should -BeExactly '--target=C:'
    }

    It '-Duration <Value> is <Milliseconds> ms in every culture: a number is seconds' -ForEach @(
        @{ Value = 30; Milliseconds = 30000 }
        @{ Value = 0.5; Milliseconds = 500 }
        @{ Value = '30'; Milliseconds = 30000 }
        @{ Value = [timespan]::FromMinutes(1.5); Milliseconds = 90000 }
        @{ Value = '0:01:30'; Milliseconds = 90000 }
        @{ Value = [timespan]'00:00:00.25'; Milliseconds = 250 }
    ) {
        $culture = [cultureinfo]::CurrentCulture
        try {
            [cultureinfo]::CurrentCulture = 'de-DE'
            $null = Test-NvmeLatency C -Duration $Value
        }
        finally {
            [cultureinfo]::CurrentCulture = $culture
        }
        Get-CallArgument | Should -BeExactly '--target=C:', "--duration=${Milliseconds}ms"
    }

    It '-Size <Value> is <Bytes> bytes in every culture' -ForEach @(
        @{ Value = 1GB; Bytes = 1073741824 }
        @{ Value = 1.5GB; Bytes = 1610612736 }
        @{ Value = '4096'; Bytes = 4096 }
        @{ Value = '4k'; Bytes = 4096 }
        @{ Value = '64KB'; Bytes = 65536 }
        @{ Value = '8 GiB'; Bytes = 8589934592 }
        @{ Value = '8GIB'; Bytes = 8589934592 }
    ) {
        $culture = [cultureinfo]::CurrentCulture
        try {
            # Where an I and an i are two letters.
            [cultureinfo]::CurrentCulture = 'tr-TR'
            $null = Test-NvmeLatency C -Size $Value
        }
        finally {
            [cultureinfo]::CurrentCulture = $culture
        }
        Get-CallArgument | Should -BeExactly '--target=C:', "--size=$Bytes"
    }

    It 'that are no values are refused before the call: <Name>' -ForEach @(
        @{ Name = '-MountPoint $null'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency -MountPoint $null } }
        @{ Name = '-MountPoint @()'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency -MountPoint @() } }
        @{ Name = '-MountPoint empty text'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency -MountPoint '' } }
        @{ Name = '-MountPoint with a quote'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency -MountPoint 'a"b' } }
        @{ Name = '-Baseline empty text'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Baseline '' } }
        @{ Name = '-Upper empty text'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency -Upper '' -Lower x } }
        @{ Name = '-Duration 0'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Duration 0 } }
        @{ Name = '-Duration -1'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Duration -1 } }
        @{ Name = '-Duration as a text'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Duration 'long' } }
        @{ Name = '-Duration as no time'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Duration '0:99:99:99' } }
        @{ Name = '-Duration empty'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Duration '' } }
        @{ Name = '-Size 0'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Size 0 } }
        @{ Name = '-Size -4KB'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Size -4KB } }
        @{ Name = '-Size in Arabic digits'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Size "$([char]0x664)K" } }
        @{ Name = '-Duration in Arabic digits'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Duration "$([char]0x664)" } }
        @{ Name = '-Size 4X'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Size 4X } }
        @{ Name = '-Size beyond 64 bits'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -Size 99999999T } }
        @{ Name = '-BlockSize empty'; Id = 'ArgumentInvalid'; Call = { Test-NvmeLatency C -BlockSize '' } }
        @{ Name = '-Quiet and -AsJson'; Id = 'ParametersConflict'; Call = { Test-NvmeLatency C -Quiet -AsJson } }
        @{ Name = '-Upper and -Operation'; Id = 'AmbiguousParameterSet'; Call = { Test-NvmeLatency -Upper a -Lower b -Operation read } }
        @{ Name = '-ListProfile and -MountPoint'; Id = 'AmbiguousParameterSet'; Call = { Test-NvmeLatency -MountPoint C -ListProfile } }
        @{ Name = '-Profile of another name'; Id = 'ParameterArgumentValidationError'; Call = { Test-NvmeLatency C -Profile fast } }
        @{ Name = '-FailOn of another name'; Id = 'ParameterArgumentValidationError'; Call = { Test-NvmeLatency C -FailOn anything } }
        @{ Name = '-QueueDepth 0'; Id = 'ParameterArgumentValidationError'; Call = { Test-NvmeLatency C -QueueDepth 0 } }
        @{ Name = '-TimeoutSeconds 0'; Id = 'ParameterArgumentValidationError'; Call = { Test-NvmeLatency C -TimeoutSeconds 0 } }
        @{ Name = '-LowerOffset -1'; Id = 'ParameterArgumentValidationError'; Call = { Test-NvmeLatency -Upper a -Lower b -LowerOffset -1 } }
    ) {
        Get-ErrorId $Call | Should -BeExactly $Id
        @(Get-FakeCall).Count | Should -Be 0
    }
}

Describe 'The pipeline of Test-NvmeLatency' {
    BeforeEach {
        Use-FakeCore -Document (Read-Document 'bench-material')
    }

    It 'takes text, one run each, and gives each result as it comes' {
        $seen = @('C', 'd:', 'E:\' | Test-NvmeLatency | ForEach-Object { @(Get-FakeCall).Count })
        $seen | Should -Be 1, 2, 3
        Get-CallTarget | Should -BeExactly 'C:', 'D:', 'E:'
    }

    It 'takes Get-Volume, Get-BitLockerVolume and Win32_Volume' {
        [pscustomobject]@{ DriveLetter = [char]'C'; Path = '\\?\Volume{a}\'; UniqueId = '\\?\Volume{a}\' },
        [pscustomobject]@{ DriveLetter = [char]0; Path = '\\?\Volume{b}\'; UniqueId = '\\?\Volume{b}\' },
        [pscustomobject]@{ ComputerName = 'PC'; MountPoint = 'D:'; VolumeType = 'Data' },
        [pscustomobject]@{ DriveLetter = 'E:'; DeviceID = '\\?\Volume{c}\' } | Test-NvmeLatency | Out-Null
        Get-CallTarget | Should -BeExactly 'C:', '\\?\Volume{b}/', 'D:', 'E:'
    }

    It 'takes Get-BitLockerDiskAudit, and measures the volume where it is mounted' {
        Use-FakeCore -Document (New-StatusDocument)
        $volumes = Get-BitLockerDiskAudit
        Use-FakeCore -Document (Read-Document 'bench-material')
        $volumes | Test-NvmeLatency | Out-Null
        Get-CallTarget | Should -BeExactly 'C:', ($VolumeNoLetter.TrimEnd('\') + '/'), 'D:'
    }

    It 'takes files and folders' {
        $folder = (New-Item -ItemType Directory -Path "$TestDrive/folder" -Force).FullName
        $file = Join-Path $folder 'f.bin'
        [System.IO.File]::WriteAllText($file, '')
        Get-Item -LiteralPath $folder, $file | Test-NvmeLatency | Out-Null
        Get-CallTarget | Should -Be $folder, $file
    }

    It 'does not take volumes of images and recordings for those of this computer' {
        foreach ($source in 'image', 'recording') {
            $document = New-StatusDocument
            $document.machine.source = $source
            Use-FakeCore -Document $document
            $volume = Get-BitLockerDiskAudit -Recording r.json | Select-Object -First 1
            Use-FakeCore -Document (Read-Document 'bench-material')
            $volume | Test-NvmeLatency -ErrorVariable problems -ErrorAction SilentlyContinue | Should -BeNullOrEmpty
            @($problems).FullyQualifiedErrorId | Should -Be 'InputNotUsable,Test-NvmeLatency'
            @(Get-FakeCall).Count | Should -Be 0
        }
    }

    It 'that is empty measures nothing' {
        @() | Test-NvmeLatency | Should -BeNullOrEmpty
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'refuses what names nothing, and measures the rest' {
        $null, '', ([pscustomobject]@{ Name = 'pwsh' }), 'C' | Test-NvmeLatency -ErrorVariable problems -ErrorAction SilentlyContinue | Out-Null
        @($problems).FullyQualifiedErrorId | Should -Be (@('InputNotUsable,Test-NvmeLatency') * 3)
        Get-CallTarget | Should -BeExactly 'C:'
    }
}
