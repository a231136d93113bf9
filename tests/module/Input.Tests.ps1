BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    # The arguments of the only call, without the fixed ones.
    function Get-CallArgument {
        $calls = @(Get-FakeCall)
        $calls.Count | Should -Be 1 -Because 'the executable runs once'
        $calls[0][0, 1] | Should -Be 'status', '--format=json'
        @($calls[0] | Select-Object -Skip 2)
    }
}

Describe 'Parameters' {
    BeforeEach {
        Use-FakeCore -Document (New-StatusDocument)
    }

    It 'are these, with these sets' {
        $command = Get-Command -Name Get-BitLockerDiskAudit
        $common = [System.Management.Automation.PSCmdlet]::CommonParameters
        $command.Parameters.Keys | Where-Object { $_ -notin $common } |
            Should -Be 'MountPoint', 'Image', 'Recording', 'Detailed', 'Summary', 'AsJson', 'Identify', 'TimeoutSeconds', 'Language'
        $command.ParameterSets.Name | Should -Be 'Computer', 'Recording', 'Image'
        $command.DefaultParameterSet | Should -Be 'Computer'
    }

    It 'that are left out are not passed at all (C11)' {
        $null = Get-BitLockerDiskAudit
        Get-CallArgument | Should -BeNullOrEmpty
    }

    It '-MountPoint <Value> becomes --volume <Expected> (B18)' -ForEach @(
        @{ Value = 'C'; Expected = 'C:' }
        @{ Value = 'c:'; Expected = 'C:' }
        @{ Value = 'C:\'; Expected = 'C:' }
        @{ Value = 'C:/'; Expected = 'C:' }
        @{ Value = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}\'; Expected = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}' }
        @{ Value = 'C:\mnt\data\'; Expected = 'C:\mnt\data' }
        @{ Value = '/dev/nvme0n1p3'; Expected = '/dev/nvme0n1p3' }
    ) {
        $null = Get-BitLockerDiskAudit -MountPoint $Value
        Get-CallArgument | Should -BeExactly "--volume=$Expected"
    }

    It '-MountPoint takes several, by position and by its alias' {
        $null = Get-BitLockerDiskAudit C, D
        Get-CallArgument | Should -BeExactly '--volume=C:', '--volume=D:'
        Use-FakeCore -Document (New-StatusDocument)
        $null = Get-BitLockerDiskAudit -DriveLetter C
        Get-CallArgument | Should -BeExactly '--volume=C:'
    }

    It '-MountPoint takes a relative folder as the absolute one' {
        $folder = New-Item -ItemType Directory -Path "$TestDrive/mnt/data" -Force
        Push-Location -LiteralPath $folder.Parent.FullName
        try {
            $null = Get-BitLockerDiskAudit -MountPoint ./data
        }
        finally {
            Pop-Location
        }
        Get-CallArgument | Should -Be "--volume=$($folder.FullName)"
    }

    It '-Image <Value> becomes an absolute path, and need not exist' -ForEach @(
        @{ Value = 'disk.vhdx' }
        @{ Value = './disk.vhdx' }
        @{ Value = 'a [1] b & c % d.vhdx' }
        @{ Value = 'missing.vhdx' }
    ) {
        $folder = (New-Item -ItemType Directory -Path "$TestDrive/images" -Force).FullName
        foreach ($name in 'disk.vhdx', 'a [1] b & c % d.vhdx') {
            [System.IO.File]::WriteAllText((Join-Path $folder $name), '')
        }
        Push-Location -LiteralPath $folder
        try {
            $null = Get-BitLockerDiskAudit -Image $Value
        }
        finally {
            Pop-Location
        }
        $expected = [System.IO.Path]::GetFullPath((Join-Path $folder $Value))
        $flag, $path = (Get-CallArgument) -split '=', 2
        $flag | Should -Be '--image'
        [System.IO.Path]::IsPathRooted($path) | Should -BeTrue
        [System.IO.Path]::GetFullPath($path) | Should -BeExactly $expected
    }

    It '-Image takes paths of PowerShell drives and provider paths' {
        [System.IO.File]::WriteAllText((Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'd.vhd'), '')
        $expected = (Get-Item -LiteralPath "$TestDrive/d.vhd").FullName
        $null = Get-BitLockerDiskAudit -Image 'TestDrive:\d.vhd'
        Get-CallArgument | Should -BeExactly "--image=$expected"
        Use-FakeCore -Document (New-StatusDocument)
        $null = Get-BitLockerDiskAudit -Image "Microsoft.PowerShell.Core\FileSystem::$expected"
        Get-CallArgument | Should -BeExactly "--image=$expected"
        Use-FakeCore -Document (New-StatusDocument)
        $null = Get-BitLockerDiskAudit -Image 'TestDrive:\not-there.vhd'
        Get-CallArgument | Should -BeExactly ("--image=$expected" -replace 'd\.vhd$', 'not-there.vhd')
    }

    It '-Image leaves a device path as it is' {
        $null = Get-BitLockerDiskAudit -Image '\\.\PhysicalDrive1'
        Get-CallArgument | Should -BeExactly '--image=\\.\PhysicalDrive1'
    }

    It '-Recording, -Identify and -TimeoutSeconds become flags' {
        $file = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'r.json'
        $null = Get-BitLockerDiskAudit -Recording $file -MountPoint C -TimeoutSeconds 90 -Identify
        Get-CallArgument | Should -BeExactly '--volume=C:', "--recording=$file", '--timeout=90s', '--identify'
    }

    It 'with odd characters arrive as they are: <_> (C9)' -ForEach 'two words', 'a&b', '100%', "it's", '$env:HOME', '(x)', '*', '~', '~/x', '[a-z]?', 'semi;colon', 'comma,comma', '^caret', '`tick', '--identify', '{}' {
        $null = Get-BitLockerDiskAudit -MountPoint $_
        Get-CallArgument | Should -BeExactly "--volume=$_"
    }

    It 'that no program can be given alike in all editions are refused before the call: <What>' -ForEach @(
        @{ What = 'double quote'; Value = 'a"b' }
        @{ What = 'line end'; Value = "a`nb" }
        @{ What = 'empty'; Value = '' }
        @{ What = 'blank'; Value = '  ' }
        @{ What = 'NUL'; Value = "a`0b" }
    ) {
        { Get-BitLockerDiskAudit -MountPoint $Value } | Should -Throw -ErrorId 'ArgumentInvalid,Get-BitLockerDiskAudit'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'that end in a backslash would swallow the closing quote in 5.1, so they are refused (C9)' {
        InModuleScope BitLockerDiskAudit {
            Test-ArgumentValue -Value 'C:\two words\' | Should -Match 'backslash'
            Test-ArgumentValue -Value 'C:\two words' | Should -BeNullOrEmpty
        }
    }

    It 'with an empty list never mean everything: <Name>' -ForEach @(
        @{ Name = '-MountPoint $null'; Call = { Get-BitLockerDiskAudit -MountPoint $null } }
        @{ Name = '-MountPoint @()'; Call = { Get-BitLockerDiskAudit -MountPoint @() } }
        @{ Name = '-MountPoint empty text'; Call = { Get-BitLockerDiskAudit -MountPoint '' } }
        @{ Name = '-Recording empty text'; Call = { Get-BitLockerDiskAudit -Recording '' } }
        @{ Name = '-Image empty text'; Call = { Get-BitLockerDiskAudit -Image '' } }
    ) {
        Get-ErrorId $Call | Should -BeExactly 'ArgumentInvalid'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'that exclude each other are refused: <Name>' -ForEach @(
        @{ Name = '-Image and -MountPoint'; Id = 'AmbiguousParameterSet'; Call = { Get-BitLockerDiskAudit -Image a -MountPoint C } }
        @{ Name = '-Image and -Recording'; Id = 'AmbiguousParameterSet'; Call = { Get-BitLockerDiskAudit -Image a -Recording r } }
        @{ Name = '-Detailed and -AsJson'; Id = 'ParametersConflict'; Call = { Get-BitLockerDiskAudit -Detailed -AsJson } }
        @{ Name = '-Summary and -Detailed'; Id = 'ParametersConflict'; Call = { Get-BitLockerDiskAudit -Summary -Detailed } }
        @{ Name = '-Summary and -AsJson'; Id = 'ParametersConflict'; Call = { Get-BitLockerDiskAudit -Summary -AsJson } }
        @{ Name = '-Summary and a volume'; Id = 'ParametersConflict'; Call = { Get-BitLockerDiskAudit C -Summary } }
        @{ Name = 'two positions'; Id = 'PositionalParameterNotFound'; Call = { Get-BitLockerDiskAudit C D } }
        @{ Name = '-TimeoutSeconds 0'; Id = 'ParameterArgumentValidationError'; Call = { Get-BitLockerDiskAudit -TimeoutSeconds 0 } }
        @{ Name = '-TimeoutSeconds 86401'; Id = 'ParameterArgumentValidationError'; Call = { Get-BitLockerDiskAudit -TimeoutSeconds 86401 } }
    ) {
        Get-ErrorId $Call | Should -BeExactly $Id
        @(Get-FakeCall).Count | Should -Be 0
    }
}

Describe 'The pipeline' {
    BeforeAll {
        function New-FakeVolume {
            # As Get-Volume: DriveLetter is a [char], NUL without a letter.
            param($Letter, $Guid)
            $volume = [pscustomobject]@{
                DriveLetter = $Letter; Path = "\\?\Volume{$Guid}\"; UniqueId = "\\?\Volume{$Guid}\"; ObjectId = '{1}\\PC\root/Microsoft/Windows/Storage'
                FileSystemLabel = ''; DriveType = 'Fixed'; Size = [uint64]1
            }
            $volume.PSTypeNames.Insert(0, 'Microsoft.Management.Infrastructure.CimInstance#ROOT/Microsoft/Windows/Storage/MSFT_Volume')
            $volume
        }
        $image = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'disk 1.vhdx'
        [System.IO.File]::WriteAllText($image, '')
        $folder = (New-Item -ItemType Directory -Path "$TestDrive/folder" -Force).FullName
    }
    BeforeEach {
        Use-FakeCore -Document (New-StatusDocument)
    }

    It 'takes text, and runs once for all' {
        $volumes = 'C', 'd:', 'E:\' | Get-BitLockerDiskAudit
        Get-CallArgument | Should -BeExactly '--volume=C:', '--volume=D:', '--volume=E:'
        $volumes.Count | Should -Be 3
    }

    It 'takes Get-Volume: a letter, a NUL letter, no letter' {
        New-FakeVolume ([char]'C') 'a'
        New-FakeVolume ([char]'C') 'a' | Get-BitLockerDiskAudit | Out-Null
        Get-CallArgument | Should -BeExactly '--volume=C:'
        foreach ($none in [char]0, $null, '') {
            Use-FakeCore -Document (New-StatusDocument)
            (New-FakeVolume ([char]'C') 'a'), (New-FakeVolume $none 'b') | Get-BitLockerDiskAudit | Out-Null
            Get-CallArgument | Should -BeExactly '--volume=C:', '--volume=\\?\Volume{b}'
        }
        Use-FakeCore -Document (New-StatusDocument)
        (New-FakeVolume $null 'b'), (New-FakeVolume ([char]'C') 'a') | Get-BitLockerDiskAudit -Detailed | Out-Null
        Get-CallArgument | Should -BeExactly '--volume=\\?\Volume{b}', '--volume=C:'
    }

    It 'takes Get-BitLockerVolume' {
        [pscustomobject]@{ ComputerName = 'PC'; MountPoint = 'C:'; VolumeType = 'OperatingSystem'; KeyProtector = @('x') },
        [pscustomobject]@{ ComputerName = 'PC'; MountPoint = '\\?\Volume{b}\'; VolumeType = 'Data'; KeyProtector = @() } |
            Get-BitLockerDiskAudit -AsJson | Out-Null
        Get-CallArgument | Should -BeExactly '--volume=C:', '--volume=\\?\Volume{b}'
    }

    It 'takes Get-Partition, Win32_Volume and Win32_LogicalDisk' {
        [pscustomobject]@{ DriveLetter = [char]'C'; AccessPaths = @('C:\', '\\?\Volume{a}\') },
        [pscustomobject]@{ DriveLetter = [char]0; AccessPaths = @('C:\mnt\', '\\?\Volume{b}\') },
        [pscustomobject]@{ DriveLetter = 'E:'; DeviceID = '\\?\Volume{c}\' },
        [pscustomobject]@{ DriveLetter = $null; DeviceID = '\\?\Volume{d}\' },
        [pscustomobject]@{ DeviceID = 'F:'; DriveType = 3 } | Get-BitLockerDiskAudit | Out-Null
        Get-CallArgument | Should -BeExactly '--volume=C:', '--volume=\\?\Volume{b}', '--volume=E:', '--volume=\\?\Volume{d}', '--volume=F:'
    }

    It 'takes files as images, whatever else is asked' {
        foreach ($call in { Get-Item -LiteralPath $image | Get-BitLockerDiskAudit }, { Get-Item -LiteralPath $image | Get-BitLockerDiskAudit -Detailed }, { Get-Item -LiteralPath $image | Get-BitLockerDiskAudit -AsJson -Identify:$false }, { [pscustomobject]@{ FullName = $image } | Get-BitLockerDiskAudit }) {
            Use-FakeCore -Document (New-StatusDocument)
            & $call | Out-Null
            Get-CallArgument | Should -BeExactly "--image=$image"
        }
    }

    It 'takes Get-ChildItem *.vhdx' {
        Get-ChildItem -Path "$TestDrive/*.vhdx" | Get-BitLockerDiskAudit | Out-Null
        Get-CallArgument | Should -BeExactly "--image=$image"
    }

    It 'takes folders as mount points' {
        Get-Item -LiteralPath $folder | Get-BitLockerDiskAudit | Out-Null
        Get-CallArgument | Should -Be "--volume=$folder"
    }

    It 'takes the objects of this command again, also through Export-Clixml' {
        $volumes = Get-BitLockerDiskAudit
        Use-FakeCore -Document (New-StatusDocument)
        $volumes | Get-BitLockerDiskAudit | Out-Null
        $expected = $VolumeC, $VolumeNoLetter, $VolumeD | ForEach-Object { '--volume=' + $_.TrimEnd('\') }
        Get-CallArgument | Should -BeExactly $expected
        $volumes | Export-Clixml -LiteralPath "$TestDrive/v.xml"
        Use-FakeCore -Document (New-StatusDocument)
        Import-Clixml -LiteralPath "$TestDrive/v.xml" | Get-BitLockerDiskAudit | Out-Null
        Get-CallArgument | Should -BeExactly $expected
    }

    It 'takes volumes of images again as such' {
        $document = New-StatusDocument
        $document.machine.source = 'image'
        $document.volumes = @($document.volumes[0, 1])
        $document.volumes[0].id = '/data/a.vhdx#partition2'
        $document.volumes[0].extents[0].diskId = '/data/a.vhdx'
        $document.volumes[1].id = '/data/b.img'
        $document.volumes[1].extents = @()
        Use-FakeCore -Document $document
        $volumes = Get-BitLockerDiskAudit -Image a, b
        Use-FakeCore -Document $document
        $volumes | Get-BitLockerDiskAudit | Out-Null
        Get-CallArgument | Should -BeExactly '--image=/data/a.vhdx', '--image=/data/b.img', '--volume=/data/a.vhdx#partition2', '--volume=/data/b.img'
    }

    It 'does not take the C: of a recording for the C: of this computer' {
        $document = New-StatusDocument
        $document.machine.source = 'recording'
        Use-FakeCore -Document $document
        $volumes = Get-BitLockerDiskAudit -Recording r.json
        Use-FakeCore -Document $document
        $volumes[0] | Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue | Should -BeNullOrEmpty
        @($problems).FullyQualifiedErrorId | Should -Be 'InputNotUsable,Get-BitLockerDiskAudit'
        @(Get-FakeCall).Count | Should -Be 0
        $volumes[0] | Get-BitLockerDiskAudit -Recording r.json | Out-Null
        (Get-CallArgument)[0] | Should -BeExactly ('--volume=' + $VolumeC.TrimEnd('\'))
    }

    It 'that is empty gives nothing and runs nothing' {
        @() | Get-BitLockerDiskAudit | Should -BeNullOrEmpty
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'refuses what names no volume, one by one: <Name>' -ForEach @(
        @{ Name = '$null'; Value = $null }
        @{ Name = 'empty text'; Value = '' }
        @{ Name = 'a process'; Value = [pscustomobject]@{ Name = 'pwsh'; Id = 1 } }
        @{ Name = 'a table'; Value = @{ a = 1 } }
    ) {
        $Value, 'C' | Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue | Out-Null
        @($problems).FullyQualifiedErrorId | Should -Be 'InputNotUsable,Get-BitLockerDiskAudit'
        Get-CallArgument | Should -BeExactly '--volume=C:'
        Use-FakeCore -Document (New-StatusDocument)
        , $Value | Get-BitLockerDiskAudit -ErrorAction SilentlyContinue | Should -BeNullOrEmpty
        @(Get-FakeCall).Count | Should -Be 0 -Because 'nothing that can be audited was piped'
    }

    It 'refuses volumes and images in one run' {
        { 'C', (Get-Item -LiteralPath $image) | Get-BitLockerDiskAudit } | Should -Throw -ErrorId 'SourcesMixed,Get-BitLockerDiskAudit'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'refuses image files with -Recording' {
        Get-Item -LiteralPath $image | Get-BitLockerDiskAudit -Recording r.json -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems).FullyQualifiedErrorId | Should -Be 'InputNotUsable,Get-BitLockerDiskAudit'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'takes text with -Recording' {
        'C' | Get-BitLockerDiskAudit -Recording r.json | Out-Null
        (Get-CallArgument)[0] | Should -BeExactly '--volume=C:'
    }

    It 'of a surrounding ForEach-Object is not its own' {
        1 | ForEach-Object { Get-BitLockerDiskAudit | Out-Null }
        Get-CallArgument | Should -BeNullOrEmpty
    }
}
