function ConvertTo-RemediationStep {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.RemediationStep from a step of the plan and what became of it.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.RemediationStep')]
    param(
        [Parameter(Mandatory)]
        [object] $Step,

        # The document's results of steps, by the step's id.
        [Parameter(Mandatory)]
        [System.Collections.Hashtable] $Result,

        # Where the volumes are mounted, by their id.
        [Parameter(Mandatory)]
        [System.Collections.Hashtable] $MountPoint
    )

    $fields = [ordered]@{
        Id               = 'Text', 'id'
        Target           = 'Text', 'target'
        MountPoint       = 'Text', 'mountPoint'
        Change           = 'Text', 'change'
        Text             = 'Text', 'text'
        Before           = 'Text', 'before'
        After            = 'Text', 'after'
        Undoable         = 'Boolean', 'undoable'
        Undo             = 'Text', 'undo'
        EstimatedSeconds = 'Double', 'estimatedSeconds'
    }
    $properties = Read-DocumentField -Document $Step -Field $fields
    if ($MountPoint.Keys -contains $properties.Target) {
        $properties.MountPoint = $MountPoint[$properties.Target]
    }
    $properties.Text = ConvertTo-ParameterText -Text $properties.Text
    $properties.Undo = ConvertTo-ParameterText -Text $properties.Undo

    # A plan that was not carried out has no results.
    $became = $null
    if ($Result.Keys -contains $properties.Id) {
        $became = $Result[$properties.Id]
    }
    $fields = [ordered]@{
        Result    = 'Text', 'result'
        StartedAt = 'Date', 'startedAt'
        EndedAt   = 'Date', 'endedAt'
    }
    $read = Read-DocumentField -Document $became -Field $fields
    foreach ($name in $read.Keys) {
        $properties[$name] = $read[$name]
    }
    $properties.Problem = $null
    $problem = Get-DocumentField -Document $became -Path 'problem'
    if ($null -ne $problem) {
        $properties.Problem = ConvertTo-AuditProblem -Problem $problem
        $properties.Problem.Text = ConvertTo-ParameterText -Text $properties.Problem.Text
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.RemediationStep' -Property $properties
}
