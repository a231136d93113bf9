function Select-BenchTarget {
    <#
    .SYNOPSIS
    Tells what a piped object names to be measured: a volume, a folder, a file, a device, or
    nothing that can be measured.

    .OUTPUTS
    A hashtable with Target and Failure; one of them is $null.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [AllowEmptyString()]
        [object] $InputObject
    )

    if ($InputObject -is [string] -and $InputObject -match '[^\s\x00]') {
        return @{ Target = ConvertTo-TargetPath -Name $InputObject; Failure = $null }
    }
    # A volume of Get-BitLockerDiskAudit is measured where it is mounted: in its file system, where
    # a file can be written, and not as a device.
    $own = $null -ne $InputObject -and @($InputObject.PSObject.TypeNames) -match '^(Deserialized\.)?BitLockerDiskAudit\.Volume$'
    if ($own) {
        $source = Get-DocumentField -Document $InputObject -Path 'Source'
        if ('image', 'recording' -contains $source) {
            $text = "The volume $($InputObject.MountPoint) was read from a disk image or from a recording of another computer. Only volumes of this computer can be measured."
            return @{ Target = $null; Failure = New-AuditFailure -Id InputNotUsable -Target $InputObject -Message $text }
        }
        return @{ Target = ConvertTo-TargetPath -Name $InputObject.MountPoint; Failure = $null }
    }
    $choice = Select-AuditInput -InputObject $InputObject
    foreach ($name in @($choice.Volume, $choice.Image | Where-Object { $null -ne $_ })) {
        return @{ Target = ConvertTo-TargetPath -Name $name; Failure = $null }
    }
    @{ Target = $null; Failure = $choice.Failure }
}
