function Read-DocumentField {
    <#
    .SYNOPSIS
    Reads many fields of a part of the document into the properties of an object.

    .PARAMETER Field
    An ordered table: the name of the property, then its type and the path of the field.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Specialized.OrderedDictionary])]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [object] $Document,

        [Parameter(Mandatory)]
        [System.Collections.IDictionary] $Field
    )

    $properties = [ordered]@{}
    foreach ($name in $Field.Keys) {
        $type, $path = $Field[$name]
        $properties[$name] = ConvertTo-FieldValue -Value (Get-DocumentField -Document $Document -Path $path) -As $type -Name $path
    }
    $properties
}
