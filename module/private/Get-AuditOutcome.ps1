function Get-AuditOutcome {
    <#
    .SYNOPSIS
    Runs one audit and decides what comes out of it.

    .OUTPUTS
    Hashtables with Kind (Object, Error, Warning, Verbose, Stop) and Value, in order.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # Hashtables with Volume and Image: a volume, an image, or a volume of an image.
        [Parameter(Mandatory)]
        [AllowEmptyCollection()]
        [object[]] $Choice,

        # Names were asked for, so that none must not mean all.
        [Parameter(Mandatory)]
        [bool] $ChoiceRequired,

        [AllowNull()]
        [AllowEmptyString()]
        [object] $Recording,

        # 0 leaves the limit to the executable.
        [int] $TimeoutSeconds,

        # Of findings' titles and advice.
        [ValidateSet('en', 'de', 'zh')]
        [string] $Language = 'en',

        [switch] $Identify,

        [switch] $Detailed,

        [switch] $Summary,

        [switch] $AsJson
    )

    if ($Detailed -and $AsJson) {
        return @{ Kind = 'Stop'; Value = New-AuditFailure -Id ParametersConflict -Message '-Detailed and -AsJson exclude each other: -AsJson gives the whole document already.' }
    }
    if ($Summary -and ($Detailed -or $AsJson -or $ChoiceRequired)) {
        return @{ Kind = 'Stop'; Value = New-AuditFailure -Id ParametersConflict -Message '-Summary is about the whole computer and has one form: it goes with neither -Detailed nor -AsJson nor names of volumes or images.' }
    }
    if ($ChoiceRequired -and $Choice.Count -eq 0) {
        return @{ Kind = 'Stop'; Value = New-AuditFailure -Id ArgumentInvalid -Message 'The list of volumes or images is empty. Leave the parameter out to audit all volumes.' }
    }
    $kinds = @($Choice | ForEach-Object { '{0} {1}' -f ($null -ne $_.Volume), ($null -ne $_.Image) } | Select-Object -Unique)
    if ($kinds.Count -gt 1) {
        return @{ Kind = 'Stop'; Value = New-AuditFailure -Id SourcesMixed -Message 'Volumes of this computer and image files, or whole images and single volumes of images, cannot be audited in one run.' }
    }

    $flags = @(, @('format', 'json'))
    foreach ($flag in 'Image', 'Volume') {
        $values = @($Choice | ForEach-Object { $_[$flag] } | Where-Object { $null -ne $_ } | Select-Object -Unique)
        foreach ($value in $values) {
            $flags += , @($flag.ToLowerInvariant(), $value)
        }
    }
    if ($null -ne $Recording) {
        $flags += , @('recording', $Recording)
    }
    if ($TimeoutSeconds -gt 0) {
        $flags += , @('timeout', "${TimeoutSeconds}s")
    }
    if ($Language -ne 'en') {
        $flags += , @('language', $Language)
    }
    if ($Identify) {
        $flags += , @('identify', $null)
    }

    # Up to here nothing has failed that the caller should find in $Error, nor will it until the
    # outcomes are written.
    $newest = $global:Error | Select-Object -First 1
    $run = Invoke-DiskAudit -Verb status -Flag $flags
    $failure = $run.Failure
    if ($null -eq $failure) {
        $reading = ConvertFrom-DiskAuditOutput -Run $run
        $failure = $reading.Failure
    }
    Remove-OwnError -Newest $newest
    if ($null -ne $failure) {
        return @{ Kind = 'Stop'; Value = $failure }
    }
    Get-StatusOutcome -Run $run -Reading $reading -Detailed:$Detailed -Summary:$Summary -AsJson:$AsJson
}
