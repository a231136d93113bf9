BeforeDiscovery {
    $root = [System.IO.Path]::GetFullPath((Join-Path $PSScriptRoot '../..'))
    $module = Join-Path $root 'module'
    $sources = @(Get-ChildItem -LiteralPath $module -Recurse -File) + @(Get-Item -LiteralPath (Join-Path $root 'build.ps1')) |
        Where-Object { $_.FullName.Replace('\', '/') -notlike '*/module/bin/*' } |
        ForEach-Object { @{ File = $_.FullName; Name = $_.FullName.Substring($root.Length + 1).Replace('\', '/') } }
    $scripts = @($sources | Where-Object { $_.Name -match '\.(ps1|psm1|psd1)$' })
    $commands = @((Import-PowerShellDataFile -Path (Join-Path $module 'BitLockerDiskAudit.psd1')).FunctionsToExport)
    $functions = @($scripts | Where-Object { $_.Name -match '^module/(public|private)/' })
}

BeforeAll {
    . $PSScriptRoot/Testbed.ps1
    $module = Split-Path -Path $ManifestPath -Parent

    function Get-Ast {
        param([string] $File)
        $tokens = $null
        $faults = $null
        $ast = [System.Management.Automation.Language.Parser]::ParseFile($File, [ref]$tokens, [ref]$faults)
        if ($faults) {
            throw "$File does not parse: $faults"
        }
        @{ Ast = $ast; Tokens = $tokens }
    }
}

Describe 'The source <Name>' -Tag 'Sources' -ForEach $sources {
    It 'has ASCII bytes only, so that Windows PowerShell reads it on every computer (C4)' {
        $bytes = [System.IO.File]::ReadAllBytes($File)
        @($bytes -gt 0x7e).Count | Should -Be 0
        @($bytes | Where-Object { $_ -lt 0x20 -and $_ -ne 10 }).Count | Should -Be 0 -Because 'lines end in LF and there are no tabs'
        $bytes[-1] | Should -Be 10
    }
}

Describe 'The script <Name>' -Tag 'Sources' -ForEach $scripts {
    BeforeAll {
        $parsed = Get-Ast -File $File
        function Find-Ast {
            param([scriptblock] $Where)
            @($parsed.Ast.FindAll($Where, $true) | ForEach-Object { "line $($_.Extent.StartLineNumber): $($_.Extent.Text)" })
        }
    }

    It 'is in the language of Windows PowerShell 5.1 (C25)' {
        Find-Ast {
            param($ast)
            $ast -is [System.Management.Automation.Language.TernaryExpressionAst] -or
            $ast -is [System.Management.Automation.Language.PipelineChainAst] -or
            ($ast -is [System.Management.Automation.Language.MemberExpressionAst] -and $ast.NullConditional) -or
            ($ast -is [System.Management.Automation.Language.IndexExpressionAst] -and $ast.NullConditional) -or
            ($ast -is [System.Management.Automation.Language.BinaryExpressionAst] -and $ast.Operator -eq 'QuestionQuestion') -or
            ($ast -is [System.Management.Automation.Language.AssignmentStatementAst] -and $ast.Operator -eq 'QuestionQuestionEquals') -or
            ($ast -is [System.Management.Automation.Language.PipelineBaseAst] -and $ast.PSObject.Properties['Background'] -and $ast.Background) -or
            ($ast -is [System.Management.Automation.Language.ScriptBlockAst] -and $null -ne $ast.CleanBlock)
        } | Should -BeNullOrEmpty
        # Suffixes and prefixes of numbers that came after 5.1.
        @($parsed.Tokens | Where-Object { $_.Kind -eq 'Number' -and $_.Text -match '^0b|(u|us|ul|uy|y|s|n)$' }) | Should -BeNullOrEmpty
    }

    It 'uses no parameter of a cmdlet that 5.1 does not have' {
        $later = 'Parallel', 'AsHashtable', 'DateKind', 'NoEnumerate', 'EscapeHandling', 'AdditionalChildPath', 'AsArray', 'SkipLast', 'Conjunction', 'MaximumRetryCount', 'SchemaFile', 'AsByteStream', 'UseQuotes'
        Find-Ast {
            param($ast)
            $ast -is [System.Management.Automation.Language.CommandParameterAst] -and $later -contains $ast.ParameterName
        } | Should -BeNullOrEmpty
        Find-Ast {
            param($ast)
            $ast -is [System.Management.Automation.Language.CommandAst] -and
            'Test-Json', 'Get-Error', 'Join-String', 'Remove-Alias', 'Get-Uptime', 'ConvertFrom-SddlString' -contains $ast.GetCommandName()
        } | Should -BeNullOrEmpty
    }

    It 'uses nothing that App Control forbids an untrusted script: classes, Add-Type, other types of objects (C52)' {
        Find-Ast {
            param($ast)
            $ast -is [System.Management.Automation.Language.TypeDefinitionAst] -or
            ($ast -is [System.Management.Automation.Language.CommandAst] -and
            ($ast.GetCommandName() -in 'Add-Type', 'Invoke-Expression' -or ($ast.GetCommandName() -eq 'New-Object' -and $ast.Extent.Text -notmatch '-TypeName PSObject')))
        } | Should -BeNullOrEmpty
    }

    It 'escapes no quotes for programs (C9, C10)' {
        Get-Content -LiteralPath $File -Raw | Should -Not -Match '\\"|\\`"'
    }

    It 'has no alias and no text on the console' {
        $console = @('Read-Host')
        if ($Name -ne 'build.ps1') {
            $console += 'Out-Host'
        }
        # People read the lines of this one on the screen, and others take them out of transcripts.
        if ($Name -ne 'module/scripts/Test-BitLockerDiskSpeed.ps1') {
            $console += 'Write-Host'
        }
        Find-Ast {
            param($ast)
            $ast -is [System.Management.Automation.Language.CommandAst] -and $ast.GetCommandName() -and
            ((Get-Alias -Name ([wildcardpattern]::Escape($ast.GetCommandName())) -ErrorAction Ignore) -or $console -contains $ast.GetCommandName())
        } | Should -BeNullOrEmpty
    }
}

Describe 'The function file <Name>' -Tag 'Sources' -ForEach $functions {
    It 'holds one function, named like the file, with an approved verb and help (B46)' {
        $ast = (Get-Ast -File $File).Ast
        $defined = @($ast.FindAll({ param($ast) $ast -is [System.Management.Automation.Language.FunctionDefinitionAst] }, $true))
        $defined.Count | Should -Be 1
        $defined[0].Name | Should -BeExactly ([System.IO.Path]::GetFileNameWithoutExtension($File))
        @($ast.EndBlock.Statements).Count | Should -Be 1 -Because 'nothing runs on import'
        (Get-Verb).Verb | Should -Contain ($defined[0].Name -split '-')[0]
        $defined[0].GetHelpContent().Synopsis | Should -Not -BeNullOrEmpty
        @($defined[0].Body.ParamBlock.Attributes | Where-Object { $_.TypeName.Name -eq 'CmdletBinding' }).Count | Should -Be 1
    }

    It 'is loaded by name' {
        $loader = Get-Content -LiteralPath (Join-Path $module 'BitLockerDiskAudit.psm1') -Raw
        $loader | Should -Match ([regex]::Escape('. $PSScriptRoot/' + ($Name -replace '^module/', '')))
    }
}

Describe 'The module' {
    BeforeAll {
        $manifest = Test-ModuleManifest -Path $ManifestPath -WarningVariable warnings -WarningAction SilentlyContinue
        $data = Import-PowerShellDataFile -Path $ManifestPath
        $exported = Get-Module -Name BitLockerDiskAudit
    }

    It 'has a sound manifest for both editions' {
        $warnings | Should -BeNullOrEmpty
        $manifest.PowerShellVersion | Should -Be '5.1'
        $manifest.CompatiblePSEditions | Should -Be 'Desktop', 'Core'
    }

    It 'exports what the manifest names, and nothing else' {
        $data.FunctionsToExport | Should -Not -Match '\*'
        $exported.ExportedFunctions.Keys | Should -Be $data.FunctionsToExport
        $exported.ExportedCommands.Count | Should -Be $data.FunctionsToExport.Count
        $exported.ExportedVariables.Count | Should -Be 0
        $exported.ExportedAliases.Count | Should -Be 0
        $public = Get-ChildItem -LiteralPath (Join-Path $module 'public') -File | ForEach-Object BaseName
        $data.FunctionsToExport | Should -Be $public
    }

    It 'lists its files' {
        $files = Get-ChildItem -LiteralPath $module -Recurse -File |
            ForEach-Object { $_.FullName.Substring($module.Length + 1).Replace('\', '/') } |
            Where-Object { $_ -notlike 'bin/*' }
        Compare-Object -ReferenceObject $data.FileList -DifferenceObject $files | Should -BeNullOrEmpty
    }

    It 'does nothing on import (B46)' {
        Use-FakeCore -Document (New-StatusDocument)
        $out = Invoke-Child "Import-Module '$ManifestPath' -Verbose:`$false 3>&1 4>&1 5>&1 6>&1; (Get-Variable -Scope Global -Name LASTEXITCODE -ErrorAction Ignore) -eq `$null"
        @($out) | Should -Be 'True'
        @(Get-FakeCall).Count | Should -Be 0
    }

    It 'has full help and an output type for <_>' -ForEach $commands {
        $help = Get-Help -Name $_ -Full
        $help.Synopsis | Should -Not -BeLike "*$_*"
        @($help.Examples.Example).Count | Should -BeGreaterThan 3
        foreach ($parameter in $help.Parameters.Parameter) {
            $parameter.Description | Out-String | Should -Match '\w' -Because $parameter.Name
        }
        foreach ($type in (Get-Command -Name $_).OutputType.Name) {
            $help.returnValues | Out-String | Should -Match ([regex]::Escape($type))
        }
        (Get-Command -Name $_).OutputType.Count | Should -BeGreaterThan 0
    }

    It 'documents each property of <What> with its type' -ForEach @(
        @{ What = 'a volume'; Command = 'Get-BitLockerDiskAudit'; Document = 'windows'; Call = { (Get-BitLockerDiskAudit)[0] } }
        @{ What = 'a bench'; Command = 'Test-NvmeLatency'; Document = 'bench-material'; Call = { Test-NvmeLatency C } }
        @{ What = 'a test of a bench'; Command = 'Test-NvmeLatency'; Document = 'bench-material'; Call = { (Test-NvmeLatency C).Tests[1] } }
        @{ What = 'a remediation'; Command = 'Disable-SoftwareBitLocker'; Document = 'remediate-failed'; Call = { Disable-SoftwareBitLocker -Recording a -ErrorAction SilentlyContinue } }
        @{ What = 'a step'; Command = 'Disable-SoftwareBitLocker'; Document = 'remediate-failed'; Call = { (Disable-SoftwareBitLocker -Recording a -ErrorAction SilentlyContinue).Steps[1] } }
        @{ What = 'a guard'; Command = 'Disable-SoftwareBitLocker'; Document = 'remediate-plan'; Call = { (Disable-SoftwareBitLocker -Recording a).Guards[1] } }
    ) {
        Use-FakeCore -Document (Read-Document $Document)
        $object = & $Call
        $text = Get-Content -LiteralPath (Join-Path $module "public/$Command.ps1") -Raw
        $names = @{ Int64 = 'long'; String = 'string'; Double = 'double'; Boolean = 'bool'; DateTime = 'datetime'; 'Object[]' = 'object[]' }
        foreach ($property in $object.PSObject.Properties) {
            # Of an object only that it is one.
            if ($null -eq $property.Value -or $property.Value.GetType().Name -eq 'PSCustomObject') {
                $text | Should -Match "(?m)^    $($property.Name) \[\w+(\[\])?\]"
            }
            else {
                $text | Should -Match ("(?m)^    $($property.Name) " + [regex]::Escape("[$($names[$property.Value.GetType().Name])]"))
            }
        }
    }

    It 'has a conceptual help topic within 80 columns' {
        $file = Join-Path $module 'en-US/about_BitLockerDiskAudit.help.txt'
        Get-Content -LiteralPath $file | ForEach-Object { $_.Length | Should -BeLessOrEqual 80 -Because $_ }
        $text = Get-Content -LiteralPath $file -Raw
        $text | Should -Match 'TOPIC\r?\n\s+about_BitLockerDiskAudit'
        $text | Should -Match 'SHORT DESCRIPTION'
    }
}
