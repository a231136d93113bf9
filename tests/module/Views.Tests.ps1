BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    # As a console of the given width shows it.
    function Get-View {
        param($Object, [int] $Width)
        ($Object | Out-String -Width $Width) -replace '\x1b\[[0-9;]*m', ''
    }
}

Describe 'The table of volumes' {
    BeforeAll {
        $document = New-StatusDocument
        $encryption = $document.volumes[1].encryption
        $encryption.conversion = @{ name = 'EncryptionInProgress'; code = 2 }
        $encryption.percent = 45.25
        $encryption.protectionReason = 'suspended'
        $encryption.suspendCount = 2
        Use-FakeCore -Document $document
        $volumes = Get-BitLockerDiskAudit
    }

    It 'fits into 120 characters with all columns' {
        # A console of 120 columns leaves 119 for text.
        $lines = (Get-View $volumes 119) -split '\r?\n'
        $lines | ForEach-Object { $_.Length | Should -BeLessOrEqual 119 }
        $header = @($lines -match 'MountPoint')[0]
        $header -split '\s+' | Where-Object { $_ } |
            Should -Be 'MountPoint', 'Conversion', 'Protection', 'Method', 'Engine', 'Type', 'Size', 'Protectors'
        @($lines -match '^C: ')[0] | Should -Match '^C:\s+FullyEncrypted 100%\s+On \(protected\)\s+XtsAes128\s+software\s+OS\s+930\.0 GiB Tpm$'
        $lines | Should -Contain ((' ' * 100) + 'RecoveryPassword')
    }

    It 'shows encryption, protection, method and engine within 80 characters' {
        $lines = (Get-View $volumes 79) -split '\r?\n'
        $lines | ForEach-Object { $_.Length | Should -BeLessOrEqual 79 }
        @($lines -match '^C: ')[0] | Should -Match '^C:\s+FullyEncrypted 100%\s+On \(protected\)\s+XtsAes128\s+software\s*$'
        # No column is squeezed to a width that nobody can read.
        $lines -match 'Type|Size|^\s*T\s*$' | Should -BeNullOrEmpty
    }

    It 'tears no word apart at the widths of consoles' {
        foreach ($width in 79, 80, 99, 119, 120, 160) {
            $text = Get-View $volumes $width
            foreach ($word in 'FullyEncrypted', 'EncryptionInProgress', 'XtsAes128', 'software') {
                $text | Should -Match $word -Because "the width is $width"
            }
        }
        Get-View $volumes 119 | Should -Match 'RecoveryPassword'
    }

    It 'shows what is not known as ?, and never as no encryption' {
        @((Get-View $volumes 120) -split '\r?\n' -match '^D: ')[0] | Should -Match '^D:\s+\?\s+Unknown \(locked\)\s+\?\s+\?\s+Data\s+\?\s+\?\s*$'
    }

    It 'shows progress, restarts left, and short names for volumes without a letter' {
        $text = (Get-View $volumes 120)
        $text | Should -Match '\{9f0c1d2e\}'
        $text | Should -Match 'EncryptionInProgress'
        $text | Should -Match '(?m)^ +45\.3%'
        $text | Should -Match 'suspended, 2 left'
    }
}

Describe 'The longest words' -Tag Documents {
    It 'are not torn apart' {
        $document = New-StatusDocument
        $encryption = $document.volumes[0].encryption
        $encryption.protection = @{ name = 'Off'; code = 0 }
        $encryption.protectionReason = 'waiting-for-activation'
        $encryption.method = @{ name = 'Aes128Diffuser'; code = 1 }
        $encryption.conversion = @{ name = 'DecryptionInProgress'; code = 3 }
        Use-FakeCore -Document $document
        $text = Get-View (Get-BitLockerDiskAudit | Select-Object -First 1) 80
        $text | Should -Match 'DecryptionInProgress Off +Aes128 +software'
        $text | Should -Match '100%\s+waiting-for-activation\s+Diffuser'
    }

    It 'show the number of a method that has no name' {
        $document = New-StatusDocument
        $document.volumes[0].encryption.method = @{ name = 'Unrecognized'; code = 32774 }
        Use-FakeCore -Document $document
        Get-View (Get-BitLockerDiskAudit | Select-Object -First 1) 80 | Should -Match '[?] 32774'
    }
}

