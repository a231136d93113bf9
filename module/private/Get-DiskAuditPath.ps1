function Get-DiskAuditPath {
    <#
    .SYNOPSIS
    Finds the executable: the one that DISKAUDIT_PATH names, or the module's own for this
    computer.

    .OUTPUTS
    A hashtable with Path, an absolute path, and Failure, which is $null when the file is there.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param()

    if ($env:DISKAUDIT_PATH) {
        $path = ConvertTo-ImagePath -Path $env:DISKAUDIT_PATH
        $origin = 'The environment variable DISKAUDIT_PATH names it.'
    }
    else {
        $machine = Get-NativeMachine
        $platform = ConvertTo-PlatformName @machine
        if (-not $platform) {
            $text = "There is no diskaudit executable for $($machine.System) on $($machine.Architecture): there are builds for Windows and Linux on x64 and ARM64."
            return @{ Path = $null; Failure = New-AuditFailure -Id CoreNotFound -Message $text }
        }
        $file = 'diskaudit'
        if ($platform -like 'win-*') {
            $file = 'diskaudit.exe'
        }
        $path = Join-Path -Path $script:ModuleRoot -ChildPath "bin/$platform/$file"
        $origin = 'The module is incomplete, it was not built (build.ps1), or antivirus software has put the file into quarantine.'
    }
    $failure = $null
    if (-not (Test-Path -LiteralPath $path -PathType Leaf -ErrorAction Ignore)) {
        $failure = New-AuditFailure -Id CoreNotFound -Target $path -Message "The executable $path is not there. $origin"
    }
    @{ Path = $path; Failure = $failure }
}
