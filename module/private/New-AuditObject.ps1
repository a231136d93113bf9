function New-AuditObject {
    <#
    .SYNOPSIS
    Makes an object with the given properties, in order, and a type name for views.

    .DESCRIPTION
    New-Object, because Constrained Language Mode refuses a cast to [pscustomobject].
    #>
    [CmdletBinding()]
    [OutputType([System.Management.Automation.PSObject])]
    param(
        [Parameter(Mandatory)]
        [string] $TypeName,

        [Parameter(Mandatory)]
        [System.Collections.IDictionary] $Property
    )

    $object = New-Object -TypeName PSObject -Property $Property
    Add-Member -InputObject $object -TypeName $TypeName
    $object
}
