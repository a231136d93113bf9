function ConvertTo-BenchComparison {
    <#
    .SYNOPSIS
    Makes the BitLockerDiskAudit.BenchComparison of a document; nothing when it has none.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.BenchComparison')]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [object] $Comparison
    )

    if ($null -eq $Comparison) {
        return $null
    }
    $fields = [ordered]@{
        Baseline            = 'Text', 'baseline.path'
        BaselineFormat      = 'Text', 'baseline.format'
        BaselineVersion     = 'Text', 'baseline.version'
        BaselineCollectedAt = 'Date', 'baseline.collectedAt'
        Comparable          = 'Boolean', 'comparable'
        Regression          = 'Boolean', 'regression'
        ThresholdPercent    = 'Double', 'thresholdPercent'
        Tests               = 'List', 'tests'
        Refusals            = 'List', 'refusals'
        Notes               = 'List', 'notes'
    }
    $properties = Read-DocumentField -Document $Comparison -Field $fields
    $parts = @{
        Tests    = 'BitLockerDiskAudit.BenchChange', [ordered]@{
            Test              = 'Text', 'testId'
            Metric            = 'Text', 'metric'
            Baseline          = 'Double', 'baseline'
            Current           = 'Double', 'current'
            ChangePercent     = 'Double', 'changePercent'
            ChangePercentLow  = 'Double', 'interval.low'
            ChangePercentHigh = 'Double', 'interval.high'
            PValue            = 'Double', 'pValue'
            Result            = 'Text', 'result'
        }
        Refusals = 'BitLockerDiskAudit.BenchRefusal', [ordered]@{
            Code = 'Text', 'code'
            Test = 'Text', 'testId'
            Text = 'Text', 'text'
        }
        Notes    = 'BitLockerDiskAudit.BenchNote', [ordered]@{
            Code = 'Text', 'code'
            Text = 'Text', 'text'
        }
    }
    foreach ($name in $parts.Keys) {
        $type, $part = $parts[$name]
        $properties[$name] = [object[]]@(
            foreach ($each in $properties[$name]) {
                New-AuditObject -TypeName $type -Property (Read-DocumentField -Document $each -Field $part)
            }
        )
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.BenchComparison' -Property $properties
}
