function Remove-OwnError {
    <#
    .SYNOPSIS
    Takes the records out of $Error that came in while the module did its work.

    .DESCRIPTION
    Windows PowerShell 5.1 puts each line that a program writes to a redirected stderr into
    $Error, and every edition puts a caught error there. Neither is an error of the caller's.
    Constrained Language Mode allows no call on $Error: there they stay.

    .PARAMETER Newest
    The newest record from before the work; $null when there was none.
    #>
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [object] $Newest
    )

    if ("$($ExecutionContext.SessionState.LanguageMode)" -ne 'FullLanguage') {
        return
    }
    while ($global:Error.Count -gt 0 -and -not [object]::ReferenceEquals($global:Error[0], $Newest)) {
        $global:Error.RemoveAt(0)
    }
}
