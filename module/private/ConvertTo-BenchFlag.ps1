function ConvertTo-BenchFlag {
    <#
    .SYNOPSIS
    Turns the parameters that Test-NvmeLatency was called with into the executable's flags.

    .OUTPUTS
    A hashtable with Flag, pairs of a flag's name and its value, and Failure, which is $null when
    every value could be turned into one.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # The parameters that were given, by name.
        [Parameter(Mandatory)]
        [System.Collections.IDictionary] $Parameter,

        # Custom, Paths or any other.
        [Parameter(Mandatory)]
        [string] $ParameterSetName
    )

    $flags = @()
    if ($ParameterSetName -eq 'Custom') {
        if ($Parameter.Keys -contains 'Profile' -and $Parameter.Profile -ne 'custom') {
            $text = "-Profile $($Parameter.Profile) has its own tests; -Operation, -Pattern, -BlockSize, -QueueDepth, -ThreadCount, -Durability and -Rounds are for -Profile custom."
            return @{ Flag = @(); Failure = New-AuditFailure -Id ParametersConflict -Message $text }
        }
        if ($Parameter.Keys -notcontains 'Profile') {
            $flags += , @('profile', 'custom')
        }
    }
    $rules = @(
        @('Profile', 'profile', 'Word'),
        @('Operation', 'operation', 'Word'),
        @('Pattern', 'pattern', 'Word'),
        @('BlockSize', 'block', 'Size'),
        @('QueueDepth', 'queue-depth', 'Word'),
        @('ThreadCount', 'threads', 'Word'),
        @('Durability', 'durability', 'Word'),
        @('Rounds', 'rounds', 'Word'),
        @('Upper', 'upper', 'Device'),
        @('Lower', 'lower', 'Device'),
        @('LowerOffset', 'lower-offset', 'Word'),
        @('Twin', 'twin', 'Place'),
        @('NoPenalty', 'no-penalty', 'Switch'),
        @('Size', 'size', 'Size'),
        @('Duration', 'duration', 'Time'),
        @('PenaltyDuration', 'penalty-time', 'Time'),
        @('MaxWritten', 'max-written', 'Size'),
        @('Baseline', 'baseline', 'File'),
        @('ThresholdPercent', 'threshold', 'Word'),
        @('FailOn', 'fail-on', 'Word'),
        @('TimeoutSeconds', 'timeout', 'Seconds'),
        @('Identify', 'identify', 'Switch'),
        @('ListProfile', 'list-profiles', 'Switch')
    )
    foreach ($rule in $rules) {
        $name, $flag, $type = $rule
        if ($Parameter.Keys -notcontains $name) {
            continue
        }
        if ($type -eq 'Switch') {
            if ($Parameter[$name]) {
                $flags += , @($flag, $null)
            }
            continue
        }
        foreach ($value in $Parameter[$name]) {
            # The text of a number is the same in every culture.
            $given = @{ Value = "$value"; Failure = $null }
            switch ($type) {
                'Word' { $given.Value = $given.Value.ToLowerInvariant() }
                'Seconds' { $given.Value = "${value}s" }
                'File' { $given.Value = ConvertTo-ImagePath -Path "$value" }
                'Place' { $given.Value = ConvertTo-TargetPath -Name "$value" }
                'Device' { $given.Value = ConvertTo-TargetPath -Name "$value" -Device }
                'Size' { $given = ConvertTo-ByteCount -Parameter $name -Size "$value" }
                'Time' { $given = ConvertTo-DurationText -Parameter $name -Duration "$value" }
            }
            if ($null -ne $given.Failure) {
                return @{ Flag = @(); Failure = $given.Failure }
            }
            $flags += , @($flag, $given.Value)
        }
    }
    @{ Flag = $flags; Failure = $null }
}
