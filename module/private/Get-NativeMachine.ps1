function Get-NativeMachine {
    <#
    .SYNOPSIS
    Names the operating system and the architecture of the computer, not of this process.

    .DESCRIPTION
    On Windows the environment variable PROCESSOR_ARCHITECTURE is that of the process: x86 in a
    32-bit PowerShell, and AMD64 in an emulated one on an ARM64 computer. PROCESSOR_ARCHITEW6432
    tells the truth to 32-bit processes only. The machine-wide value in the registry is that of
    the computer in every process; the variables are the second choice.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param()

    # Windows PowerShell has no $IsWindows.
    if ($PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows) {
        $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
        $names = @(
            Get-ItemProperty -LiteralPath $key -Name 'PROCESSOR_ARCHITECTURE' -ErrorAction Ignore |
                Select-Object -ExpandProperty 'PROCESSOR_ARCHITECTURE'
            $env:PROCESSOR_ARCHITEW6432
            $env:PROCESSOR_ARCHITECTURE
        ) | Where-Object { $_ }
        return @{ System = 'Windows'; Architecture = "$($names | Select-Object -First 1)" }
    }
    $system = 'Linux'
    if ($IsMacOS) {
        $system = 'macOS'
    }
    @{ System = $system; Architecture = "$([System.Runtime.InteropServices.RuntimeInformation]::OSArchitecture)" }
}
