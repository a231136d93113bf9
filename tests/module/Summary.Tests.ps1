# What Get-BitLockerDiskAudit -Summary gives: one flat object, whatever was found out. Cases C29, B59.

BeforeAll {
    . $PSScriptRoot/Testbed.ps1
    $names = 'State', 'Complete', 'Volumes', 'SoftwareEncrypted', 'HardwareEncrypted', 'NotEncrypted', 'Unprotected', 'UnknownVolumes',
    'Converting', 'OsVolume', 'OsConversion', 'OsMethod', 'OsEngine', 'OsProtection', 'OsProtectionReason', 'Critical', 'Warnings',
    'WorstFinding', 'Detail', 'ToolVersion'
    $numbers = 'Volumes', 'SoftwareEncrypted', 'HardwareEncrypted', 'NotEncrypted', 'Unprotected', 'UnknownVolumes', 'Converting', 'Critical', 'Warnings'
    function Test-SummaryType {
        param($Summary)
        $Summary.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Summary'
        @($Summary.PSObject.Properties.Name) | Should -Be $names
        foreach ($name in $names) {
            $type = [string]
            if ($name -eq 'Complete') { $type = [bool] }
            if ($numbers -contains $name) { $type = [long] }
            $Summary.$name | Should -BeOfType $type -Because $name
        }
    }
}

Describe 'The summary' -Tag Documents {
    It 'is one flat object with fixed types' {
        Use-FakeCore -Document (New-StatusDocument)
        $summary = Get-BitLockerDiskAudit -Summary
        @($summary).Count | Should -Be 1
        Test-SummaryType $summary
        $summary.State | Should -BeExactly 'unknown'
        $summary.Complete | Should -BeTrue
        $summary.Volumes | Should -Be 3
        $summary.OsMethod | Should -BeExactly 'XtsAes128'
        $summary.WorstFinding | Should -BeExactly 'device-encryption-not-prevented'
        $summary.ToolVersion | Should -BeExactly '1.2.3'
    }

    It 'is a part of the whole, too' {
        Use-FakeCore -Document (New-StatusDocument)
        Test-SummaryType (Get-BitLockerDiskAudit -Detailed).Summary
    }

    It 'has a word or a number for what is not known' {
        $document = New-StatusDocument
        foreach ($field in 'volumes', 'softwareEncrypted', 'unknownVolumes', 'osVolume', 'osConversion', 'osProtection', 'worstFinding') {
            $document.summary.$field = $null
        }
        Use-FakeCore -Document $document
        $summary = Get-BitLockerDiskAudit -Summary
        Test-SummaryType $summary
        $summary.Volumes | Should -Be -1
        $summary.UnknownVolumes | Should -Be -1
        $summary.OsVolume | Should -BeExactly 'Unknown'
        $summary.OsProtection | Should -BeExactly 'Unknown'
        $summary.WorstFinding | Should -BeExactly ''
    }

    It 'knows nothing of a document that has none' {
        $document = New-StatusDocument
        $document.Remove('summary')
        Use-FakeCore -Document $document
        $summary = Get-BitLockerDiskAudit -Summary
        Test-SummaryType $summary
        $summary.State | Should -BeExactly 'unknown'
        $summary.Complete | Should -BeFalse
        $summary.NotEncrypted | Should -Be -1
        $summary.WorstFinding | Should -BeExactly 'Unknown'
    }

    It 'comes out when nothing could be found out, with the reason as an error' {
        $document = New-StatusDocument
        $document.volumes = @()
        $document.disks = @()
        $document.findings = @()
        $document.complete = $false
        $document.problems = @(New-Problem -Code 'needs-elevation')
        $document.summary.state = 'unknown'
        Use-FakeCore -Document $document -ExitCode 4
        $summary = Get-BitLockerDiskAudit -Summary -ErrorVariable problems -ErrorAction SilentlyContinue
        $summary.State | Should -BeExactly 'unknown'
        @($problems)[-1].FullyQualifiedErrorId | Should -BeExactly 'NeedsElevation,Get-BitLockerDiskAudit'
    }
}
