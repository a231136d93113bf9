@{
    RootModule           = 'BitLockerDiskAudit.psm1'
    ModuleVersion        = '0.1.0'
    GUID                 = 'b6a4d9f2-3c0e-4f0b-9a57-7e2d1c8f6a35'
    Author               = 'The BitLockerDiskAudit authors'
    Copyright            = 'Copyright (c) 2026 The BitLockerDiskAudit authors. MIT License.'
    Description          = 'Tells which volumes BitLocker encrypts, how, by software or by the drive, what that costs on this disk, what is wrong and what to do about it. Returns objects for pipelines; works in Windows PowerShell 5.1 and PowerShell 7, and on Linux for volumes and disk images.'
    PowerShellVersion    = '5.1'
    CompatiblePSEditions = @('Desktop', 'Core')
    FunctionsToExport    = @('Get-BitLockerDiskAudit', 'Test-NvmeLatency')
    CmdletsToExport      = @()
    VariablesToExport    = @()
    AliasesToExport      = @()
    TypesToProcess       = @('BitLockerDiskAudit.types.ps1xml')
    FormatsToProcess     = @('BitLockerDiskAudit.format.ps1xml', 'BitLockerDiskAudit.Bench.format.ps1xml')
    FileList             = @(
        'BitLockerDiskAudit.Bench.format.ps1xml'
        'BitLockerDiskAudit.format.ps1xml'
        'BitLockerDiskAudit.psd1'
        'BitLockerDiskAudit.psm1'
        'BitLockerDiskAudit.types.ps1xml'
        'en-US/about_BitLockerDiskAudit.help.txt'
        'private/ConvertFrom-DiskAuditOutput.ps1'
        'private/ConvertTo-AuditBench.ps1'
        'private/ConvertTo-AuditDisk.ps1'
        'private/ConvertTo-AuditFinding.ps1'
        'private/ConvertTo-AuditMachine.ps1'
        'private/ConvertTo-AuditPolicy.ps1'
        'private/ConvertTo-AuditProblem.ps1'
        'private/ConvertTo-AuditStatus.ps1'
        'private/ConvertTo-AuditVolume.ps1'
        'private/ConvertTo-BenchComparison.ps1'
        'private/ConvertTo-BenchFlag.ps1'
        'private/ConvertTo-BenchProfileList.ps1'
        'private/ConvertTo-BenchTest.ps1'
        'private/ConvertTo-ByteCount.ps1'
        'private/ConvertTo-DurationText.ps1'
        'private/ConvertTo-FieldValue.ps1'
        'private/ConvertTo-ImagePath.ps1'
        'private/ConvertTo-PlatformName.ps1'
        'private/ConvertTo-ProblemFailure.ps1'
        'private/ConvertTo-ProblemOutcome.ps1'
        'private/ConvertTo-QuietOutcome.ps1'
        'private/ConvertTo-TargetPath.ps1'
        'private/ConvertTo-VolumeName.ps1'
        'private/Get-AuditOutcome.ps1'
        'private/Get-BenchOutcome.ps1'
        'private/Get-DiskAuditPath.ps1'
        'private/Get-DocumentFault.ps1'
        'private/Get-DocumentField.ps1'
        'private/Get-ExitFailure.ps1'
        'private/Get-NativeMachine.ps1'
        'private/Get-StatusOutcome.ps1'
        'private/Invoke-DiskAudit.ps1'
        'private/New-AuditErrorRecord.ps1'
        'private/New-AuditFailure.ps1'
        'private/New-AuditObject.ps1'
        'private/Read-DocumentField.ps1'
        'private/Remove-OwnError.ps1'
        'private/Select-AuditInput.ps1'
        'private/Select-BenchTarget.ps1'
        'private/Test-ArgumentValue.ps1'
        'private/Write-RunProgress.ps1'
        'public/Get-BitLockerDiskAudit.ps1'
        'public/Test-NvmeLatency.ps1'
    )
    PrivateData          = @{
        PSData = @{
            Tags = @('BitLocker', 'Encryption', 'NVMe', 'Disk', 'Benchmark', 'Latency', 'Audit', 'Security', 'Windows', 'Linux', 'PSEdition_Desktop', 'PSEdition_Core')
        }
    }
}
