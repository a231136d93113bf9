function ConvertTo-AuditDisk {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.Disk from a disk of the document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Disk')]
    param(
        [Parameter(Mandatory)]
        [object] $Disk
    )

    $fields = [ordered]@{
        Id                             = 'Text', 'id'
        Model                          = 'Text', 'model'
        Serial                         = 'Text', 'serial'
        Firmware                       = 'Text', 'firmware'
        Bus                            = 'Text', 'bus.name'
        BusCode                        = 'Long', 'bus.code'
        NVMe                           = 'Boolean', 'nvme'
        Media                          = 'Text', 'media.name'
        MediaCode                      = 'Long', 'media.code'
        Removable                      = 'Boolean', 'removable'
        Container                      = 'Text', 'container'
        PartitionTable                 = 'Text', 'partitionTable'
        SizeBytes                      = 'Long', 'sizeBytes'
        LogicalSectorBytes             = 'Long', 'logicalSectorBytes'
        PhysicalSectorBytes            = 'Long', 'physicalSectorBytes'
        DriverName                     = 'Text', 'driver.name'
        DriverVersion                  = 'Text', 'driver.version'
        WriteCacheType                 = 'Text', 'writeCache.type.name'
        WriteCacheEnabled              = 'Boolean', 'writeCache.enabled'
        WriteCachePowerProtected       = 'Boolean', 'writeCache.powerProtected'
        WriteCacheStoredEnabled        = 'Boolean', 'writeCache.storedEnabled'
        WriteCacheStoredPowerProtected = 'Boolean', 'writeCache.storedPowerProtected'
        WriteCacheSpeedUpJournal       = 'Text', 'writeCache.speedUpJournal'
        SelfEncrypting                 = 'Boolean', 'selfEncrypting.supported'
        SelfEncryptingStandard         = 'Text', 'selfEncrypting.standard'
        SelfEncryptingLockingEnabled   = 'Boolean', 'selfEncrypting.lockingEnabled'
        HealthOK                       = 'Boolean', 'health.ok'
        CriticalWarning                = 'Long', 'health.criticalWarning'
        TemperatureCelsius             = 'Double', 'health.temperatureCelsius'
        PercentUsed                    = 'Double', 'health.percentUsed'
        AvailableSparePercent          = 'Double', 'health.availableSparePercent'
        SpareThresholdPercent          = 'Double', 'health.spareThresholdPercent'
        MediaErrors                    = 'Long', 'health.mediaErrors'
        PowerOnHours                   = 'Long', 'health.powerOnHours'
        UnsafeShutdowns                = 'Long', 'health.unsafeShutdowns'
        WrittenBytes                   = 'Long', 'health.writtenBytes'
        ReadBytes                      = 'Long', 'health.readBytes'
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.Disk' -Property (Read-DocumentField -Document $Disk -Field $fields)
}
