function ConvertTo-AuditFinding {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.Finding from a finding of the document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Finding')]
    param(
        [Parameter(Mandatory)]
        [object] $Finding
    )

    $fields = [ordered]@{
        Id        = 'Text', 'id'
        Severity  = 'Text', 'severity'
        Target    = 'Text', 'target'
        Title     = 'Text', 'title'
        Evidence  = 'Text', 'evidence'
        Advice    = 'Text', 'advice'
        Reference = 'Text', 'reference'
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.Finding' -Property (Read-DocumentField -Document $Finding -Field $fields)
}
