function ConvertTo-TargetPath {
    <#
    .SYNOPSIS
    Brings the ways to name what is measured to the one that the executable takes: a drive becomes
    C:, every other path absolute and without a separator at its end.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Name
    )

    # A path would turn C: into the current folder of that drive.
    if ($Name -notmatch '^\s*[A-Za-z](:[\\/]*)?\s*$') {
        $Name = ConvertTo-ImagePath -Path $Name
    }
    ConvertTo-VolumeName -Name $Name
}
