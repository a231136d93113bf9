# What the text of the scripts of module/scripts shows without running them. Their language and characters
# are checked with all other sources, in tests/module/Sources.Tests.ps1.

BeforeDiscovery {
    $folder = [System.IO.Path]::GetFullPath((Join-Path $PSScriptRoot '../../module/scripts'))
    $scripts = @(Get-ChildItem -LiteralPath $folder -Recurse -File -Filter '*.ps1' | ForEach-Object {
            @{ File = $_.FullName; Name = $_.FullName.Substring($folder.Length + 1).Replace('\', '/') }
        })
    # Those that a management tool runs, where nobody sees the screen and nobody answers.
    $hosted = @($scripts | Where-Object { $_.Name -match '^(intune|configmgr)/' })
    $uploaded = @($scripts | Where-Object { $_.Name -match '^intune/' })
}

BeforeAll {
    function Get-Ast {
        param([string] $File)
        $faults = $null
        $ast = [System.Management.Automation.Language.Parser]::ParseFile($File, [ref]$null, [ref]$faults)
        if ($faults) {
            throw "$File does not parse: $faults"
        }
        $ast
    }

    function Find-Ast {
        param($Ast, [scriptblock] $Where)
        @($Ast.FindAll($Where, $true))
    }

    function Format-Ast {
        param($Ast)
        @($Ast | Where-Object { $null -ne $_ } | ForEach-Object { "line $($_.Extent.StartLineNumber): $(($_.Extent.Text -split '\r?\n')[0])" })
    }

    # Tells whether code of the script itself, and not of a function or a script block in it.
    function Test-ScriptScope {
        param($Ast)
        for ($above = $Ast.Parent; $null -ne $above; $above = $above.Parent) {
            if ($above -is [System.Management.Automation.Language.ScriptBlockAst]) {
                return $null -eq $above.Parent
            }
        }
        $false
    }

    # Tells whether statements always end in exit: nothing falls out at their end.
    function Test-EndsInExit {
        param($Statements)
        $last = @($Statements) | Select-Object -Last 1
        if ($last -is [System.Management.Automation.Language.ExitStatementAst]) {
            return $true
        }
        $branches = @()
        if ($last -is [System.Management.Automation.Language.IfStatementAst] -and $null -ne $last.ElseClause) {
            $branches = @($last.Clauses | ForEach-Object { $_.Item2 }) + $last.ElseClause
        }
        elseif ($last -is [System.Management.Automation.Language.SwitchStatementAst] -and $null -ne $last.Default) {
            $branches = @($last.Clauses | ForEach-Object { $_.Item2 }) + $last.Default
        }
        elseif ($last -is [System.Management.Automation.Language.TryStatementAst] -and @($last.CatchClauses | Where-Object IsCatchAll).Count -gt 0) {
            $branches = @($last.Body) + @($last.CatchClauses | ForEach-Object { $_.Body })
        }
        $branches.Count -gt 0 -and @($branches | Where-Object { -not (Test-EndsInExit $_.Statements) }).Count -eq 0
    }

    # Tells whether every failure in a statement is caught.
    function Test-Guarded {
        param($Statement)
        if ($Statement -is [System.Management.Automation.Language.TryStatementAst]) {
            return @($Statement.CatchClauses | Where-Object IsCatchAll).Count -gt 0
        }
        if ($Statement -is [System.Management.Automation.Language.FunctionDefinitionAst] -or $Statement -is [System.Management.Automation.Language.ExitStatementAst]) {
            return $true
        }
        # What may stand free: settings, and handing over a text that is there already.
        $commands = Find-Ast $Statement { param($ast) $ast -is [System.Management.Automation.Language.CommandAst] }
        $calls = Find-Ast $Statement { param($ast) $ast -is [System.Management.Automation.Language.InvokeMemberExpressionAst] -or $ast -is [System.Management.Automation.Language.ThrowStatementAst] }
        $calls.Count -eq 0 -and @($commands | Where-Object { 'Set-StrictMode', 'Write-Output' -notcontains $_.GetCommandName() }).Count -eq 0
    }
}

Describe 'The checks' {
    It 'find <Fault>' -ForEach @(
        @{ Fault = 'a way that falls out of an if'; Text = "if (`$a) {`n exit 0`n}"; Ends = $false }
        @{ Fault = 'a way that falls out of a catch'; Text = "try {`n exit 0`n}`ncatch {`n `$b = 1`n}"; Ends = $false }
        @{ Fault = 'a catch that is not for all'; Text = "try {`n exit 0`n}`ncatch [System.IO.IOException] {`n exit 1`n}"; Ends = $false; Guarded = $false }
        @{ Fault = 'nothing in a script that ends in exit on every way'; Text = "try {`n if (`$a) { exit 1 } else { exit 0 }`n}`ncatch {`n exit 1`n}"; Ends = $true; Guarded = $true }
        @{ Fault = 'a command outside of try'; Text = "Import-Module -Name a`nexit 0"; Ends = $true; Guarded = $false }
        @{ Fault = 'a method outside of try'; Text = "`$a = `$b.Load()`nexit 0"; Ends = $true; Guarded = $false }
        @{ Fault = 'a return at script scope'; Text = "if (`$a) {`n return 1`n}`nexit 0"; Ends = $true; Returns = 1 }
        @{ Fault = 'no return in a function'; Text = "function f {`n return 1`n}`nexit 0"; Ends = $true; Returns = 0; Guarded = $true }
    ) {
        $parsed = [System.Management.Automation.Language.Parser]::ParseInput($Text, [ref]$null, [ref]$null)
        Test-EndsInExit $parsed.EndBlock.Statements | Should -Be $Ends
        if ($_.ContainsKey('Guarded')) {
            @($parsed.EndBlock.Statements | Where-Object { -not (Test-Guarded $_) }).Count -eq 0 | Should -Be $Guarded
        }
        if ($_.ContainsKey('Returns')) {
            @(Find-Ast $parsed { param($ast) $ast -is [System.Management.Automation.Language.ReturnStatementAst] } | Where-Object { Test-ScriptScope $_ }).Count | Should -Be $Returns
        }
    }

    It 'have scripts to look at' -TestCases @{ Count = $scripts.Count } {
        $Count | Should -BeGreaterThan 8
    }
}

Describe 'The script <Name>' -ForEach $scripts {
    BeforeAll {
        $ast = Get-Ast -File $File
        $text = Get-Content -LiteralPath $File -Raw
    }

    It 'minds case where it keeps characters: without that the Kelvin sign is a k, and a Turkish i without its dot an I' {
        Format-Ast (Find-Ast $ast {
                param($ast)
                $ast -is [System.Management.Automation.Language.BinaryExpressionAst] -and $ast.Operator -eq 'Ireplace' -and $ast.Right.Extent.Text.Contains('[^')
            }) | Should -BeNullOrEmpty
    }

    It 'never returns at script scope, which would be exit code 0 (C21)' {
        Format-Ast (Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.ReturnStatementAst] } | Where-Object { Test-ScriptScope $_ }) | Should -BeNullOrEmpty
    }

    It 'ends in exit on every way (C21)' {
        $ast.EndBlock.Statements | Should -Not -BeNullOrEmpty
        Test-EndsInExit $ast.EndBlock.Statements | Should -BeTrue -Because 'the last statement decides'
        $null -eq $ast.BeginBlock -and $null -eq $ast.ProcessBlock | Should -BeTrue
    }

    It 'exits with 0 or 1 and with nothing else (B71)' {
        # What is assigned to the variable, or stored under the key, by which the script exits.
        function Find-Assigned {
            param([string] $Name)
            $assigned = Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.AssignmentStatementAst] } |
                Where-Object { "$($_.Left)" -match ('^\$(script:)?' + [regex]::Escape($Name) + '$') } | ForEach-Object { $_.Right }
            $key = $Name -replace '^.*\.'
            $stored = Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.HashtableAst] } |
                ForEach-Object { $_.KeyValuePairs } | Where-Object { $key -ne $Name -and "$($_.Item1)" -eq $key } | ForEach-Object { $_.Item2 }
            @($assigned) + @($stored) | Where-Object { $null -ne $_ }
        }

        foreach ($exit in Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.ExitStatementAst] }) {
            $value = "$($exit.Pipeline)"
            if ($value -match '^\$(\w+(\.\w+)?)$') {
                $values = @(Find-Assigned $Matches[1] | ForEach-Object { "$_" })
                $values.Count | Should -BeGreaterThan 0 -Because "line $($exit.Extent.StartLineNumber): $exit"
            }
            else {
                $values = @($value)
            }
            @($values | Where-Object { '0', '1' -notcontains $_ }) | Should -BeNullOrEmpty -Because "line $($exit.Extent.StartLineNumber): $exit"
        }
    }

    It 'asks nobody, installs nothing, fetches nothing and restarts nothing (C20)' {
        $never = 'Read-Host', 'Get-Credential', 'Pause', 'Out-GridView', 'Install-Module', 'Install-PSResource', 'Install-Package', 'Install-PackageProvider',
        'Save-Module', 'Invoke-WebRequest', 'Invoke-RestMethod', 'Start-BitsTransfer', 'Restart-Computer', 'Stop-Computer', 'shutdown', 'shutdown.exe',
        'Start-Process', 'Invoke-Expression', 'Add-Type', 'manage-bde', 'manage-bde.exe', 'Set-ExecutionPolicy'
        Format-Ast (Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.CommandAst] } | Where-Object { $never -contains $_.GetCommandName() }) | Should -BeNullOrEmpty
    }

    It 'requires nothing by a comment, whose refusal would come before its own words' {
        $ast.ScriptRequirements | Should -BeNullOrEmpty
    }

    It 'asks for no recovery password (C27, B72)' {
        $text | Should -Not -Match '(?i)GetKeyProtectorNumericalPassword|GetKeyPackage|GetKeyProtectorExternalKey|\.RecoveryPassword\b|\.KeyProtector\b'
    }

    It 'has help with a synopsis, a description and notes' {
        $help = $ast.GetHelpContent()
        $help.Synopsis, $help.Description, $help.Notes | ForEach-Object { $_ | Should -Not -BeNullOrEmpty }
    }
}

