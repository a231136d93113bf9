function ConvertTo-AuditVolume {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.Volume from a volume of the document, with what the document says
    about it elsewhere: findings, time and source.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Volume')]
    param(
        [Parameter(Mandatory)]
        [object] $Volume,

        # The document that the volume is part of.
        [Parameter(Mandatory)]
        [object] $Document,

        # The document's findings, as BitLockerDiskAudit.Finding.
        [Parameter(Mandatory)]
        [AllowEmptyCollection()]
        [object[]] $Finding
    )

    $fields = [ordered]@{
        MountPoint             = 'Text', 'id'
        MountPoints            = 'TextList', 'mountPoints'
        VolumeId               = 'Text', 'id'
        Label                  = 'Text', 'label'
        FileSystem             = 'Text', 'fileSystem'
        VolumeType             = 'Text', 'type.name'
        VolumeTypeCode         = 'Long', 'type.code'
        SizeBytes              = 'Long', 'sizeBytes'
        FreeBytes              = 'Long', 'freeBytes'
        ClusterBytes           = 'Long', 'clusterBytes'
        FileSystemDirty        = 'Boolean', 'fileSystemDirty'
        DiskId                 = 'List', 'extents'
        EncryptionFormat       = 'Text', 'encryption.format'
        Conversion             = 'Text', 'encryption.conversion.name'
        ConversionCode         = 'Long', 'encryption.conversion.code'
        Percent                = 'Double', 'encryption.percent'
        UsedSpaceOnly          = 'Boolean', 'encryption.usedSpaceOnly'
        Wiping                 = 'Text', 'encryption.wiping.name'
        WipingCode             = 'Long', 'encryption.wiping.code'
        WipePercent            = 'Double', 'encryption.wipePercent'
        Method                 = 'Text', 'encryption.method.name'
        MethodCode             = 'Long', 'encryption.method.code'
        Engine                 = 'Text', 'encryption.engine'
        DriveMethod            = 'Text', 'encryption.driveMethod'
        HardwareEncryption     = 'Text', 'encryption.hardwareEncryption.name'
        HardwareEncryptionCode = 'Long', 'encryption.hardwareEncryption.code'
        Protection             = 'Text', 'encryption.protection.name'
        ProtectionCode         = 'Long', 'encryption.protection.code'
        ProtectionReason       = 'Text', 'encryption.protectionReason'
        SuspendCount           = 'Long', 'encryption.suspendCount'
        Lock                   = 'Text', 'encryption.lock.name'
        LockCode               = 'Long', 'encryption.lock.code'
        Protectors             = 'List', 'encryption.protectors'
        ProtectorCodes         = 'List', 'encryption.protectors'
        ProtectorIds           = 'List', 'encryption.protectors'
        ClearKey               = 'Boolean', 'encryption.clearKey'
        AutoUnlock             = 'Boolean', 'encryption.autoUnlock'
        AutoUnlockKeysStored   = 'Boolean', 'encryption.autoUnlockKeysStored'
        HardwareTest           = 'Text', 'encryption.hardwareTest.name'
        HardwareTestCode       = 'Long', 'encryption.hardwareTest.code'
        MetadataVersion        = 'Long', 'encryption.metadataVersion'
        VolumeGuid             = 'Text', 'encryption.volumeGuid'
        Description            = 'Text', 'encryption.description'
        CreatedAt              = 'Date', 'encryption.createdAt'
        SectorBytes            = 'Long', 'encryption.sectorBytes'
        Findings               = 'List', 'findings'
        Severity               = 'Text', 'severity'
        Problems               = 'List', 'problems'
    }
    $properties = Read-DocumentField -Document $Volume -Field $fields

    # Piping the object on needs one name for it, also where there is no mount point.
    foreach ($first in @($properties.MountPoints | Select-Object -First 1)) {
        $properties.MountPoint = $first
    }
    $extents = @($properties.DiskId | Select-Object -First 1)
    $properties.DiskId = $null
    foreach ($extent in $extents) {
        $properties.DiskId = ConvertTo-FieldValue -Value (Get-DocumentField -Document $extent -Path 'diskId') -As Text -Name 'extents.diskId'
    }

    # Protectors that could not be read stay $null: no list is not an empty list.
    if ($null -ne $properties.Protectors) {
        $protectors = $properties.Protectors
        $columns = @{ Protectors = 'Text', 'type.name'; ProtectorCodes = 'Long', 'type.code'; ProtectorIds = 'Text', 'id' }
        foreach ($column in $columns.Keys) {
            $type, $path = $columns[$column]
            $properties[$column] = [object[]]@(
                foreach ($protector in $protectors) {
                    ConvertTo-FieldValue -Value (Get-DocumentField -Document $protector -Path $path) -As $type -Name "protectors.$path"
                }
            )
        }
    }

    $about = @($Finding | Where-Object -Property Target -CEQ -Value $properties.VolumeId)
    $properties.Findings = [object[]]@($about | ForEach-Object -MemberName Id)
    $properties.Severity = $null
    # A severity that is not listed ranks above the others: it is not known to be harmless.
    $ranks = @{ info = 0; notice = 1; warning = 2; critical = 3 }
    $highest = -1
    foreach ($each in $about) {
        $rank = 4
        if ($ranks.Keys -contains $each.Severity) {
            $rank = $ranks[$each.Severity]
        }
        if ($rank -gt $highest) {
            $highest = $rank
            $properties.Severity = $each.Severity
        }
    }
    $properties.Problems = [object[]]@(
        foreach ($problem in $properties.Problems) {
            ConvertTo-FieldValue -Value (Get-DocumentField -Document $problem -Path 'code') -As Text -Name 'problems.code'
        }
    )

    $header = [ordered]@{
        Source       = 'Text', 'machine.source'
        ComputerName = 'Text', 'machine.computerName'
        CollectedAt  = 'Date', 'collectedAt'
        Complete     = 'Boolean', 'complete'
    }
    $common = Read-DocumentField -Document $Document -Field $header
    foreach ($name in $common.Keys) {
        $properties[$name] = $common[$name]
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.Volume' -Property $properties
}