Describe 'A volume of an image' {
    It 'shows the name of the file and the partition without the folder' {
        $document = New-StatusDocument
        $document.machine.source = 'image'
        $document.volumes = @($document.volumes[1])
        $document.volumes[0].id = '/data/images/a.vhd#partition2'
        Use-FakeCore -Document $document
        Get-View (Get-BitLockerDiskAudit -Image a) 80 | Should -Match '(?m)^a\.vhd#partition'
    }
}

Describe 'The other views' -Tag Documents {
    It 'sum a status up' {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 2 -Problem (New-Problem -Code 'volume-locked')
        Use-FakeCore -Document $document -ExitCode 3
        $status = Get-BitLockerDiskAudit -Detailed -ErrorAction SilentlyContinue
        $text = Get-View $status 400
        $text | Should -Match 'CollectedAt\s+: 2026-03-29 01:30:00 UTC'
        $text | Should -Match 'BitLocker\s+: available \(wmi\)'
        $text | Should -Match 'Volumes\s+: .*C: FullyEncrypted XtsAes128 On'
        $text | Should -Match 'Findings\s+: .*critical: device-encryption-not-prevented \(machine\)'
        $text | Should -Match 'Problems\s+: .*error: volume-locked'
        Get-View $status.Findings 160 | Should -Match 'critical\s+device-encryption-not-prevented machine'
        Get-View $status.Findings 160 | Should -Match 'warning\s+software-encryption\s+\{9f0c1d2e\}'
        Get-View $status.Problems 160 | Should -Match 'error\s+volume-locked'
        Get-View $status.Disks 160 | Should -Match 'PhysicalDrive0\s+Example NVMe 1TB\s+NVMe\s+SSD'
    }

    It 'show a provider that is not available as that' {
        $document = New-StatusDocument
        $document.bitLocker = @{ available = $false; provider = $null; reason = 'The feature is not installed.' }
        Use-FakeCore -Document $document
        Get-View (Get-BitLockerDiskAudit -Detailed) 200 | Should -Match 'not available: The feature is not installed\.'
    }

    It 'list the chosen properties of a volume' {
        Use-FakeCore -Document (New-StatusDocument)
        $text = Get-View (Get-BitLockerDiskAudit | Select-Object -First 1 | Format-List) 120
        $text | Should -Match 'Conversion\s+: FullyEncrypted'
        $text | Should -Match 'Protectors\s+: \{Tpm, RecoveryPassword\}'
    }
}

Describe 'The view of a remediation' -Tag Documents {
    It 'says how it stands, each step, and what stands against it, within 80 characters' {
        $document = Read-Document 'remediate-plan'
        $document.plan.guards += @{ id = 'portable'; target = 'machine'; result = 'refuse'; text = 'This computer is one that gets stolen; a thief could read the data of C: then. Go on with --override portable.'; override = '--override portable' }
        $document.plan.guards += @{ id = 'disk-health'; target = 'PhysicalDrive0'; result = 'unknown'; text = 'It is not known.'; override = '--override disk-health' }
        Use-FakeCore -Document $document -ExitCode 5
        $plan = Disable-SoftwareBitLocker -Force -ErrorAction SilentlyContinue
        $text = Get-View $plan 79
        $text -split '\r?\n' | ForEach-Object { $_.Length | Should -BeLessOrEqual 79 }
        $text | Should -Match 'Action +: decrypt'
        $text | Should -Match 'Verdict : Refused by portable, disk-health\. Nothing was changed\.'
        $text | Should -Match '2\. \[planned\] Decrypt C:'
        $text | Should -Match 'refuse: portable \(-Override portable\): This computer'
        $text | Should -Match 'unknown: disk-health'
        $text | Should -Not -Match 'state-unknown|Journal|Running|Problems'
        Get-View $plan.Guards 119 | Should -Match 'refuse +portable +machine +This'
        Get-View $plan.Steps 119 | Should -Match 'C: +planned +Decrypt C:'
    }

    It 'says what failed' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (Read-Document 'remediate-failed') -ExitCode 1
        $text = Get-View (Disable-SoftwareBitLocker -Force -ErrorAction SilentlyContinue) 79
        $text | Should -Match 'Verdict +: Not completed'
        $text | Should -Match '2\. \[failed\] Decrypt C:'
        $text | Should -Match 'Journal +: C:\\ProgramData'
        $text | Should -Match 'error: bitlocker-busy'
    }
}
