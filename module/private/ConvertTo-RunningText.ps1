function ConvertTo-RunningText {
    <#
    .SYNOPSIS
    Says which conversion goes on without this command, how far it is, and how to watch it.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        # A BitLockerDiskAudit.RemediationRunning.
        [Parameter(Mandatory)]
        [object] $Running
    )

    $parts = @("$($Running.Conversion)" | Where-Object { $_ })
    if ($null -ne $Running.Percent) {
        $parts += '{0:0.#} % are encrypted' -f $Running.Percent
    }
    if ($null -ne $Running.EtaSeconds) {
        $parts += "about $(ConvertTo-SpanText -Seconds $Running.EtaSeconds) left"
    }
    $text = "$($Running.MountPoint -replace ':$', ''): $($parts -join ', '). Windows goes on with it by itself; do not reinstall, reset or repartition until it has ended."
    if ($Running.Watch) {
        $text = "$text To watch it: $($Running.Watch)"
    }
    $text
}
