function Get-ExitFailure {
    <#
    .SYNOPSIS
    Says what an exit code of the executable means as an error; nothing for a code that is none.

    .OUTPUTS
    A hashtable with Id, Text and Documented, which is $false for a code that the executable
    never returns by itself: it crashed or was killed.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        [Parameter(Mandatory)]
        [int] $ExitCode
    )

    # 3, partial, is told by the document's problems; 8 is asked for with --fail-on only.
    if (0, 3, 8 -contains $ExitCode) {
        return
    }
    $known = @{
        1   = 'CoreFailed', 'diskaudit failed.'
        2   = 'UsageError', 'diskaudit did not understand its arguments.'
        4   = 'ElevationRequired', 'diskaudit needs administrator rights for this.'
        5   = 'OperationRefused', 'diskaudit refused; nothing was changed.'
        6   = 'ProviderUnavailable', 'BitLocker cannot be asked on this computer.'
        7   = 'OperationInProgress', 'The work is still in progress.'
        130 = 'Interrupted', 'diskaudit was interrupted.'
    }
    if ($known.Keys -contains $ExitCode) {
        $id, $text = $known[$ExitCode]
        return @{ Id = $id; Text = $text; Documented = $true }
    }
    # A negative code is a Windows status such as 0xC0000005.
    $shown = "$ExitCode"
    if ($ExitCode -lt 0) {
        $shown = '{0} (0x{0:X8})' -f $ExitCode
    }
    @{ Id = 'CoreFailed'; Text = "diskaudit ended with exit code $shown, as after a crash or when it is killed."; Documented = $false }
}
