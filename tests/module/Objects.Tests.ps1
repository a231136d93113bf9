BeforeAll {
    . $PSScriptRoot/Testbed.ps1
}

Describe 'Volume objects' -Tag Documents {
    BeforeAll {
        Use-FakeCore -Document (New-StatusDocument)
        $volumes = Get-BitLockerDiskAudit
    }

    It 'come one per volume, in the order of the document, with their type' {
        $volumes.Count | Should -Be 3
        $volumes.VolumeId | Should -Be $VolumeC, $VolumeNoLetter, $VolumeD
        $volumes | ForEach-Object { $_.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Volume' }
    }

    It 'have all properties on each object, so that nothing is lost on the way (B59)' {
        $names = $volumes[0].PSObject.Properties.Name
        foreach ($volume in $volumes) {
            $volume.PSObject.Properties.Name | Should -Be $names
        }
    }

    It 'hold <Name> as <Type>: <Expected>' -ForEach @(
        @{ Name = 'MountPoint'; Type = 'String'; Expected = 'C:' }
        @{ Name = 'FileSystem'; Type = 'String'; Expected = 'NTFS' }
        @{ Name = 'VolumeType'; Type = 'String'; Expected = 'OperatingSystem' }
        @{ Name = 'VolumeTypeCode'; Type = 'Int64'; Expected = 0 }
        @{ Name = 'SizeBytes'; Type = 'Int64'; Expected = 998575702016 }
        @{ Name = 'FreeBytes'; Type = 'Int64'; Expected = 512000000000 }
        @{ Name = 'ClusterBytes'; Type = 'Int64'; Expected = 4096 }
        @{ Name = 'DiskId'; Type = 'String'; Expected = 'PhysicalDrive0' }
        @{ Name = 'EncryptionFormat'; Type = 'String'; Expected = 'bitlocker' }
        @{ Name = 'Conversion'; Type = 'String'; Expected = 'FullyEncrypted' }
        @{ Name = 'ConversionCode'; Type = 'Int64'; Expected = 1 }
        @{ Name = 'Percent'; Type = 'Double'; Expected = 100 }
        @{ Name = 'UsedSpaceOnly'; Type = 'Boolean'; Expected = $true }
        @{ Name = 'Wiping'; Type = 'String'; Expected = 'NotWiped' }
        @{ Name = 'WipingCode'; Type = 'Int64'; Expected = 0 }
        @{ Name = 'HardwareEncryption'; Type = 'String'; Expected = 'UsesSoftware' }
        @{ Name = 'HardwareEncryptionCode'; Type = 'Int64'; Expected = 2 }
        @{ Name = 'HardwareTest'; Type = 'String'; Expected = 'NotFailedAndNotPending' }
        @{ Name = 'HardwareTestCode'; Type = 'Int64'; Expected = 0 }
        @{ Name = 'AutoUnlockKeysStored'; Type = 'Boolean'; Expected = $true }
        @{ Name = 'MetadataVersion'; Type = 'Int64'; Expected = 2 }
        @{ Name = 'Method'; Type = 'String'; Expected = 'XtsAes128' }
        @{ Name = 'MethodCode'; Type = 'Int64'; Expected = 6 }
        @{ Name = 'Engine'; Type = 'String'; Expected = 'software' }
        @{ Name = 'Protection'; Type = 'String'; Expected = 'On' }
        @{ Name = 'ProtectionCode'; Type = 'Int64'; Expected = 1 }
        @{ Name = 'ProtectionReason'; Type = 'String'; Expected = 'protected' }
        @{ Name = 'SuspendCount'; Type = 'Int64'; Expected = 0 }
        @{ Name = 'Lock'; Type = 'String'; Expected = 'Unlocked' }
        @{ Name = 'LockCode'; Type = 'Int64'; Expected = 0 }
        @{ Name = 'ClearKey'; Type = 'Boolean'; Expected = $false }
        @{ Name = 'VolumeGuid'; Type = 'String'; Expected = '4967d63b-2e29-4ad8-8399-f6a339e3d001' }
        @{ Name = 'SectorBytes'; Type = 'Int64'; Expected = 512 }
        @{ Name = 'Severity'; Type = 'String'; Expected = 'warning' }
        @{ Name = 'Source'; Type = 'String'; Expected = 'windows' }
        @{ Name = 'Complete'; Type = 'Boolean'; Expected = $true }
    ) {
        $volumes[0].$Name.GetType().Name | Should -BeExactly $Type
        $volumes[0].$Name | Should -BeExactly $Expected
    }

    It 'name each value of an enumeration and give its number (B22)' {
        $names = $volumes[0].PSObject.Properties.Name
        foreach ($name in 'VolumeType', 'Conversion', 'Wiping', 'Method', 'HardwareEncryption', 'Protection', 'Lock', 'HardwareTest') {
            $names | Should -Contain "${name}Code"
        }
        $volumes[0].Protectors | Should -Be 'Tpm', 'RecoveryPassword'
        $volumes[0].ProtectorCodes | Should -Be 1, 3
        $volumes[0].ProtectorIds | Should -Be '11111111-0000-4000-8000-000000000001', '11111111-0000-4000-8000-000000000002'
    }

    It 'have lists as arrays, of none and of one too (C18)' {
        foreach ($volume in $volumes[0, 1]) {
            foreach ($name in 'MountPoints', 'Protectors', 'ProtectorCodes', 'ProtectorIds', 'Findings', 'Problems') {
                , $volume.$name | Should -BeOfType [object[]] -Because "$name of $($volume.MountPoint)"
            }
        }
        $volumes[0].MountPoints.Count | Should -Be 1
        $volumes[1].MountPoints.Count | Should -Be 0
        $volumes[1].Protectors.Count | Should -Be 0
    }

    It 'leave unknown what is unknown on a locked volume (B31, C36)' {
        $locked = $volumes[2]
        $locked.Lock | Should -BeExactly 'Locked'
        $locked.Protection | Should -BeExactly 'Unknown'
        foreach ($name in 'Label', 'FileSystem', 'SizeBytes', 'FreeBytes', 'ClusterBytes', 'DiskId', 'Conversion', 'ConversionCode', 'Percent', 'UsedSpaceOnly', 'Wiping', 'WipingCode', 'Method', 'MethodCode', 'Engine', 'SuspendCount', 'Protectors', 'ProtectorCodes', 'ProtectorIds', 'ClearKey', 'AutoUnlock', 'WipePercent', 'DriveMethod', 'HardwareEncryption', 'HardwareTest', 'AutoUnlockKeysStored', 'MetadataVersion', 'VolumeGuid', 'Description', 'CreatedAt', 'SectorBytes') {
            $null -eq $locked.$name | Should -BeTrue -Because "$name is not known"
        }
    }

    It 'name a volume without a mount point by its id' {
        $volumes[1].MountPoint | Should -BeExactly $VolumeNoLetter
        $volumes[2].MountPoint | Should -BeExactly 'D:'
        $volumes[2].MountPoints | Should -Be 'D:', 'C:\mnt\data'
    }

    It 'carry the findings about them and the severity of the worst' {
        $volumes[0].Findings | Should -Be 'software-encryption', 'used-space-only'
        $volumes[1].Findings.Count | Should -Be 0
        $volumes[1].Severity | Should -BeNullOrEmpty
        $volumes[2].Severity | Should -BeExactly 'info'
    }

    It 'rank a severity that is not listed above the others' {
        $document = New-StatusDocument
        $document.findings[1].severity = 'catastrophic'
        Use-FakeCore -Document $document
        (Get-BitLockerDiskAudit)[0].Severity | Should -BeExactly 'catastrophic'
    }

    It 'keep the number of a code that has no name' {
        $document = New-StatusDocument
        $document.volumes[0].encryption.conversion = @{ name = 'Unrecognized'; code = 77 }
        Use-FakeCore -Document $document
        $volume = (Get-BitLockerDiskAudit)[0]
        $volume.Conversion | Should -BeExactly 'Unrecognized'
        $volume.ConversionCode | Should -Be 77
    }

    It 'have the name of the computer only when the document has it' {
        $volumes[0].ComputerName | Should -BeNullOrEmpty
        $document = New-StatusDocument
        $document.machine.computerName = 'PC-1'
        Use-FakeCore -Document $document
        (Get-BitLockerDiskAudit -Identify)[0].ComputerName | Should -BeExactly 'PC-1'
    }

    It 'tolerate a field that is missing, as $null (B16)' {
        $document = New-StatusDocument
        $document.volumes[0].encryption.Remove('method')
        $document.volumes[0].Remove('label')
        $document.Remove('policy')
        Use-FakeCore -Document $document
        $volume = (Get-BitLockerDiskAudit)[0]
        $null -eq $volume.Method | Should -BeTrue
        $null -eq $volume.Label | Should -BeTrue
    }

    It 'lose nothing in ConvertTo-Json at its default depth' {
        $json = $volumes | ConvertTo-Json -WarningVariable warnings -WarningAction SilentlyContinue
        $warnings | Should -BeNullOrEmpty
        $back = ConvertFrom-Json -InputObject $json
        $back[0].Protectors | Should -Be 'Tpm', 'RecoveryPassword'
        $back[0].Findings | Should -Be 'software-encryption', 'used-space-only'
        $json | Should -Not -Match 'System\.Object|@\{'
    }

    It 'can be filtered and exported' {
        @($volumes | Where-Object Protection -eq 'Off').VolumeId | Should -Be $VolumeNoLetter
        $rows = $volumes | Export-Csv -LiteralPath "$TestDrive/v.csv" -NoTypeInformation
        $rows | Should -BeNullOrEmpty
        $rows = Import-Csv -LiteralPath "$TestDrive/v.csv"
        $rows.Count | Should -Be 3
        $rows[0].Method | Should -BeExactly 'XtsAes128'
        $rows[2].Method | Should -BeExactly ''
    }
}

Describe 'Text' {
    BeforeEach {
        $before = [Console]::OutputEncoding
    }
    AfterEach {
        [Console]::OutputEncoding = $before
    }

    It 'survives code page <_> of the console, which stays as it was (C1, C2, C3)' -ForEach 437, 850, 936, 65001 {
        [Console]::OutputEncoding = [System.Text.Encoding]::GetEncoding($_)
        Use-FakeCore -Document (New-StatusDocument)
        $volume = (Get-BitLockerDiskAudit)[0]
        $volume.Label | Should -BeExactly $LabelC
        [Console]::OutputEncoding.CodePage | Should -Be $_
    }

    It 'that looks like a date stays the text that it is: <_>' -ForEach '2024-05-06T07:08:09Z', '2024-05-06T07:08:09.5+02:00', '/Date(0)/', '2024-05-06' {
        $document = New-StatusDocument
        $document.volumes[0].label = $_
        $document.volumes[0].encryption.description = $_
        $document.findings[0].title = "$_ and more"
        Use-FakeCore -Document $document
        $status = Get-BitLockerDiskAudit -Detailed
        $status.Volumes[0].Label | Should -BeExactly $_
        $status.Volumes[0].Description | Should -BeExactly $_
        $status.Findings[0].Title | Should -BeExactly "$_ and more"
    }
}

Describe 'Dates (C19)' {
    BeforeAll {
        $culture = [cultureinfo]::CurrentCulture
        # As de-DE writes dates and numbers; the real one is missing where .NET runs without ICU.
        $german = [cultureinfo]::InvariantCulture.Clone()
        $german.DateTimeFormat.ShortDatePattern = 'dd.MM.yyyy'
        $german.DateTimeFormat.DateSeparator = '.'
        $german.NumberFormat.NumberDecimalSeparator = ','
        $german.NumberFormat.NumberGroupSeparator = '.'
        [cultureinfo]::CurrentCulture = $german
        Use-FakeCore -Document (New-StatusDocument)
        $volume = (Get-BitLockerDiskAudit)[0]
    }
    AfterAll {
        [cultureinfo]::CurrentCulture = $culture
    }

    It 'are tested where local time is not UTC' {
        if ([TimeZoneInfo]::Local.BaseUtcOffset.TotalHours -ne 2) {
            Set-ItResult -Skipped -Because 'the local time zone is not UTC+2 (TZ=Africa/Johannesburg with the tzdata package)'
        }
    }

    It 'are [datetime] in UTC, whatever the culture and the time zone' {
        $volume.CollectedAt | Should -BeOfType [datetime]
        $volume.CollectedAt.Kind | Should -Be 'Utc'
        $volume.CollectedAt.Ticks | Should -Be ([datetime]::new(2026, 3, 29, 1, 30, 0).Ticks)
        $volume.CreatedAt.Kind | Should -Be 'Utc'
        $volume.CreatedAt.Ticks | Should -Be ([datetime]::new(2025, 10, 26, 0, 30, 0).Ticks + 1234567)
    }

    It 'do not depend on what ConvertFrom-Json makes of <Text>' -ForEach @(
        @{ Text = '2026-01-02T03:04:05Z'; Ticks = [datetime]::new(2026, 1, 2, 3, 4, 5).Ticks }
        @{ Text = '2026-01-02T03:04:05+02:00'; Ticks = [datetime]::new(2026, 1, 2, 1, 4, 5).Ticks }
        @{ Text = '2026-01-02T03:04:05.123456789Z'; Ticks = [datetime]::new(2026, 1, 2, 3, 4, 5).Ticks + 1234567 }
    ) {
        InModuleScope BitLockerDiskAudit -Parameters @{ Text = $Text; Ticks = $Ticks } {
            $date = ConvertTo-FieldValue -Value $Text -As Date -Name test
            $date.Kind | Should -Be 'Utc'
            $date.Ticks | Should -Be $Ticks
            $made = [datetime]::new($Ticks, 'Utc').ToLocalTime()
            $made.Kind | Should -Be 'Local'
            $date = ConvertTo-FieldValue -Value $made -As Date -Name test
            $date.Kind | Should -Be 'Utc'
            $date.Ticks | Should -Be $Ticks
        }
    }

    It 'that are none make the document invalid: <_>' -ForEach '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', 'yesterday', '03/04/2026', '' {
        $document = New-StatusDocument
        $document.collectedAt = $_
        Use-FakeCore -Document $document
        Get-ErrorId { Get-BitLockerDiskAudit } | Should -Be 'CoreOutputInvalid'
    }
}

Describe 'Values of the document' -Tag Documents {
    It 'become <As> from the <From> that an edition of PowerShell reads' -ForEach @(
        @{ From = 'Int32'; Value = [int]7; As = 'Long'; Expected = [long]7 }
        @{ From = 'Int64'; Value = [long]998575702016; As = 'Long'; Expected = [long]998575702016 }
        @{ From = 'Decimal'; Value = [decimal]998575702016; As = 'Long'; Expected = [long]998575702016 }
        @{ From = 'Double'; Value = [double]4096; As = 'Long'; Expected = [long]4096 }
        @{ From = 'BigInteger'; Value = [bigint]4096; As = 'Long'; Expected = [long]4096 }
        @{ From = 'Int32'; Value = [int]100; As = 'Double'; Expected = [double]100 }
        @{ From = 'Decimal'; Value = [decimal]45.25; As = 'Double'; Expected = [double]45.25 }
        @{ From = 'Double'; Value = [double]45.25; As = 'Double'; Expected = [double]45.25 }
        @{ From = 'Int64'; Value = [long]-1; As = 'Long'; Expected = [long]-1 }
    ) {
        InModuleScope BitLockerDiskAudit -Parameters @{ Value = $Value; As = $As; Expected = $Expected } {
            $read = ConvertTo-FieldValue -Value $Value -As $As -Name test
            $read.GetType() | Should -Be $Expected.GetType()
            $read | Should -BeExactly $Expected
        }
    }

    It 'that are too large for a property are $null, with a warning' {
        $document = New-StatusDocument
        $document.disks[0].health.writtenBytes = [bigint]::Parse('18446744073709551615')
        Use-FakeCore -Document $document
        $status = Get-BitLockerDiskAudit -Detailed -WarningVariable warnings -WarningAction SilentlyContinue
        $null -eq $status.Disks[0].WrittenBytes | Should -BeTrue
        $warnings.Count | Should -Be 1
        "$warnings" | Should -Match 'health\.writtenBytes'
    }

    It 'of the wrong kind make the document invalid, by name: <Field>' -ForEach @(
        @{ Field = 'sizeBytes'; Change = { param($d) $d.volumes[0].sizeBytes = 'big' } }
        @{ Field = 'sizeBytes'; Change = { param($d) $d.volumes[0].sizeBytes = 1.5 } }
        @{ Field = 'label'; Change = { param($d) $d.volumes[0].label = 5 } }
        @{ Field = 'clearKey'; Change = { param($d) $d.volumes[0].encryption.clearKey = 'false' } }
        @{ Field = 'complete'; Change = { param($d) $d.complete = 1 } }
        @{ Field = 'volumes'; Change = { param($d) $d.volumes = @{ id = 'x' } } }
        @{ Field = 'mountPoints'; Change = { param($d) $d.volumes[0].mountPoints = 'C:' } }
    ) {
        $document = New-StatusDocument
        & $Change $document
        Use-FakeCore -Document $document
        { Get-BitLockerDiskAudit } | Should -Throw -ErrorId 'CoreOutputInvalid,Get-BitLockerDiskAudit' -ExpectedMessage "*$Field*"
    }
}

Describe 'The status object' -Tag Documents {
    BeforeAll {
        Use-FakeCore -Document (New-StatusDocument)
        $status = Get-BitLockerDiskAudit -Detailed
    }

    It 'is one object with everything' {
        @($status).Count | Should -Be 1
        $status.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Status'
        $status.CollectedAt.Kind | Should -Be 'Utc'
        $status.Complete | Should -BeTrue
        $status.SchemaVersion | Should -BeExactly '1.0'
        $status.ToolVersion | Should -BeExactly '1.2.3'
        $status.Source | Should -BeExactly 'windows'
        $status.BitLockerAvailable | Should -BeTrue
        $status.BitLockerProvider | Should -BeExactly 'wmi'
        $null -eq $status.BitLockerReason | Should -BeTrue
    }

    It 'has lists as arrays, with one disk too (C18)' {
        foreach ($name in 'Disks', 'Volumes', 'Findings', 'Problems') {
            , $status.$name | Should -BeOfType [object[]]
        }
        $status.Disks.Count | Should -Be 1
        $status.Volumes.Count | Should -Be 3
        $status.Findings.Count | Should -Be 4
        $status.Problems.Count | Should -Be 0
    }

    It 'has a disk with its facts' {
        $disk = $status.Disks[0]
        $disk.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Disk'
        $disk.Bus | Should -BeExactly 'NVMe'
        $disk.BusCode | Should -Be 17
        $disk.NVMe | Should -BeTrue
        $disk.SizeBytes | Should -BeOfType [long]
        $disk.DriverName | Should -BeExactly 'stornvme'
        $disk.WriteCacheType | Should -BeExactly 'WriteBack'
        $disk.WriteCachePowerProtected | Should -BeFalse
        $null -eq $disk.WriteCacheStoredEnabled | Should -BeTrue
        $disk.SelfEncryptingStandard | Should -BeExactly 'Opal 2'
        $disk.TemperatureCelsius | Should -BeOfType [double]
        $disk.PercentUsed | Should -Be 3.5
        $disk.WrittenBytes | Should -Be 20480000000000
    }

    It 'has the computer and its policy, unknown answers as $null' {
        $status.Machine.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Machine'
        $status.Machine.OS | Should -BeExactly 'Windows 11 Pro'
        $status.Machine.VirtualMachine | Should -BeFalse
        $status.Machine.Portable | Should -BeTrue
        $status.Machine.BatteryPercent | Should -Be 73.5
        $status.Machine.CpuCores | Should -BeOfType [long]
        $status.Machine.EntraJoined | Should -BeTrue
        $null -eq $status.Machine.MdmEnrolled | Should -BeTrue
        $null -eq $status.Machine.MdmProvider | Should -BeTrue
        $status.Machine.ProgramArchitecture | Should -BeExactly 'amd64'
        $status.Machine.RebootPending | Should -BeFalse
        $status.Policy.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Policy'
        $status.Policy.PreventDeviceEncryption | Should -BeFalse
        $null -eq $status.Policy.RequireDeviceEncryption | Should -BeTrue
        $status.Policy.MethodOperatingSystem | Should -BeExactly 'XtsAes256'
        $null -eq $status.Policy.MethodFixed | Should -BeTrue
        $status.Policy.ManagementEnforces | Should -BeFalse
        $status.Policy.Origins | Should -Be 'Intune'
    }

    It 'has findings and problems as objects' {
        $status.Findings[3].PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Finding'
        $status.Findings[3].Target | Should -BeExactly 'machine'
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 2 -Problem (New-Problem -Code 'volume-locked' -HResult '0x80310000' -HResultName 'FVE_E_LOCKED_VOLUME')
        Use-FakeCore -Document $document -ExitCode 3
        $status = Get-BitLockerDiskAudit -Detailed -ErrorAction SilentlyContinue
        $status.Problems[0].PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Problem'
        $status.Problems[0].HResultName | Should -BeExactly 'FVE_E_LOCKED_VOLUME'
        $status.Problems[0].Retryable | Should -BeFalse
        $status.Volumes[2].Problems | Should -Be 'volume-locked'
        $status.Complete | Should -BeFalse
    }
}

Describe 'The JSON' {
    It 'is the line that the executable wrote, unchanged' {
        Use-FakeCore -Document (New-StatusDocument)
        $json = Get-BitLockerDiskAudit -AsJson
        $json | Should -BeOfType [string]
        $json | Should -BeExactly ([System.IO.File]::ReadAllText($env:FAKECORE_STDOUT).TrimEnd("`n"))
    }

    It 'comes out for a run that failed, too' {
        $document = New-StatusDocument
        $document.volumes = @()
        $document.disks = @()
        $document.problems = @(New-Problem -Code 'internal-error')
        $document.complete = $false
        Use-FakeCore -Document $document -ExitCode 1
        $json = Get-BitLockerDiskAudit -AsJson -ErrorVariable problems -ErrorAction SilentlyContinue
        $json | Should -Match '"internal-error"'
        @($problems)[-1].FullyQualifiedErrorId | Should -BeExactly 'InternalError,Get-BitLockerDiskAudit'
    }
}
