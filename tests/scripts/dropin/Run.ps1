<#
.SYNOPSIS
Runs Test-BitLockerDiskSpeed.ps1, or the older script of that name, once for each case of a file, and
writes what came out to another, as the Go tests of this folder ask.

.PARAMETER CaseFile
A list of cases: Name, Script, Arguments by name, Environment, and Instances, which stand for what WMI
gives to the older script. Constrained runs it in Constrained Language Mode.

.PARAMETER ResultFile
Where the results go: of each case its lines on the screen, its errors, its exit code and its object.
#>
param(
    [Parameter(Mandatory)]
    [string] $CaseFile,

    [Parameter(Mandatory)]
    [string] $ResultFile
)

# The caller's preference must not end the script in the middle.
$ErrorActionPreference = 'Stop'

$setUp = {
    param($Instances, $Constrained)
    # What the script itself would do to the screen of the test.
    function global:Clear-Host { }
    if ($null -ne $Instances) {
        $global:StandInInstances = $Instances
        function global:Get-CimInstance {
            param($Namespace, $ClassName)
            if ($Namespace -ne 'root\CIMV2\Security\MicrosoftVolumeEncryption' -or $ClassName -ne 'Win32_EncryptableVolume') {
                throw "nobody stands in for $Namespace $ClassName"
            }
            $global:StandInInstances
        }
    }
    $global:ErrorActionPreference = 'Stop'
    if ($Constrained) {
        $ExecutionContext.SessionState.LanguageMode = 'ConstrainedLanguage'
    }
}

function Invoke-Case {
    param($Case)
    foreach ($variable in $Case.Environment.PSObject.Properties) {
        [System.Environment]::SetEnvironmentVariable($variable.Name, $variable.Value)
    }
    $arguments = @{}
    foreach ($argument in $Case.Arguments.PSObject.Properties) {
        $arguments[$argument.Name] = $argument.Value
    }
    $shell = [powershell]::Create()
    $null = $shell.AddScript($setUp).AddArgument($Case.Instances).AddArgument($Case.Constrained).Invoke()
    $shell.Commands.Clear()
    $watch = [System.Diagnostics.Stopwatch]::StartNew()
    $thrown = @()
    $output = @()
    try {
        $output = @($shell.AddScript('param($Script, $Arguments) & $Script @Arguments').AddArgument($Case.Script).AddArgument($arguments).Invoke())
    }
    catch {
        $thrown = @("$_")
    }
    $objects = @(foreach ($each in $output) {
            @{
                Type = $each.PSTypeNames[0]; Properties = @($each.PSObject.Properties.Name)
                Volumes = @($each.Volumes | ForEach-Object { $_.PSTypeNames[0] }); Legacy = "$($each.Legacy.Profile)"; Bench = "$($each.Bench.Profile)"
                Verdict = $each.Verdict; NextCommand = $each.NextCommand
            }
        })
    @{
        Name    = $Case.Name
        Lines   = @($shell.Streams.Information | ForEach-Object { "$_" })
        Errors  = @(@($shell.Streams.Error | ForEach-Object { "$_" }) + $thrown)
        Others  = @(@($shell.Streams.Warning) + @($shell.Streams.Verbose) | ForEach-Object { "$_" })
        Exit    = $shell.Runspace.SessionStateProxy.GetVariable('LASTEXITCODE')
        Objects = $objects
        Seconds = $watch.Elapsed.TotalSeconds
    }
    $shell.Dispose()
}

$cases = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText($CaseFile))
$results = @(foreach ($case in $cases) { Invoke-Case $case })
[System.IO.File]::WriteAllText($ResultFile, (ConvertTo-Json -InputObject $results -Depth 6 -Compress))
