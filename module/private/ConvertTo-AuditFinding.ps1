function ConvertTo-AuditFinding {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.Finding from a finding of the document.

    .DESCRIPTION
    Title and advice are in the language that the executable was asked for, where it has them in it;
    everything else is the same in every language.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Finding')]
    param(
        [Parameter(Mandatory)]
        [object] $Finding
    )

    $texts = ''
    if ($null -ne (Get-DocumentField -Document $Finding -Path 'localized')) {
        $texts = 'localized.'
    }
    $fields = [ordered]@{
        Id        = 'Text', 'id'
        Severity  = 'Text', 'severity'
        Target    = 'Text', 'target'
        Title     = 'Text', "${texts}title"
        Evidence  = 'Text', 'evidence'
        Advice    = 'Text', "${texts}advice"
        Reference = 'Text', 'reference'
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.Finding' -Property (Read-DocumentField -Document $Finding -Field $fields)
}
