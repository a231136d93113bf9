function ConvertTo-AuditStatus {
    <#
    .SYNOPSIS
    Makes the BitLockerDiskAudit.Status of a whole document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Status')]
    param(
        [Parameter(Mandatory)]
        [object] $Document
    )

    $fields = [ordered]@{
        CollectedAt        = 'Date', 'collectedAt'
        Complete           = 'Boolean', 'complete'
        SchemaVersion      = 'Text', 'schemaVersion'
        ToolVersion        = 'Text', 'tool.version'
        Source             = 'Text', 'machine.source'
        ComputerName       = 'Text', 'machine.computerName'
        BitLockerAvailable = 'Boolean', 'bitLocker.available'
        BitLockerProvider  = 'Text', 'bitLocker.provider'
        BitLockerReason    = 'Text', 'bitLocker.reason'
        Disks              = 'List', 'disks'
        Volumes            = 'List', 'volumes'
        Findings           = 'List', 'findings'
        Problems           = 'List', 'problems'
    }
    $properties = Read-DocumentField -Document $Document -Field $fields
    $findings = [object[]]@(foreach ($each in $properties.Findings) { ConvertTo-AuditFinding -Finding $each })
    $status = [ordered]@{}
    foreach ($name in $properties.Keys) {
        if ($name -eq 'Disks') {
            $status.Machine = ConvertTo-AuditMachine -Machine (Get-DocumentField -Document $Document -Path 'machine')
            $status.Policy = ConvertTo-AuditPolicy -Policy (Get-DocumentField -Document $Document -Path 'policy')
        }
        $status[$name] = $properties[$name]
    }
    $status.Disks = [object[]]@(foreach ($each in $properties.Disks) { ConvertTo-AuditDisk -Disk $each })
    $status.Volumes = [object[]]@(foreach ($each in $properties.Volumes) { ConvertTo-AuditVolume -Volume $each -Document $Document -Finding $findings })
    $status.Findings = $findings
    $status.Summary = ConvertTo-AuditSummary -Document $Document
    $status.Problems = [object[]]@(foreach ($each in $properties.Problems) { ConvertTo-AuditProblem -Problem $each })
    New-AuditObject -TypeName 'BitLockerDiskAudit.Status' -Property $status
}
