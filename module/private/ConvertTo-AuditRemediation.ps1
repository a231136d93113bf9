function ConvertTo-AuditRemediation {
    <#
    .SYNOPSIS
    Makes the BitLockerDiskAudit.Remediation of a whole document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Remediation')]
    param(
        [Parameter(Mandatory)]
        [object] $Document,

        # With which the executable ended: 0 says that there is nothing left to do, 7 that something
        # goes on.
        [Parameter(Mandatory)]
        [int] $ExitCode
    )

    $fields = [ordered]@{
        Action        = 'Text', 'plan.action'
        PlanId        = 'Text', 'plan.id'
        Applied       = 'Boolean', 'applied'
        Completed     = 'Boolean', 'applied'
        InProgress    = 'Boolean', 'applied'
        Steps         = 'List', 'plan.steps'
        Guards        = 'List', 'plan.guards'
        Commands      = 'TextList', 'plan.commands'
        Running       = 'List', 'running'
        Projected     = 'List', 'projected.volumes'
        Journal       = 'Text', 'journal'
        CollectedAt   = 'Date', 'collectedAt'
        Complete      = 'Boolean', 'complete'
        SchemaVersion = 'Text', 'schemaVersion'
        ToolVersion   = 'Text', 'tool.version'
        Problems      = 'List', 'problems'
    }
    $properties = Read-DocumentField -Document $Document -Field $fields
    $properties.Completed = $ExitCode -eq 0 -and ($properties.Applied -or $properties.Steps.Count -eq 0)
    $properties.InProgress = $ExitCode -eq 7

    $places = @{}
    if ($null -ne $properties.Projected) {
        $projected = Get-DocumentField -Document $Document -Path 'projected'
        $findings = [object[]]@(foreach ($each in (Get-DocumentField -Document $projected -Path 'findings')) { ConvertTo-AuditFinding -Finding $each })
        $properties.Projected = [object[]]@(foreach ($each in $properties.Projected) { ConvertTo-AuditVolume -Volume $each -Document $projected -Finding $findings })
        foreach ($volume in $properties.Projected) {
            $places[$volume.VolumeId] = $volume.MountPoint
        }
    }
    $results = @{}
    foreach ($each in (Get-DocumentField -Document $Document -Path 'steps')) {
        $results["$(Get-DocumentField -Document $each -Path 'id')"] = $each
    }
    $properties.Steps = [object[]]@(foreach ($each in $properties.Steps) { ConvertTo-RemediationStep -Step $each -Result $results -MountPoint $places })
    $properties.Guards = [object[]]@(
        foreach ($each in $properties.Guards) {
            $guard = [ordered]@{
                Id       = 'Text', 'id'
                Target   = 'Text', 'target'
                Result   = 'Text', 'result'
                Text     = 'Text', 'text'
                Override = 'Text', 'override'
            }
            $read = Read-DocumentField -Document $each -Field $guard
            $read.Text = ConvertTo-ParameterText -Text $read.Text
            $read.Override = ConvertTo-ParameterText -Text $read.Override
            New-AuditObject -TypeName 'BitLockerDiskAudit.RemediationGuard' -Property $read
        }
    )
    $properties.Running = [object[]]@(
        foreach ($each in $properties.Running) {
            $running = [ordered]@{
                VolumeId       = 'Text', 'volumeId'
                MountPoint     = 'Text', 'volumeId'
                Conversion     = 'Text', 'conversion.name'
                ConversionCode = 'Long', 'conversion.code'
                Percent        = 'Double', 'percent'
                PercentPerHour = 'Double', 'percentPerHour'
                EtaSeconds     = 'Double', 'etaSeconds'
                Watch          = 'Text', 'watch'
            }
            $read = Read-DocumentField -Document $each -Field $running
            if ($places.Keys -contains $read.VolumeId) {
                $read.MountPoint = $places[$read.VolumeId]
            }
            # The command is for this module's user, who knows the volume by its letter.
            $read.Watch = ConvertTo-ParameterText -Text $read.Watch
            if ($read.Watch) {
                $read.Watch = $read.Watch.Replace("'$($read.VolumeId)'", $read.MountPoint)
            }
            New-AuditObject -TypeName 'BitLockerDiskAudit.RemediationRunning' -Property $read
        }
    )
    $properties.Problems = [object[]]@(
        foreach ($each in $properties.Problems) {
            $problem = ConvertTo-AuditProblem -Problem $each
            $problem.Text = ConvertTo-ParameterText -Text $problem.Text
            $problem
        }
    )
    New-AuditObject -TypeName 'BitLockerDiskAudit.Remediation' -Property $properties
}
