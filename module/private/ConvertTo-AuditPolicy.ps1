function ConvertTo-AuditPolicy {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.Policy from the policy of the document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Policy')]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [object] $Policy
    )

    $fields = [ordered]@{
        PreventDeviceEncryption           = 'Boolean', 'preventDeviceEncryption'
        RequireDeviceEncryption           = 'Boolean', 'requireDeviceEncryption'
        DenyWriteFixed                    = 'Boolean', 'denyWriteFixed'
        DenyWriteRemovable                = 'Boolean', 'denyWriteRemovable'
        MethodOperatingSystem             = 'Text', 'encryptionMethods.operatingSystem.name'
        MethodFixed                       = 'Text', 'encryptionMethods.fixed.name'
        MethodRemovable                   = 'Text', 'encryptionMethods.removable.name'
        HardwareEncryptionOperatingSystem = 'Boolean', 'hardwareEncryption.operatingSystem'
        HardwareEncryptionFixed           = 'Boolean', 'hardwareEncryption.fixed'
        HardwareEncryptionRemovable       = 'Boolean', 'hardwareEncryption.removable'
        Fips                              = 'Boolean', 'fips'
        ManagementEnforces                = 'Boolean', 'managementEnforces'
        Origins                           = 'TextList', 'origins'
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.Policy' -Property (Read-DocumentField -Document $Policy -Field $fields)
}
