function ConvertTo-RemediationFlag {
    <#
    .SYNOPSIS
    Turns the parameters that Disable-SoftwareBitLocker was called with into the executable's flags,
    all but the volumes and those that only the carrying out has.

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

        # Decrypt, or the switch that chooses another action: Prevent, Pause, Resume or Undo.
        [Parameter(Mandatory)]
        [string] $ParameterSetName
    )

    # A switch that is turned off chooses its set all the same.
    if ($Parameter.Keys -contains $ParameterSetName -and -not $Parameter[$ParameterSetName]) {
        $text = "-${ParameterSetName}:`$false names no action. Leave the parameter out to decrypt."
        return @{ Flag = @(); Failure = New-AuditFailure -Id ArgumentInvalid -Message $text }
    }
    $flags = @(, @('action', $ParameterSetName.ToLowerInvariant()))
    $rules = @(
        @('Override', 'override', 'Word'),
        @('ClearAutoUnlock', 'clear-auto-unlock', 'Switch'),
        @('SpeedUpConversion', 'speed-up-conversion', 'Switch'),
        @('Recording', 'recording', 'File'),
        @('OfflineHive', 'offline-hive', 'File'),
        @('TimeoutSeconds', 'timeout', 'Seconds')
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
            $text = "$value"
            switch ($type) {
                'Word' { $text = $text.Trim().ToLowerInvariant() }
                'File' { $text = ConvertTo-ImagePath -Path $text }
                'Seconds' { $text = "${text}s" }
            }
            $reason = Test-ArgumentValue -Value $text
            if ($reason) {
                return @{ Flag = @(); Failure = New-AuditFailure -Id ArgumentInvalid -Target $value -Message "-$name '$value' cannot be used: $reason." }
            }
            $flags += , @($flag, $text)
        }
    }
    @{ Flag = $flags; Failure = $null }
}
