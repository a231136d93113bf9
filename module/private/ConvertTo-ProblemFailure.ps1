function ConvertTo-ProblemFailure {
    <#
    .SYNOPSIS
    Describes a problem of the document as an error. Its id is the problem's code in Pascal case:
    volume-locked becomes VolumeLocked.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # A BitLockerDiskAudit.Problem.
        [Parameter(Mandatory)]
        [object] $Problem
    )

    # The first rule that fits the code decides.
    $rules = @(
        @('^baseline', 'InvalidData', 'Name a file that diskaudit bench, CrystalDiskMark, diskspd or fio wrote.'),
        @('^no-space$', 'ResourceUnavailable', 'Free some space, name another volume, or measure with a smaller file: -Size.'),
        @('^read-only$', 'ResourceUnavailable', 'Name a volume that can be written to, or a file or device, which is only read. A policy can make volumes without BitLocker read-only.'),
        @('^remote$', 'InvalidArgument', 'Name a volume of a disk of this computer.'),
        @('^not-a-target$', 'InvalidArgument', 'Name a drive, a folder, a file or a device.'),
        @('^only-read$', 'InvalidOperation', 'Choose tests that read, or name a volume or a folder, where a file can be written.'),
        @('^no-direct-io$', 'NotImplemented', 'Name a folder on another file system: this one can only be measured through its cache.'),
        @('^(target-)?too-small$|^file-too-large$|^block-not-aligned$', 'InvalidArgument', 'Choose another -Size or -BlockSize, or another target.'),
        @('^too-slow$', 'OperationTimeout', 'Choose a smaller file, -Size, or a profile that takes more time.'),
        @('^is-written-to$', 'ResourceBusy', 'End what writes to it, or name another file.'),
        @('^file-left$', 'CloseError', 'Delete the file that the message names.'),
        @('^unavailable$', 'ResourceUnavailable', 'Check that the disk is attached and ready, and run the command again.'),
        @('^system-not-supported$', 'NotImplemented', 'Run the command on the Windows computer itself, or plan for it with -Recording.'),
        @('^another-run', 'ResourceBusy', 'Wait until the other run has ended, and run the command again.'),
        @('^encrypted-again$', 'InvalidOperation', 'Find out what encrypts it again, such as a policy of the management or a task, and end that first.'),
        @('^state-changed$|^verification-failed$|^change-without-effect$', 'InvalidResult', 'Look at the volumes with Get-BitLockerDiskAudit, and run the command again for a new plan.'),
        @('^change-not-allowed$', 'InvalidOperation', 'Read the message: it says what keeps Windows from it.'),
        @('^journal', 'WriteError', 'Read the message. Nothing is changed without a journal.'),
        @('elevation|denied|permission|raw-access', 'PermissionDenied', 'If PowerShell does not run as administrator (on Linux as root), start it so and run the command again.'),
        @('(^|-)locked$', 'ResourceUnavailable', 'Unlock the volume, for example with Unlock-BitLocker, and run the command again.'),
        @('not-found|vanished', 'ObjectNotFound', 'Correct the name. Get-BitLockerDiskAudit without parameters lists the volumes.'),
        @('timeout', 'OperationTimeout', 'Raise -TimeoutSeconds.'),
        @('interrupted', 'OperationStopped', 'Run the command again.'),
        @('busy|in-use|not-ready', 'ResourceBusy', 'Run the command again when the volume or disk is idle.'),
        @('^feature-not-installed$', 'NotInstalled', 'Install the BitLocker feature (on Windows Server: Install-WindowsFeature BitLocker) and restart.'),
        @('^restart-required$', 'ResourceUnavailable', 'Restart the computer and run the command again.'),
        @('unavailable', 'ResourceUnavailable', 'Read the message: it says what can be done.'),
        @('^record', 'InvalidData', 'Make the recording again on the other computer: diskaudit status --record FILE.'),
        @('damaged|corrupt|truncated|broken', 'InvalidData', 'Write nothing to the volume or file before its content is safe. Check it with the tools that made it.'),
        @('^content-unrecognized$|^no-partitions$|^volume-member$', 'InvalidData', 'Check that it is the disk or volume that you mean. If it is, write nothing to it before its content is safe.'),
        @('unsupported|not-supported|unrecognized', 'NotImplemented', 'Look for a newer version of the module.'),
        @('internal', 'InvalidResult', 'Report the fault with the output of the same command with -AsJson.'),
        @('', 'ReadError', 'Read the message: it says what can be done.')
    )
    $rule = @($rules | Where-Object { $Problem.Code -match $_[0] })[0]
    $action = $rule[2]
    if ($Problem.Retryable) {
        $action = "Run the command again: the cause can pass by itself. If it stays: $action"
    }

    $id = ConvertTo-ErrorId -Code "$($Problem.Code)"
    $message = "$($Problem.Text)"
    if ($Problem.HResult -and -not $message.Contains($Problem.HResult)) {
        $message = $message + (' ({0})' -f (@($Problem.HResult, $Problem.HResultName | Where-Object { $_ }) -join ' '))
    }
    if (-not $message) {
        $message = "diskaudit reported the problem $id without a text."
    }
    New-AuditFailure -Id $id -Category $rule[1] -Action $action -Target $Problem.Target -Message $message
}
