function Test-NonInteractiveSwitch {
    <#
    .SYNOPSIS
    Tells whether PowerShell was started with the switch -NonInteractive, in any spelling that it
    accepts.

    .DESCRIPTION
    PowerShell takes -NonInteractive in any case, cut down to -noni, and with one hyphen, two, a
    slash or a dash of typography before it. What follows -Command or -File belongs to the script
    (learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_pwsh).
    #>
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        # The command line of the process, from the program on.
        [Parameter(Mandatory)]
        [AllowEmptyCollection()]
        [AllowEmptyString()]
        [string[]] $Argument
    )

    $last = 'command', 'commandwithargs', 'cwa', 'file'
    foreach ($each in @($Argument | Select-Object -Skip 1)) {
        if ($each -notmatch '^\s*(?:--|[-/\u2013\u2014\u2015])([A-Za-z]+)\s*$') {
            continue
        }
        $name = $Matches[1].ToLowerInvariant()
        if ($name.Length -ge 4 -and 'noninteractive'.StartsWith($name)) {
            return $true
        }
        if (@($last | Where-Object { $_.StartsWith($name) }).Count -gt 0) {
            return $false
        }
    }
    $false
}