Describe 'The uploaded script <Name>' -ForEach $hosted {
    BeforeAll {
        $ast = Get-Ast -File $File
        $text = Get-Content -LiteralPath $File -Raw
        $code = @(Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.StringConstantExpressionAst] -or $ast -is [System.Management.Automation.Language.ExpandableStringExpressionAst] })
    }

    It 'catches every failure: each statement that can fail stands in a try with a catch for all' {
        Format-Ast ($ast.EndBlock.Statements | Where-Object { -not (Test-Guarded $_) }) | Should -BeNullOrEmpty
    }

    It 'writes nothing but output: no stderr, no screen, no progress (C22, B46)' {
        $never = 'Write-Error', 'Write-Host', 'Write-Warning', 'Write-Information', 'Write-Verbose', 'Write-Debug', 'Write-Progress', 'Out-Host'
        Format-Ast (Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.CommandAst] } | Where-Object { $never -contains $_.GetCommandName() }) | Should -BeNullOrEmpty
        $text | Should -Not -Match '(?i)\[(System\.)?Console\]'
        $text | Should -Match '\$ProgressPreference\s*=\s*''SilentlyContinue'''
    }

    It 'stops asking soon enough to end within a minute where BitLocker does not answer' {
        # Of what only reads; a plan is made, and a decryption begun, only after that has been answered.
        $limits = @(Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.CommandAst] -and $ast.GetCommandName() -eq 'Get-BitLockerDiskAudit' } | ForEach-Object {
                $limit = [regex]::Match("$_", '-TimeoutSeconds (\$?\w+)').Groups[1].Value
                if ($limit -match '^\$(\w+)$') {
                    $limit = [regex]::Match($text, "(?m)^ *(\[int\] )?\`$$($Matches[1]) = (\d+)").Groups[2].Value
                }
                $limit
            })
        @($limits | Where-Object { $_ -notmatch '^\d+$' -or [int]$_ -gt 45 }) | Should -BeNullOrEmpty
    }

    It 'works under StrictMode' {
        $text | Should -Match '(?m)^Set-StrictMode -Version Latest$'
    }

    It 'depends on no current folder, no profile and no user: it runs as SYSTEM (C24)' {
        @($code | Where-Object { $_.Value -match '^\.{1,2}[\\/]' } | ForEach-Object { "line $($_.Extent.StartLineNumber): $_" }) | Should -BeNullOrEmpty
        $variables = Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.VariableExpressionAst] }
        Format-Ast ($variables | Where-Object { 'PWD', 'HOME', 'PROFILE', 'env:USERPROFILE', 'env:APPDATA', 'env:LOCALAPPDATA', 'env:HOMEPATH' -contains "$($_.VariablePath)" }) | Should -BeNullOrEmpty
        @($code | Where-Object { $_.Value -match '(?i)^HKCU:|HKEY_CURRENT_USER' } | ForEach-Object { "$_" }) | Should -BeNullOrEmpty
        Format-Ast (Find-Ast $ast { param($ast) $ast -is [System.Management.Automation.Language.CommandAst] -and 'Get-Location', 'Push-Location', 'Set-Location' -contains $ast.GetCommandName() }) | Should -BeNullOrEmpty
    }

    It 'says in its notes how to set it up and what is reported' {
        $notes = $ast.GetHelpContent().Notes
        $notes | Should -Match '(32|64).bit'
        $notes | Should -Match 'WHAT (REACHES THE (PORTAL|CONSOLE)|IT WRITES)'
    }
}

