Set-StrictMode -Version Latest

# $PSScriptRoot inside a function is the folder of the file that defines it, so the module's own
# folder is kept here.
$script:ModuleRoot = $PSScriptRoot

# Named one by one: a stray file in the folder is never run.
. $PSScriptRoot/private/ConvertFrom-DiskAuditOutput.ps1
. $PSScriptRoot/private/ConvertTo-AuditBench.ps1
. $PSScriptRoot/private/ConvertTo-AuditDisk.ps1
. $PSScriptRoot/private/ConvertTo-AuditFinding.ps1
. $PSScriptRoot/private/ConvertTo-AuditMachine.ps1
. $PSScriptRoot/private/ConvertTo-AuditPolicy.ps1
. $PSScriptRoot/private/ConvertTo-AuditProblem.ps1
. $PSScriptRoot/private/ConvertTo-AuditRemediation.ps1
. $PSScriptRoot/private/ConvertTo-AuditStatus.ps1
. $PSScriptRoot/private/ConvertTo-AuditSummary.ps1
. $PSScriptRoot/private/ConvertTo-AuditVolume.ps1
. $PSScriptRoot/private/ConvertTo-BenchComparison.ps1
. $PSScriptRoot/private/ConvertTo-BenchFlag.ps1
. $PSScriptRoot/private/ConvertTo-BenchProfileList.ps1
. $PSScriptRoot/private/ConvertTo-BenchTest.ps1
. $PSScriptRoot/private/ConvertTo-ByteCount.ps1
. $PSScriptRoot/private/ConvertTo-ConsentText.ps1
. $PSScriptRoot/private/ConvertTo-DurationText.ps1
. $PSScriptRoot/private/ConvertTo-ErrorId.ps1
. $PSScriptRoot/private/ConvertTo-FieldValue.ps1
. $PSScriptRoot/private/ConvertTo-GuardFailure.ps1
. $PSScriptRoot/private/ConvertTo-ImagePath.ps1
. $PSScriptRoot/private/ConvertTo-ParameterText.ps1
. $PSScriptRoot/private/ConvertTo-PlatformName.ps1
. $PSScriptRoot/private/ConvertTo-ProblemFailure.ps1
. $PSScriptRoot/private/ConvertTo-ProblemOutcome.ps1
. $PSScriptRoot/private/ConvertTo-QuietOutcome.ps1
. $PSScriptRoot/private/ConvertTo-RemediationFlag.ps1
. $PSScriptRoot/private/ConvertTo-RemediationStep.ps1
. $PSScriptRoot/private/ConvertTo-RunningText.ps1
. $PSScriptRoot/private/ConvertTo-SpanText.ps1
. $PSScriptRoot/private/ConvertTo-TargetPath.ps1
. $PSScriptRoot/private/ConvertTo-VolumeName.ps1
. $PSScriptRoot/private/Get-AuditOutcome.ps1
. $PSScriptRoot/private/Get-BenchOutcome.ps1
. $PSScriptRoot/private/Get-DiskAuditPath.ps1
. $PSScriptRoot/private/Get-DocumentFault.ps1
. $PSScriptRoot/private/Get-DocumentField.ps1
. $PSScriptRoot/private/Get-ExitFailure.ps1
. $PSScriptRoot/private/Get-NativeMachine.ps1
. $PSScriptRoot/private/Get-PromptObstacle.ps1
. $PSScriptRoot/private/Get-RemediationOutcome.ps1
. $PSScriptRoot/private/Get-RemediationTurn.ps1
. $PSScriptRoot/private/Get-StatusOutcome.ps1
. $PSScriptRoot/private/Invoke-DiskAudit.ps1
. $PSScriptRoot/private/New-AuditErrorRecord.ps1
. $PSScriptRoot/private/New-AuditFailure.ps1
. $PSScriptRoot/private/New-AuditObject.ps1
. $PSScriptRoot/private/Read-DocumentField.ps1
. $PSScriptRoot/private/Remove-OwnError.ps1
. $PSScriptRoot/private/Select-AuditInput.ps1
. $PSScriptRoot/private/Select-BenchTarget.ps1
. $PSScriptRoot/private/Select-RemediationTarget.ps1
. $PSScriptRoot/private/Test-ArgumentValue.ps1
. $PSScriptRoot/private/Test-NonInteractiveSwitch.ps1
. $PSScriptRoot/private/Write-RunProgress.ps1
. $PSScriptRoot/public/Disable-SoftwareBitLocker.ps1
. $PSScriptRoot/public/Get-BitLockerDiskAudit.ps1
. $PSScriptRoot/public/Test-NvmeLatency.ps1

Export-ModuleMember -Function 'Disable-SoftwareBitLocker', 'Get-BitLockerDiskAudit', 'Test-NvmeLatency'
