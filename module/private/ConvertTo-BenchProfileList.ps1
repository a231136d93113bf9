function ConvertTo-BenchProfileList {
    <#
    .SYNOPSIS
    Makes the BitLockerDiskAudit.BenchProfile objects of a document that lists profiles.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.BenchProfile')]
    param(
        [Parameter(Mandatory)]
        [object] $Document
    )

    $fields = [ordered]@{
        Name    = 'Text', 'name'
        Purpose = 'Text', 'purpose'
        Tests   = 'List', 'tests'
    }
    $test = [ordered]@{
        Test            = 'Text', 'id'
        Operation       = 'Text', 'operation'
        BlockBytes      = 'Long', 'blockBytes'
        Pattern         = 'Text', 'pattern'
        QueueDepth      = 'Long', 'queueDepth'
        Threads         = 'Long', 'threads'
        Durability      = 'Text', 'durability'
        SpanBytes       = 'Long', 'spanBytes'
        SpacingMs       = 'Double', 'spacingMs'
        Rounds          = 'Long', 'rounds'
        RoundMs         = 'Double', 'roundMs'
        RoundOps        = 'Long', 'roundOps'
        WarmupMs        = 'Double', 'warmupMs'
        MaxWrittenBytes = 'Long', 'maxWrittenBytes'
        Diskspd         = 'Text', 'diskspd'
        Fio             = 'Text', 'fio'
    }
    foreach ($each in (Get-DocumentField -Document $Document -Path 'profiles')) {
        $properties = Read-DocumentField -Document $each -Field $fields
        $properties.Tests = [object[]]@(
            foreach ($spec in $properties.Tests) {
                New-AuditObject -TypeName 'BitLockerDiskAudit.BenchTestSpec' -Property (Read-DocumentField -Document $spec -Field $test)
            }
        )
        New-AuditObject -TypeName 'BitLockerDiskAudit.BenchProfile' -Property $properties
    }
}