Describe 'The Intune script <Name>' -ForEach $uploaded {
    It 'is below 200 KB, the limit of remediation scripts' {
        # learn.microsoft.com/intune/intune-service/fundamentals/remediations
        (Get-Item -LiteralPath $File).Length | Should -BeLessThan (200 * 1024)
    }

    It 'has no parameters, since Intune passes none' {
        (Get-Ast -File $File).ParamBlock | Should -BeNullOrEmpty
    }
}

Describe 'Scripts that are uploaded one by one carry the same functions' {
    # None of them can load another file, so what they share is there several times.
    It 'word for word: <_>' -ForEach 'intune', 'configmgr' {
        $root = [System.IO.Path]::GetFullPath((Join-Path $PSScriptRoot '../../module/scripts'))
        $functions = @(Get-ChildItem -LiteralPath (Join-Path $root $_) -Filter '*.ps1' | ForEach-Object {
                Find-Ast (Get-Ast -File $_.FullName) { param($ast) $ast -is [System.Management.Automation.Language.FunctionDefinitionAst] }
            })
        $functions.Count | Should -BeGreaterThan 5
        $differing = @($functions | Group-Object -Property Name | Where-Object { @($_.Group | ForEach-Object { $_.Extent.Text } | Select-Object -Unique).Count -gt 1 })
        $differing.Name | Should -BeNullOrEmpty
    }
}
