# The module with the executable that build.ps1 made, in PowerShell for Windows, on the simulated
# computers of computers_linux_test.go. Not one of the *.Tests.ps1: these need that test around them.

BeforeAll {
    . $PSScriptRoot/../Testbed.ps1
    $computers = ConvertFrom-Json -InputObject $env:DISKAUDIT_TEST_COMPUTERS -AsHashtable
    $executable = Join-Path (Split-Path -Path $ManifestPath -Parent) 'bin\win-x64\diskaudit.exe'
    $idC = '\\?\Volume{00000000-0000-0000-0000-000000000043}\'
    $idD = '\\?\Volume{00000000-0000-0000-0000-000000000044}\'
    $label = 'Gr' + [char]0xfc + [char]0xdf + 'e'

    # From here on programs run on this computer.
    function Use-Computer {
        param([string] $Name)
        $env:DISKAUDIT_RIG = $computers[$Name]
        $env:DISKAUDIT_PATH = ''
    }

    # What a command line gives in the PowerShell of a standard user: an object from its JSON.
    function Invoke-StandardUser {
        param([string] $Command)
        $json = Invoke-Child -Through $env:DISKAUDIT_TEST_LIMITED -Script "Import-Module '$ManifestPath'`n$Command | ConvertTo-Json -Depth 4 -EscapeHandling EscapeNonAscii"
        ConvertFrom-Json -InputObject ($json -join "`n")
    }

    # The errors about a volume or about BitLocker. Of the computer itself Wine cannot tell all.
    function Select-VolumeError {
        param($Record)
        @($Record | Where-Object { "$($_.TargetObject)" -match 'Volume\{|MicrosoftVolumeEncryption' })
    }
}

AfterAll {
    $env:DISKAUDIT_RIG = ''
    $env:DISKAUDIT_PATH = ''
}

Describe 'The executable that build.ps1 makes' {
    It 'shows its version in the properties of the file' {
        $info = (Get-Item -LiteralPath $executable).VersionInfo
        $info.ProductVersion | Should -BeExactly '9.8.7-test.1'
        $info.FileVersion | Should -BeExactly '9.8.7.0'
        "$($info.FileVersionRaw)" | Should -BeExactly '9.8.7.0'
        "$($info.ProductVersionRaw)" | Should -BeExactly '9.8.7.0'
        $info.ProductName | Should -BeExactly 'BitLockerDiskAudit'
        $info.OriginalFilename | Should -BeExactly 'diskaudit.exe'
        $info.FileDescription | Should -Match 'BitLocker'
        $info.LegalCopyright | Should -Match 'The BitLockerDiskAudit authors'
    }

    It 'is the one that the module runs, and says the same version' {
        Use-Computer 'protected'
        $status = Get-BitLockerDiskAudit -Detailed -ErrorAction SilentlyContinue
        $status.ToolVersion | Should -BeExactly '9.8.7-test.1'
    }
}

