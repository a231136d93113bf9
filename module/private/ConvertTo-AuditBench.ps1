function ConvertTo-AuditBench {
    <#
    .SYNOPSIS
    Makes the BitLockerDiskAudit.Bench of a whole document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Bench')]
    param(
        [Parameter(Mandatory)]
        [object] $Document
    )

    $fields = [ordered]@{
        Target            = 'Text', 'target.path'
        TargetKind        = 'Text', 'target.kind'
        VolumeId          = 'Text', 'target.volumeId'
        DiskId            = 'Text', 'target.diskId'
        Layer             = 'Text', 'target.layer'
        FileSystem        = 'Text', 'target.fileSystem'
        SizeBytes         = 'Long', 'target.sizeBytes'
        BytesWritten      = 'Long', 'target.bytesWritten'
        Engine            = 'Text', 'context.volume.encryption.engine'
        Method            = 'Text', 'context.volume.encryption.method.name'
        MethodCode        = 'Long', 'context.volume.encryption.method.code'
        Profile           = 'Text', 'profile.name'
        Tests             = 'List', 'tests'
        Verdict           = 'Text', 'verdict.result'
        VerdictText       = 'Text', 'verdict.text'
        ThresholdPercent  = 'Double', 'verdict.thresholdPercent'
        Evidence          = 'Text', 'penalty.evidence'
        PenaltyValid      = 'Boolean', 'penalty.valid'
        PenaltyReason     = 'Text', 'penalty.reason.code'
        PenaltyReasonText = 'Text', 'penalty.reason.text'
    }
    $properties = Read-DocumentField -Document $Document -Field $fields

    # The document's unit is ns; a penalty is of the order of microseconds.
    $microseconds = [ordered]@{
        AddedMicroseconds     = 'penalty.addedNs.estimate'
        AddedMicrosecondsLow  = 'penalty.addedNs.low'
        AddedMicrosecondsHigh = 'penalty.addedNs.high'
        BareMicroseconds      = 'penalty.bareNs'
        LayeredMicroseconds   = 'penalty.layeredNs'
        CpuMicroseconds       = 'penalty.cpuNsPerIo'
    }
    foreach ($name in $microseconds.Keys) {
        $path = $microseconds[$name]
        $ns = ConvertTo-FieldValue -Value (Get-DocumentField -Document $Document -Path $path) -As Double -Name $path
        $properties[$name] = $null
        if ($null -ne $ns) {
            $properties[$name] = $ns / 1000
        }
    }
    $more = [ordered]@{
        AddedPercent      = 'Double', 'penalty.addedPercent.estimate'
        AddedPercentLow   = 'Double', 'penalty.addedPercent.low'
        AddedPercentHigh  = 'Double', 'penalty.addedPercent.high'
        Pairs             = 'Long', 'penalty.pairs'
        UpperPath         = 'Text', 'penalty.paths.upper'
        LowerPath         = 'Text', 'penalty.paths.lower'
        LowerOffsetBytes  = 'Long', 'penalty.paths.lowerOffsetBytes'
        Headroom          = 'List', 'headroom'
        ClockSource       = 'Text', 'engine.clock.source'
        ClockResolutionNs = 'Double', 'engine.clock.resolutionNs'
        ClockOverheadNs   = 'Double', 'engine.clock.overheadNs'
        CollectedAt       = 'Date', 'collectedAt'
        Complete          = 'Boolean', 'complete'
        SchemaVersion     = 'Text', 'schemaVersion'
        ToolVersion       = 'Text', 'tool.version'
        Problems          = 'List', 'problems'
    }
    $read = Read-DocumentField -Document $Document -Field $more
    foreach ($name in $read.Keys) {
        $properties[$name] = $read[$name]
        if ($name -eq 'Headroom') {
            $properties.Comparison = ConvertTo-BenchComparison -Comparison (Get-DocumentField -Document $Document -Path 'comparison')
        }
    }

    $properties.Tests = [object[]]@(foreach ($each in $properties.Tests) { ConvertTo-BenchTest -Test $each })
    $properties.Headroom = [object[]]@(
        foreach ($each in $properties.Headroom) {
            $headroom = [ordered]@{
                Test          = 'Text', 'testId'
                Metric        = 'Text', 'metric'
                Measured      = 'Double', 'measured'
                Predicted     = 'Double', 'predicted.estimate'
                PredictedLow  = 'Double', 'predicted.low'
                PredictedHigh = 'Double', 'predicted.high'
            }
            New-AuditObject -TypeName 'BitLockerDiskAudit.BenchHeadroom' -Property (Read-DocumentField -Document $each -Field $headroom)
        }
    )
    $properties.Problems = [object[]]@(foreach ($each in $properties.Problems) { ConvertTo-AuditProblem -Problem $each })
    New-AuditObject -TypeName 'BitLockerDiskAudit.Bench' -Property $properties
}
