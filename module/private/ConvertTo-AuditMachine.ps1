function ConvertTo-AuditMachine {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.Machine from the machine of the document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Machine')]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [object] $Machine
    )

    $fields = [ordered]@{
        Source              = 'Text', 'source'
        ComputerName        = 'Text', 'computerName'
        OS                  = 'Text', 'os'
        Build               = 'Text', 'build'
        Edition             = 'Text', 'edition'
        Architecture        = 'Text', 'architecture'
        ProgramArchitecture = 'Text', 'programArchitecture'
        RebootPending       = 'Boolean', 'rebootPending'
        Elevated            = 'Boolean', 'elevated'
        VirtualMachine      = 'Boolean', 'virtualMachine.detected'
        Hypervisor          = 'Text', 'virtualMachine.hypervisor'
        PowerSource         = 'Text', 'power.source'
        Portable            = 'Boolean', 'power.portable'
        BatteryPercent      = 'Double', 'power.batteryPercent'
        PowerPlan           = 'Text', 'power.plan'
        PowerSaver          = 'Boolean', 'power.saver'
        Cpu                 = 'Text', 'cpu.name'
        CpuCores            = 'Long', 'cpu.cores'
        LogicalProcessors   = 'Long', 'cpu.logicalProcessors'
        CpuAes              = 'Boolean', 'cpu.aes'
        TpmPresent          = 'Boolean', 'tpm.present'
        TpmReady            = 'Boolean', 'tpm.ready'
        TpmVersion          = 'Text', 'tpm.version'
        SecureBoot          = 'Boolean', 'secureBoot'
        DomainJoined        = 'Boolean', 'join.domain'
        EntraJoined         = 'Boolean', 'join.entra'
        MdmEnrolled         = 'Boolean', 'join.mdm'
        MdmProvider         = 'Text', 'join.mdmProvider'
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.Machine' -Property (Read-DocumentField -Document $Machine -Field $fields)
}
