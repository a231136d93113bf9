function ConvertTo-FieldValue {
    <#
    .SYNOPSIS
    The one place where a value of the document gets its type. $null stays $null: unknown is
    never turned into "", 0 or $false.

    .DESCRIPTION
    ConvertFrom-Json gives Int32, Int64, Decimal or Double in Windows PowerShell 5.1, Int64,
    BigInteger or Double in PowerShell 7. A value of another kind than the field's throws.
    #>
    [CmdletBinding()]
    [OutputType([string], [long], [double], [bool], [datetime], [object[]])]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [AllowEmptyString()]
        [AllowEmptyCollection()]
        [object] $Value,

        [Parameter(Mandatory)]
        [ValidateSet('Text', 'Long', 'Double', 'Boolean', 'Date', 'TextList', 'List')]
        [string] $As,

        # Name of the field, for the message.
        [Parameter(Mandatory)]
        [string] $Name
    )

    if ($null -eq $Value) {
        return $null
    }
    $numeric = $Value -is [int] -or $Value -is [long] -or $Value -is [decimal] -or $Value -is [bigint] -or $Value -is [double]
    switch ($As) {
        'Text' {
            if ($Value -is [string]) {
                # The mark that ConvertFrom-DiskAuditOutput put before what looks like a date.
                return $Value -replace '^\x01', ''
            }
        }
        'Long' {
            if ($numeric -and $Value -gt [long]::MaxValue) {
                Write-Warning -Message "The value of $Name, $Value, is larger than an object can hold; the property is empty."
                return $null
            }
            if ($numeric -and $Value -ge [long]::MinValue -and $Value % 1 -eq 0) {
                return [long]$Value
            }
        }
        'Double' {
            if ($numeric) {
                return [double]$Value
            }
        }
        'Boolean' {
            if ($Value -is [bool]) {
                return $Value
            }
        }
        'Date' {
            if ($Value -is [datetime]) {
                return $Value.ToUniversalTime()
            }
            # RFC 3339; [datetime] holds seven digits of a fraction.
            $pattern = '^\x01?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?)\d*(Z|[+-]\d\d:\d\d)$'
            if ($Value -is [string] -and $Value -match $pattern) {
                $text = $Matches[1] + $Matches[3]
                if ($null -ne ($text -as [datetime])) {
                    return [datetime]::ParseExact($text, 'yyyy-MM-ddTHH:mm:ss.FFFFFFFK', [cultureinfo]::InvariantCulture, 'AssumeUniversal, AdjustToUniversal')
                }
            }
        }
        'TextList' {
            if ($Value -is [array]) {
                $texts = @(foreach ($item in $Value) { ConvertTo-FieldValue -Value $item -As Text -Name $Name })
                return , [object[]]$texts
            }
        }
        'List' {
            if ($Value -is [array]) {
                return , [object[]]$Value
            }
        }
    }
    throw "the field $Name holds the $($Value.GetType().Name) '$Value' instead of a value of the kind $As"
}
