function ConvertTo-ParameterText {
    <#
    .SYNOPSIS
    Turns the options and commands that a text of the executable names into the parameters and
    commands of this module. $null stays $null.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [AllowEmptyString()]
        [object] $Text
    )

    if ($null -eq $Text) {
        return $null
    }
    # Whole commands before the options in them.
    $rules = @(
        @('\bdiskaudit status --volume[ =](\S+)', "Get-BitLockerDiskAudit -MountPoint '`$1'"),
        @('\bdiskaudit status\b(?! --)', 'Get-BitLockerDiskAudit'),
        @('\bdiskaudit remediate\b', 'Disable-SoftwareBitLocker'),
        @('\bDisable-SoftwareBitLocker --action decrypt\b', 'Disable-SoftwareBitLocker'),
        @('--action prevent\b', '-Prevent'),
        @('--action pause\b', '-Pause'),
        @('--action resume\b', '-Resume'),
        @('--action undo\b', '-Undo'),
        @(' --apply\b', ''),
        @('--override[ =](?=[a-z])', '-Override '),
        @('--override\b', '-Override'),
        @('--clear-auto-unlock\b', '-ClearAutoUnlock'),
        @('--speed-up-conversion\b', '-SpeedUpConversion'),
        @('--expect-plan[ =](?=\w)', '-ExpectPlan '),
        @('--expect-plan\b', '-ExpectPlan'),
        @('--offline-hive\b', '-OfflineHive'),
        @('--recording\b', '-Recording'),
        @('--timeout\b', '-TimeoutSeconds'),
        @('--wait=false\b', 'leaving -Wait out'),
        @('--volume[ =](?=\S)', '-MountPoint '),
        @('--volume\b', '-MountPoint')
    )
    $changed = "$Text"
    foreach ($rule in $rules) {
        $changed = $changed -creplace $rule[0], $rule[1]
    }
    $changed
}
