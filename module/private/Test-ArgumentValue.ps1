function Test-ArgumentValue {
    <#
    .SYNOPSIS
    Says why a value cannot be passed to a program; nothing when it can.

    .DESCRIPTION
    Windows PowerShell 5.1 and PowerShell 7 quote arguments differently: 5.1 drops an empty one
    and loses double quotes, and a backslash before the closing quote takes the quote with it.
    No escaping is right in both, so such values are refused before the call.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Value
    )

    $rules = @(
        @('^\s*$', 'it is empty'),
        @('"', 'it contains a double quote'),
        @('[\x00-\x1f\x7f]', 'it contains a line end or another control character'),
        @('\\$', 'it ends in a backslash')
    )
    foreach ($rule in $rules) {
        if ($Value -match $rule[0]) {
            return $rule[1]
        }
    }
}
