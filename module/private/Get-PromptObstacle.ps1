function Get-PromptObstacle {
    <#
    .SYNOPSIS
    Says why nobody can be asked for consent in this process; nothing when a person can.

    .DESCRIPTION
    Intune and ConfigMgr run scripts as SYSTEM in session 0 without -NonInteractive: a prompt there
    waits until the script is ended from outside, and holds up all that come after it. What cannot
    be found out counts as nobody being there.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param()

    if ("$($ExecutionContext.SessionState.LanguageMode)" -ne 'FullLanguage') {
        return 'Constrained Language Mode does not let the module ask'
    }
    try {
        if (-not [System.Environment]::UserInteractive) {
            return 'the process has no desktop, as a service'
        }
        # Session 0 is that of services; no one logs on there. Elsewhere the number means another thing.
        $windows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
        if ($windows -and [System.Diagnostics.Process]::GetCurrentProcess().SessionId -eq 0) {
            return 'the process runs in session 0, which is that of services'
        }
        if (Test-NonInteractiveSwitch -Argument ([System.Environment]::GetCommandLineArgs())) {
            return 'PowerShell was started with -NonInteractive'
        }
        # The default host is that of programs that run PowerShell without showing it.
        if ($null -eq $Host.UI -or $null -eq $Host.UI.RawUI -or $Host.Name -eq 'Default Host') {
            return 'the program that runs PowerShell shows no prompts'
        }
        # The ISE asks in a window of its own; its process has no console.
        if ($Host.Name -ne 'Windows PowerShell ISE Host' -and [System.Console]::IsInputRedirected) {
            return 'the input of the process is no keyboard'
        }
    }
    catch {
        return "it cannot be found out whether anybody is there ($($_.Exception.Message))"
    }
}
