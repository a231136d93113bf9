function Select-AuditInput {
    <#
    .SYNOPSIS
    Tells what a piped object stands for: a volume, an image file, a volume of an image file, or
    nothing that can be audited.

    .DESCRIPTION
    Looks at the object itself instead of at what parameter binding made of it. Binding turns an
    object whose DriveLetter is a [char] into its text, and one without a drive letter into
    nothing at all - which must not end in an audit of everything.

    .OUTPUTS
    A hashtable with Volume, Image and Failure; what does not apply is $null.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [AllowEmptyString()]
        [object] $InputObject,

        # The facts are read from a recording, so volumes of a recording can be named.
        [switch] $Recorded
    )

    $chosen = @{ Volume = $null; Image = $null; Failure = $null }
    if ($InputObject -is [string] -or $InputObject -is [char]) {
        if ("$InputObject" -match '[^\s\x00]') {
            $chosen.Volume = ConvertTo-VolumeName -Name "$InputObject"
            return $chosen
        }
        $chosen.Failure = New-AuditFailure -Id InputNotUsable -Target $InputObject -Message 'The piped text is empty: it names no volume.'
        return $chosen
    }
    if ($null -eq $InputObject) {
        $chosen.Failure = New-AuditFailure -Id InputNotUsable -Message 'The piped object is $null: it names no volume.'
        return $chosen
    }

    $own = @($InputObject.PSObject.TypeNames) -match '^(Deserialized\.)?BitLockerDiskAudit\.Volume$'
    if ($own) {
        $source = Get-DocumentField -Document $InputObject -Path 'Source'
        if ($source -eq 'recording' -and -not $Recorded) {
            $text = "The volume $($InputObject.MountPoint) comes from a recording of another computer. Name the recording with -Recording, or the volume by its drive letter."
            $chosen.Failure = New-AuditFailure -Id InputNotUsable -Target $InputObject -Message $text
            return $chosen
        }
        $chosen.Volume = ConvertTo-VolumeName -Name $InputObject.VolumeId
        if ($source -eq 'image') {
            # The disk is the image, and the volume's id begins with its path; an image of a
            # single volume may have no disk.
            $chosen.Image = $InputObject.VolumeId -replace '#partition\d+$', ''
            if ($InputObject.DiskId) {
                $chosen.Image = $InputObject.DiskId
            }
        }
        return $chosen
    }

    # Files and folders, also those that came through remoting.
    $fullName = Get-DocumentField -Document $InputObject -Path 'FullName'
    if ($fullName -is [string] -and $fullName) {
        if ($InputObject -is [System.IO.DirectoryInfo] -or (Get-DocumentField -Document $InputObject -Path 'PSIsContainer') -eq $true) {
            $chosen.Volume = ConvertTo-VolumeName -Name $fullName
        }
        elseif ($Recorded) {
            $chosen.Failure = New-AuditFailure -Id InputNotUsable -Target $InputObject -Message "The file $fullName was piped, but -Recording reads volumes from a recording: a file names none."
        }
        else {
            $chosen.Image = ConvertTo-ImagePath -Path $fullName
        }
        return $chosen
    }

    # MountPoint: Get-BitLockerVolume. DriveLetter: Get-Volume, Get-Partition, Win32_Volume; it is
    # a NUL character when there is no letter. Path, UniqueId, DeviceID: the GUID path.
    # AccessPaths: Get-Partition. The drive letter comes last as DeviceID of Win32_LogicalDisk.
    $places = @(
        @('MountPoint', '[^\s\x00]'),
        @('DriveLetter', '^[A-Za-z]:?$'),
        @('Path', '^\\\\\?\\Volume\{'),
        @('UniqueId', '^\\\\\?\\Volume\{'),
        @('DeviceID', '^\\\\\?\\Volume\{'),
        @('AccessPaths', '^\\\\\?\\Volume\{'),
        @('DeviceID', '^[A-Za-z]:$')
    )
    foreach ($place in $places) {
        foreach ($value in (Get-DocumentField -Document $InputObject -Path $place[0])) {
            if ("$value" -match $place[1]) {
                $chosen.Volume = ConvertTo-VolumeName -Name "$value"
                return $chosen
            }
        }
    }
    $chosen.Failure = New-AuditFailure -Id InputNotUsable -Target $InputObject -Message "The piped object $InputObject names no volume and no image file: it has no MountPoint, DriveLetter, GUID path or FullName."
    $chosen
}
