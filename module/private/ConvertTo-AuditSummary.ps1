function ConvertTo-AuditSummary {
    <#
    .SYNOPSIS
    Makes the BitLockerDiskAudit.Summary of a whole document.

    .DESCRIPTION
    Made for management tools, which need every property with its one type: what is not known is
    the text Unknown or the number -1. A document of a version that had no summary gives a summary
    that knows nothing.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Summary')]
    param(
        [Parameter(Mandatory)]
        [object] $Document
    )

    $fields = [ordered]@{
        State              = 'Text', 'summary.state'
        Complete           = 'Boolean', 'summary.complete'
        Volumes            = 'Long', 'summary.volumes'
        SoftwareEncrypted  = 'Long', 'summary.softwareEncrypted'
        HardwareEncrypted  = 'Long', 'summary.hardwareEncrypted'
        NotEncrypted       = 'Long', 'summary.notEncrypted'
        Unprotected        = 'Long', 'summary.unprotected'
        UnknownVolumes     = 'Long', 'summary.unknownVolumes'
        Converting         = 'Long', 'summary.converting'
        OsVolume           = 'Text', 'summary.osVolume'
        OsConversion       = 'Text', 'summary.osConversion'
        OsMethod           = 'Text', 'summary.osMethod'
        OsEngine           = 'Text', 'summary.osEngine'
        OsProtection       = 'Text', 'summary.osProtection'
        OsProtectionReason = 'Text', 'summary.osProtectionReason'
        Critical           = 'Long', 'summary.critical'
        Warnings           = 'Long', 'summary.warnings'
        WorstFinding       = 'Text', 'summary.worstFinding'
        Detail             = 'Text', 'summary.detail'
        ToolVersion        = 'Text', 'summary.toolVersion'
    }
    $properties = Read-DocumentField -Document $Document -Field $fields
    $unknown = @{ Text = 'Unknown'; Long = [long]-1; Boolean = $false }
    foreach ($name in @($fields.Keys)) {
        if ($null -eq $properties[$name]) {
            $properties[$name] = $unknown[$fields[$name][0]]
        }
    }
    if ($properties.State -eq 'Unknown') {
        $properties.State = 'unknown'
    }
    # No finding is known, and not unknown, where there is a summary at all.
    if ($properties.WorstFinding -eq 'Unknown' -and $null -ne (Get-DocumentField -Document $Document -Path 'summary')) {
        $properties.WorstFinding = ''
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.Summary' -Property $properties
}
