function New-AuditErrorRecord {
    <#
    .SYNOPSIS
    Makes an ErrorRecord from a description. Needs the full language.
    #>
    [CmdletBinding()]
    [OutputType([System.Management.Automation.ErrorRecord])]
    param(
        [Parameter(Mandatory)]
        [System.Collections.Hashtable] $Failure
    )

    $exception = [System.InvalidOperationException]::new($Failure.Message)
    $record = [System.Management.Automation.ErrorRecord]::new($exception, $Failure.ErrorId, $Failure.Category, $Failure.TargetObject)
    $record.ErrorDetails = [System.Management.Automation.ErrorDetails]::new($Failure.Message)
    $record.ErrorDetails.RecommendedAction = $Failure.RecommendedAction
    $record
}
