function ConvertTo-TargetPath {
    <#
    .SYNOPSIS
    Brings the ways to name what is measured to the one that the executable takes: a drive becomes
    C:, every other path absolute and without a separator at its end.

    .DESCRIPTION
    A GUID path names the root folder of a volume with a separator at its end, and the volume as a
    device without. A backslash cannot end an argument, so the root folder ends in a slash.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Name,

        # A drive or volume stands for its device, which is only read, and not for its root folder.
        [switch] $Device
    )

    if ($Name -match '^\s*[A-Za-z](:[\\/]*)?\s*$') {
        $drive = ConvertTo-VolumeName -Name $Name
        if ($Device) {
            return "\\.\$drive"
        }
        return $drive
    }
    if ($Name -match '^(\\\\\?\\Volume\{[0-9A-Fa-f-]+\})[\\/]*$') {
        if ($Device) {
            return $Matches[1]
        }
        return $Matches[1] + '/'
    }
    ConvertTo-VolumeName -Name (ConvertTo-ImagePath -Path $Name)
}
