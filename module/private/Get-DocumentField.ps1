function Get-DocumentField {
    <#
    .SYNOPSIS
    Reads a field by its path, such as encryption.method.name. A field that is not there is $null:
    strict mode would throw.
    #>
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [object] $Document,

        [Parameter(Mandatory)]
        [string] $Path
    )

    $value = $Document
    foreach ($step in $Path.Split('.')) {
        if ($null -eq $value) {
            return $null
        }
        $property = $value.PSObject.Properties[$step]
        if ($null -eq $property) {
            return $null
        }
        $value = $property.Value
    }
    # The comma keeps a list of one or none a list.
    , $value
}