Describe 'Get-BitLockerDiskAudit' {
    It 'reads the computer in a console of code page 437 (C1, C2)' {
        [Console]::OutputEncoding.CodePage | Should -Be 437
        Use-Computer 'protected'
        $volumes = @(Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue)
        Select-VolumeError $problems | Should -BeNullOrEmpty
        $volumes.MountPoint | Should -Be 'C:', 'D:', 'Z:'
        $c, $d, $z = $volumes
        $c.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Volume'
        $c.Source | Should -BeExactly 'windows'
        $c.VolumeId | Should -BeExactly $idC
        $c.VolumeType | Should -BeExactly 'OperatingSystem'
        $c.Conversion | Should -BeExactly 'FullyEncrypted'
        $c.Method | Should -BeExactly 'XtsAes256'
        $c.Engine | Should -BeExactly 'software'
        $c.Protection | Should -BeExactly 'On'
        $c.ProtectionReason | Should -BeExactly 'protected'
        $c.Protectors | Should -Be 'Tpm', 'RecoveryPassword'
        $c.Findings | Should -Contain 'software-encryption'
        $d.Label | Should -BeExactly $label
        $d.Conversion | Should -BeExactly 'EncryptionInProgress'
        $d.Percent | Should -Be 37
        $d.UsedSpaceOnly | Should -BeTrue
        $d.Protection | Should -BeExactly 'Off'
        $d.ProtectionReason | Should -BeExactly 'converting'
        $d.Findings | Should -Contain 'conversion-running'
        $z.Conversion | Should -BeExactly 'FullyDecrypted'
        $z.Engine | Should -BeExactly 'none'
    }

    It 'gives the whole status with -Detailed' {
        Use-Computer 'protected'
        $status = Get-BitLockerDiskAudit -Detailed -ErrorAction SilentlyContinue
        $status.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Status'
        $status.Source | Should -BeExactly 'windows'
        $status.BitLockerAvailable | Should -BeTrue
        $status.BitLockerProvider | Should -BeExactly 'wmi'
        $status.Volumes.Count | Should -Be 3
        $status.Volumes[1].Label | Should -BeExactly $label
        @($status.Findings | Where-Object { $_.Id -eq 'conversion-running' -and $_.Target -eq $idD }).Count | Should -Be 1
    }

    It 'gives the document with -AsJson, in ASCII, and no secret in it (C27)' {
        Use-Computer 'protected'
        $json = Get-BitLockerDiskAudit -AsJson -ErrorAction SilentlyContinue
        @($json).Count | Should -Be 1
        $json | Should -Not -Match '[^\x20-\x7e]'
        $json | Should -Not -Match '(\d{6}-){7}\d{6}'
        $document = ConvertFrom-Json -InputObject $json
        @($document.volumes | Where-Object { $_.id -eq $idD }).label | Should -BeExactly $label
    }

    It 'takes volumes by property name, as Get-Volume and Get-BitLockerVolume give them (B18)' {
        Use-Computer 'protected'
        # Of Get-Volume DriveLetter is a [char], of Get-BitLockerVolume MountPoint a text.
        $piped = @(
            [pscustomobject]@{ DriveLetter = [char]'D'; Path = $idD; UniqueId = $idD; FileSystemLabel = $label }
            [pscustomobject]@{ MountPoint = 'C:'; VolumeType = 'OperatingSystem' }
        )
        ($piped | Get-BitLockerDiskAudit -ErrorAction SilentlyContinue).VolumeId | Sort-Object | Should -Be $idC, $idD
        $noLetter = [pscustomobject]@{ DriveLetter = [char]0; Path = $idD; UniqueId = $idD }
        ($noLetter | Get-BitLockerDiskAudit -ErrorAction SilentlyContinue).Label | Should -BeExactly $label
        $own = Get-BitLockerDiskAudit -MountPoint 'd' -ErrorAction SilentlyContinue
        ($own | Get-BitLockerDiskAudit -ErrorAction SilentlyContinue).VolumeId | Should -BeExactly $idD
        (Get-Item -LiteralPath 'D:\' | Get-BitLockerDiskAudit -ErrorAction SilentlyContinue).VolumeId | Should -BeExactly $idD
    }

    It 'says that a drive is not there, with all rights and with none' {
        Use-Computer 'protected'
        Get-BitLockerDiskAudit -MountPoint Q: -ErrorVariable problems -ErrorAction SilentlyContinue | Should -BeNullOrEmpty
        @($problems).FullyQualifiedErrorId | Should -Contain 'VolumeNotFound,Get-BitLockerDiskAudit'
        Use-Computer 'denying'
        $told = Invoke-StandardUser @'
$volumes = @(Get-BitLockerDiskAudit -MountPoint Q: -ErrorVariable problems -ErrorAction SilentlyContinue)
@{ Count = $volumes.Count; Ids = @($problems.FullyQualifiedErrorId) }
'@
        $told.Count | Should -Be 0
        $told.Ids | Should -Contain 'VolumeNotFound,Get-BitLockerDiskAudit'
    }

    It 'gives every volume when one cannot be read, and an error for that one (B14, B31, C36)' {
        Use-Computer 'partial'
        $volumes = @(Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue)
        $volumes.MountPoint | Should -Be 'C:', 'D:', 'Z:'
        $volumes[0].Conversion | Should -BeExactly 'FullyEncrypted'
        $volumes[1].Conversion | Should -BeNullOrEmpty
        $volumes[1].Percent | Should -BeNullOrEmpty
        $volumes[1].Method | Should -BeExactly 'XtsAes128'
        $volumes[1].Label | Should -BeExactly $label
        $records = Select-VolumeError $problems
        @($records.TargetObject | Select-Object -Unique) | Should -Be $idD
        $record = @($records | Where-Object FullyQualifiedErrorId -Match '^BitlockerBusy,')[0]
        $record.CategoryInfo.Category | Should -Be 'ResourceBusy'
        "$record" | Should -Match 'FVE_E_TRANSIENT_STATE'
        $record.ErrorDetails.RecommendedAction | Should -Match '^Run the command again'
    }

    It 'lets a script with ErrorActionPreference Stop have every volume before the error' {
        Use-Computer 'partial'
        $out = @(Invoke-Child @"
`$ErrorActionPreference = 'Stop'
Import-Module '$ManifestPath'
try { Get-BitLockerDiskAudit | ForEach-Object { "`$(`$_.MountPoint) `$(`$_.Method)" } } catch { `$_.FullyQualifiedErrorId }
"@)
        $out[0..2] | Should -Be 'C: XtsAes256', 'D: XtsAes128', 'Z: None'
        $out.Count | Should -Be 4
        $out[3] | Should -Match '^[A-Z][A-Za-z]+,Get-BitLockerDiskAudit$'
    }

    It 'tells a standard user what Explorer shows, and that the rest needs elevation' {
        Use-Computer 'denying'
        $told = Invoke-StandardUser @'
$volumes = @(Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue)
$status = Get-BitLockerDiskAudit -Detailed -ErrorAction SilentlyContinue
@{
    Volumes = $volumes; Provider = $status.BitLockerProvider; Elevated = $status.Machine.Elevated; Findings = $status.Findings.Id
    Errors = @($problems | ForEach-Object { @{ Id = $_.FullyQualifiedErrorId; Target = "$($_.TargetObject)"; Category = "$($_.CategoryInfo.Category)"; Action = $_.ErrorDetails.RecommendedAction } })
}
'@
        $told.Elevated | Should -BeFalse
        $told.Provider | Should -BeExactly 'shell'
        $told.Findings | Should -Contain 'needs-elevation'
        $c, $d, $z = $told.Volumes
        $c.Protection | Should -BeExactly 'On'
        $d.Conversion | Should -BeExactly 'EncryptionInProgress'
        $d.Label | Should -BeExactly $label
        foreach ($volume in $told.Volumes) {
            $null -eq $volume.Method | Should -BeTrue
            $null -eq $volume.Protectors | Should -BeTrue
            $volume.Problems | Should -Contain 'needs-elevation'
        }
        # Explorer shows nothing of Z:, which does not make it decrypted.
        $null -eq $z.Conversion | Should -BeTrue
        $null -eq $z.Protection | Should -BeTrue
        $records = @($told.Errors | Where-Object Target -Match 'Volume\{|MicrosoftVolumeEncryption')
        @($records.Id | Select-Object -Unique) | Should -Be 'NeedsElevation,Get-BitLockerDiskAudit'
        $records[0].Category | Should -BeExactly 'PermissionDenied'
        $records[0].Action | Should -Match 'administrator'
    }

    It 'does not send an administrator whom WMI refuses to an elevated prompt' {
        Use-Computer 'denying'
        $volumes = @(Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue)
        @($volumes.Protection | Where-Object { $_ }).Count | Should -Be 0
        (Select-VolumeError $problems).FullyQualifiedErrorId | Should -Be 'AccessDenied,Get-BitLockerDiskAudit'
    }

    It 'ends within -TimeoutSeconds when <Computer>, and calls nothing decrypted (C38, C43)' -ForEach @(
        @{ Computer = 'hung'; Known = 0 }
        @{ Computer = 'hung at a volume'; Known = 1 }
    ) {
        Use-Computer $Computer
        $watch = [System.Diagnostics.Stopwatch]::StartNew()
        $volumes = @(Get-BitLockerDiskAudit -TimeoutSeconds 8 -ErrorVariable problems -ErrorAction SilentlyContinue)
        # A hang would take forever; the rest is the start of programs on a busy computer.
        $watch.Elapsed.TotalSeconds | Should -BeLessThan 60
        $volumes.MountPoint | Should -Be 'C:', 'D:', 'Z:'
        $volumes.Complete | Should -Not -Contain $true
        $volumes[1].Conversion | Should -BeNullOrEmpty
        $volumes[1].Label | Should -BeExactly $label
        @($volumes | Where-Object Conversion -EQ 'FullyEncrypted').Count | Should -Be $Known
        @($problems).FullyQualifiedErrorId | Should -Contain 'Timeout,Get-BitLockerDiskAudit'
    }

    It 'calls nothing decrypted where Windows has no BitLocker (B10)' {
        Use-Computer 'no BitLocker'
        $volumes = @(Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue)
        $volumes.MountPoint | Should -Be 'C:', 'D:', 'Z:'
        @($volumes.Conversion | Where-Object { $_ }).Count | Should -Be 0
        (Select-VolumeError $problems).TargetObject | Should -Be 'root\CIMV2\Security\MicrosoftVolumeEncryption'
        (Get-BitLockerDiskAudit -Detailed -ErrorAction SilentlyContinue).BitLockerAvailable | Should -BeFalse
    }
}

Describe 'Without a program to run' {
    BeforeAll {
        Use-Computer 'protected'
        $folder = (New-Item -ItemType Directory -Path (Join-Path $TestDrive 'programs')).FullName
        $bytes = [System.IO.File]::ReadAllBytes($executable)
        [System.IO.File]::WriteAllBytes("$folder\empty.exe", [byte[]]@())
        [System.IO.File]::WriteAllBytes("$folder\cut.exe", $bytes[0..4095])
        [System.IO.File]::WriteAllText("$folder\text.exe", 'This is no program.')
        [System.IO.File]::WriteAllText("$folder\text.txt", 'This is no program.')
        $null = New-Item -ItemType Directory -Path "$folder\folder.exe"
    }

    AfterEach {
        $env:DISKAUDIT_PATH = ''
    }

    It 'both commands end in <Id> when it is <What>' -ForEach @(
        @{ What = 'empty.exe'; Id = 'CoreBlocked' }
        @{ What = 'cut.exe'; Id = 'CoreBlocked' }
        @{ What = 'text.exe'; Id = 'CoreBlocked' }
        @{ What = 'text.txt'; Id = 'CoreBlocked' }
        @{ What = 'folder.exe'; Id = 'CoreNotFound' }
        @{ What = 'missing.exe'; Id = 'CoreNotFound' }
    ) {
        $env:DISKAUDIT_PATH = "$folder\$What"
        $global:LASTEXITCODE = 42
        foreach ($call in { Get-BitLockerDiskAudit -ErrorAction SilentlyContinue }, { Test-NvmeLatency D: -ErrorAction SilentlyContinue }) {
            $record = $null
            try { $null = & $call } catch { $record = $_ }
            $record.FullyQualifiedErrorId | Should -Match "^$Id,"
            $record.TargetObject | Should -BeExactly "$folder\$What"
            "$record" | Should -Match ([regex]::Escape($What))
            $record.ErrorDetails.RecommendedAction | Should -Match 'antivirus'
        }
        $global:LASTEXITCODE | Should -Be 42
    }

    It 'the module says which file of its own is missing' {
        Rename-Item -LiteralPath $executable -NewName 'elsewhere.exe'
        try {
            $record = $null
            try { $null = Get-BitLockerDiskAudit } catch { $record = $_ }
            $record.FullyQualifiedErrorId | Should -BeExactly 'CoreNotFound,Get-BitLockerDiskAudit'
            $record.TargetObject | Should -BeExactly $executable
        }
        finally {
            Rename-Item -LiteralPath (Join-Path (Split-Path -Path $executable -Parent) 'elsewhere.exe') -NewName 'diskaudit.exe'
        }
    }
}

Describe 'Test-NvmeLatency' {
    BeforeAll {
        Use-Computer 'protected'
        $folder = (New-Item -ItemType Directory -Path "D:\$label").FullName
        $quick = @{ Pattern = 'random'; BlockSize = '4KB'; Size = '16MB'; Rounds = 6; Duration = 0.6; NoPenalty = $true; TimeoutSeconds = 60; ErrorAction = 'SilentlyContinue' }
        $ProgressPreference = 'SilentlyContinue'
    }

    It 'measures <Operation>s at queue depth <Depth> in a folder and leaves nothing behind' -ForEach @(
        @{ Operation = 'write'; Depth = 1 }
        @{ Operation = 'read'; Depth = 8 }
    ) {
        $bench = Test-NvmeLatency $folder -Operation $Operation -QueueDepth $Depth -MaxWritten 64MB @quick -ErrorVariable problems
        @($problems).FullyQualifiedErrorId | Should -BeNullOrEmpty
        $bench.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Bench'
        $bench.Target | Should -BeLike "$folder\*"
        $bench.TargetKind | Should -BeExactly 'file'
        $bench.SizeBytes | Should -Be 16MB
        $bench.BytesWritten | Should -BeGreaterOrEqual 16MB
        $bench.ToolVersion | Should -BeExactly '9.8.7-test.1'
        $bench.Verdict | Should -BeExactly 'undecided'
        $bench.Tests.Test | Should -BeExactly "RND4K-Q${Depth}T1-$Operation"
        $bench.Tests[0].Ops | Should -BeGreaterThan 0
        @(Get-ChildItem -LiteralPath $folder -Force) | Should -BeNullOrEmpty
    }

    It 'measures a volume that Get-BitLockerDiskAudit gives' {
        $bench = Get-BitLockerDiskAudit -MountPoint D: -ErrorAction SilentlyContinue | Test-NvmeLatency -Operation read @quick -ErrorVariable problems
        @($problems).FullyQualifiedErrorId | Should -BeNullOrEmpty
        $bench.Tests[0].Ops | Should -BeGreaterThan 0
        @(Get-ChildItem -LiteralPath 'D:\' -Force -Filter '*.tmp') | Should -BeNullOrEmpty
    }
}
