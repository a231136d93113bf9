function Invoke-DiskAudit {
    <#
    .SYNOPSIS
    Runs the executable. Nothing else in the module does.

    .DESCRIPTION
    The executable is run by its absolute path and gets simple tokens, which no edition of
    PowerShell changes. A flag and its value are one token, --volume=C:, because PowerShell on
    Linux expands wildcards and ~ in a token that is a value alone. Its stderr is gathered apart: it
    neither becomes an error of the caller's nor stops a script whose ErrorActionPreference is Stop.
    The caller's $LASTEXITCODE is put back: the outcome comes as objects and error records.

    With an activity, the executable is asked for progress, which is shown as it comes and is not
    part of ErrorText. A pipeline that is stopped (Ctrl-C, the stop button of an editor) makes
    PowerShell end the executable.

    .OUTPUTS
    A hashtable with Path, ExitCode, Output (the lines of stdout), ErrorText (stderr) and
    Failure, which is $null when the executable ran, whatever its exit code.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        [Parameter(Mandatory)]
        [string] $Verb,

        # Pairs of a flag's name and its value, which is $null for a switch.
        [Parameter(Mandatory)]
        [object[]] $Flag,

        # What the progress is about; empty for a run without progress.
        [AllowEmptyString()]
        [string] $Activity
    )

    $run = @{ Path = $null; ExitCode = $null; Output = @(); ErrorText = ''; Failure = $null }
    $arguments = @($Verb)
    foreach ($pair in $Flag) {
        $name, $value = $pair
        if ($null -eq $value) {
            $arguments += "--$name"
            continue
        }
        $reason = Test-ArgumentValue -Value $value
        if ($reason) {
            $run.Failure = New-AuditFailure -Id ArgumentInvalid -Target $value -Message "The $name '$value' cannot be passed to diskaudit: $reason."
            return $run
        }
        $arguments += "--$name=$value"
    }
    if ($Activity) {
        $arguments += '--progress'
    }
    $found = Get-DiskAuditPath
    $run.Path = $found.Path
    $run.Failure = $found.Failure
    if ($null -ne $run.Failure) {
        return $run
    }
    # PowerShell on Linux hands a file that is not executable to the desktop to open.
    $mode = Get-DocumentField -Document (Get-Item -LiteralPath $run.Path -Force) -Path 'UnixMode'
    if ($mode -and $mode -notlike '*x*') {
        $run.Failure = New-AuditFailure -Id CoreBlocked -Target $run.Path -Message "The executable $($run.Path) is there but not executable. Run: chmod +x '$($run.Path)'"
        return $run
    }

    # Stop would end this function at the first line on stderr in Windows PowerShell 5.1, and
    # $PSNativeCommandUseErrorActionPreference would at an exit code in PowerShell 7.
    $ErrorActionPreference = 'Continue'
    $PSNativeCommandUseErrorActionPreference = $false
    $executable = $run.Path
    Write-Verbose -Message "$executable $($arguments -join ' ')"
    $before = Get-Variable -Name LASTEXITCODE -Scope Global -ValueOnly -ErrorAction Ignore
    # Stays $null when the executable does not start, where the old value would pass for its own.
    $global:LASTEXITCODE = $null
    $lines = @()
    $caught = $null
    $shown = @{ Text = $null }
    $newest = $global:Error | Select-Object -First 1
    try {
        # The pipeline, and not the variable, is what lets a line of stderr through at once.
        $lines = @(& $executable @arguments 2>&1 | ForEach-Object {
                if ($Activity -and $_ -is [System.Management.Automation.ErrorRecord] -and (Write-RunProgress -Line "$_" -Activity $Activity -Shown $shown)) {
                    # Windows PowerShell 5.1 has put the line into $Error, where hundreds of them
                    # would push out what the caller had there.
                    Remove-OwnError -Newest $newest
                }
                else {
                    $_
                }
            })
        $run.ExitCode = $global:LASTEXITCODE
    }
    catch {
        $caught = $_
    }
    finally {
        $global:LASTEXITCODE = $before
        if ($null -ne $shown.Text) {
            Write-Progress -Id 1 -Activity $Activity -Completed
        }
    }

    $complaints = @($lines | Where-Object { $_ -is [System.Management.Automation.ErrorRecord] })
    $run.Output = @($lines | Where-Object { $_ -isnot [System.Management.Automation.ErrorRecord] } | ForEach-Object { "$_" })
    $run.ErrorText = (@($complaints | ForEach-Object { $_.Exception.Message }) -join "`n").Trim()
    if ($run.ErrorText) {
        Write-Verbose -Message "diskaudit wrote on stderr: $($run.ErrorText)"
    }
    if ($null -ne $caught) {
        $exception = $caught.Exception
        if ($null -ne $exception.InnerException) {
            $exception = $exception.InnerException
        }
        $run.Failure = New-AuditFailure -Id CoreBlocked -Target $executable -Message "The executable $executable is there but does not start: $($exception.Message)"
    }
    elseif ($null -eq $run.ExitCode) {
        $run.Failure = New-AuditFailure -Id CoreBlocked -Target $executable -Message "The file $executable is there but did not run as a program: it gave no exit code."
    }
    $run
}
