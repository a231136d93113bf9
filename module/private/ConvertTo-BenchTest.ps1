function ConvertTo-BenchTest {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.BenchTest from a test of the document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.BenchTest')]
    param(
        [Parameter(Mandatory)]
        [object] $Test
    )

    $fields = [ordered]@{
        Test               = 'Text', 'id'
        Operation          = 'Text', 'operation'
        BlockBytes         = 'Long', 'blockBytes'
        Pattern            = 'Text', 'pattern'
        QueueDepth         = 'Long', 'queueDepth'
        Threads            = 'Long', 'threads'
        Durability         = 'Text', 'durability'
        Iops               = 'Double', 'iops'
        MBPerSecond        = 'Double', 'mbPerSecond'
        MiBPerSecond       = 'Double', 'mibPerSecond'
        MinNs              = 'Double', 'latencyNs.min'
        MeanNs             = 'Double', 'latencyNs.mean'
        P50Ns              = 'Double', 'latencyNs.p50'
        P90Ns              = 'Double', 'latencyNs.p90'
        P95Ns              = 'Double', 'latencyNs.p95'
        P99Ns              = 'Double', 'latencyNs.p99'
        P999Ns             = 'Double', 'latencyNs.p999'
        P9999Ns            = 'Double', 'latencyNs.p9999'
        MaxNs              = 'Double', 'latencyNs.max'
        P50NsLow           = 'Double', 'interval.p50Ns.low'
        P50NsHigh          = 'Double', 'interval.p50Ns.high'
        IopsLow            = 'Double', 'interval.iops.low'
        IopsHigh           = 'Double', 'interval.iops.high'
        DriftPercent       = 'Double', 'drift.percent'
        DriftSignificant   = 'Boolean', 'drift.significant'
        CpuNsPerIo         = 'Double', 'cpuNsPerIo'
        SystemCpuNsPerIo   = 'Double', 'systemCpuNsPerIo'
        CpuPercent         = 'Double', 'cpuPercent'
        Ops                = 'Long', 'ops'
        Bytes              = 'Long', 'bytes'
        DistinctBlocks     = 'Long', 'distinctBlocks'
        AchievedDepth      = 'Double', 'achievedDepth'
        Flushes            = 'Long', 'flushes'
        RoundCount         = 'List', 'rounds'
        Api                = 'Text', 'api'
        ApiFallback        = 'Text', 'apiFallback'
        Valid              = 'Boolean', 'valid'
        InvalidReasons     = 'List', 'invalidReasons'
        InvalidReasonTexts = 'List', 'invalidReasons'
        Notes              = 'List', 'notes'
        NoteTexts          = 'List', 'notes'
    }
    $properties = Read-DocumentField -Document $Test -Field $fields
    $properties.RoundCount = [long]@($properties.RoundCount | Where-Object { $null -ne $_ }).Count
    $columns = @{ InvalidReasons = 'code'; InvalidReasonTexts = 'text'; Notes = 'code'; NoteTexts = 'text' }
    foreach ($column in $columns.Keys) {
        $reasons = $properties[$column]
        $properties[$column] = [object[]]@(
            foreach ($reason in $reasons) {
                ConvertTo-FieldValue -Value (Get-DocumentField -Document $reason -Path $columns[$column]) -As Text -Name $column
            }
        )
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.BenchTest' -Property $properties
}
