BeforeAll {
    . $PSScriptRoot/Testbed.ps1
}

Describe 'A caller' {
    BeforeEach {
        Use-FakeCore -Document (New-StatusDocument) -ErrorText "a warning`nand another`n"
    }

    It 'with ErrorActionPreference Stop is not stopped by text on stderr (C5, C8)' {
        $ErrorActionPreference = 'Stop'
        @(Get-BitLockerDiskAudit).Count | Should -Be 3
        @(Get-BitLockerDiskAudit -ErrorAction Stop).Count | Should -Be 3
    }

    It 'sees neither text on stderr nor an error record for it (C5, C8, C22)' {
        $Error.Clear()
        $all = Get-BitLockerDiskAudit -ErrorVariable problems *>&1
        $all.Count | Should -Be 3
        $problems | Should -BeNullOrEmpty
        $Error.Count | Should -Be 0
    }

    It 'keeps $Error as it was where stderr lines become records, as in Windows PowerShell 5.1' {
        $Error.Clear()
        Write-Error -Message 'of the caller' -ErrorAction SilentlyContinue
        InModuleScope BitLockerDiskAudit {
            $ErrorActionPreference = 'Continue'
            Mock Invoke-DiskAudit {
                $lines = & { Write-Error -Message 'line 1'; Write-Error -Message 'line 2' } 2>&1
                $global:Error.Count | Should -Be 3
                @{ Path = 'x'; ExitCode = 0; Output = @('{}'); ErrorText = "$lines"; Failure = $null }
            }
            (Get-AuditOutcome -Choice @() -ChoiceRequired $false).Value.ErrorId | Should -Be 'CoreOutputInvalid'
        }
        $Error.Count | Should -Be 1
        "$($Error[0])" | Should -BeExactly 'of the caller'
    }

    It 'finds one error in $Error for a terminating one' {
        Use-FakeCore -Text '{broken'
        $Error.Clear()
        try { Get-BitLockerDiskAudit } catch { $null = $_ }
        @($Error.FullyQualifiedErrorId | Select-Object -Unique) | Should -Be 'CoreOutputInvalid,Get-BitLockerDiskAudit'
    }

    It 'may have PSNativeCommandUseErrorActionPreference on (C12)' {
        $PSNativeCommandUseErrorActionPreference = $true
        $ErrorActionPreference = 'Stop'
        $global:PSNativeCommandUseErrorActionPreference = $true
        try {
            Use-FakeCore -Document (New-StatusDocument) -ExitCode 8 -ErrorText 'x'
            @(Get-BitLockerDiskAudit).Count | Should -Be 3
            Use-FakeCore -Text '' -ExitCode 1 -ErrorText 'x'
            Get-ErrorId { Get-BitLockerDiskAudit } | Should -BeExactly 'CoreFailed'
        }
        finally {
            $global:PSNativeCommandUseErrorActionPreference = $false
        }
    }

    It 'keeps its $LASTEXITCODE' {
        $global:LASTEXITCODE = 42
        $null = Get-BitLockerDiskAudit
        $global:LASTEXITCODE | Should -Be 42
        $env:DISKAUDIT_PATH = Join-Path $TestDrive 'nowhere'
        Get-ErrorId { Get-BitLockerDiskAudit } | Should -BeExactly 'CoreNotFound'
        $global:LASTEXITCODE | Should -Be 42
    }

    It 'keeps its preferences' {
        $ErrorActionPreference = 'Stop'
        $WarningPreference = 'SilentlyContinue'
        $null = Get-BitLockerDiskAudit -ErrorAction SilentlyContinue
        $ErrorActionPreference | Should -Be 'Stop'
        $WarningPreference | Should -Be 'SilentlyContinue'
    }

    It 'may read the first volume only (C17)' {
        $first = Get-BitLockerDiskAudit | Select-Object -First 1
        $first.VolumeId | Should -BeExactly $VolumeC
    }

    It 'may use a file name with wildcards and spaces for the executable' {
        $folder = (New-Item -ItemType Directory -Path (Join-Path $TestDrive 'a [b] & c') -Force).FullName
        $copy = Join-Path $folder (Split-Path -Path $env:DISKAUDIT_TEST_FAKECORE -Leaf)
        [System.IO.File]::Copy($env:DISKAUDIT_TEST_FAKECORE, $copy, $true)
        if (-not $IsWindows) {
            chmod +x $copy
        }
        $env:DISKAUDIT_PATH = $copy
        @(Get-BitLockerDiskAudit).Count | Should -Be 3
    }
}

Describe 'A script of its own' {
    BeforeAll {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 1 -Problem (New-Problem -Code 'volume-locked')
        Use-FakeCore -Document $document -ExitCode 3 -ErrorText "noise`n"
    }

    It 'whose ErrorActionPreference is Stop has all volumes before the error of one stops it' {
        # In a function, so that the preference is not the global one.
        $out = Invoke-Child @"
Import-Module '$ManifestPath'
function Invoke-Caller {
    `$ErrorActionPreference = 'Stop'
    try { Get-BitLockerDiskAudit | ForEach-Object { `$_.VolumeId } } catch { `$_.FullyQualifiedErrorId }
}
Invoke-Caller
"@
        @($out) | Should -Be $VolumeC, $VolumeNoLetter, $VolumeD, 'VolumeLocked,Get-BitLockerDiskAudit'
    }

    It 'whose ErrorActionPreference is SilentlyContinue goes on' -Tag Documents {
        $out = Invoke-Child @"
Import-Module '$ManifestPath'
function Invoke-Caller {
    `$ErrorActionPreference = 'SilentlyContinue'
    @(Get-BitLockerDiskAudit).Count
    Get-BitLockerDiskAudit -ErrorAction Stop | Out-Null
}
try { Invoke-Caller } catch { `$_.FullyQualifiedErrorId }
"@
        @($out)[0] | Should -Be '3'
        @($out)[-1] | Should -Be 'VolumeLocked,Get-BitLockerDiskAudit'
    }

    It 'goes on after a terminating error that it does not catch, as after one of a cmdlet' -Tag Documents {
        $out = Invoke-Child @"
Import-Module '$ManifestPath'
`$env:DISKAUDIT_PATH = 'nowhere'
Get-BitLockerDiskAudit 2>`$null
'after'
"@
        @($out)[-1] | Should -Be 'after'
    }

    It 'runs without prompts and profile, under strict mode, with nothing on the pipe (C24)' {
        Use-FakeCore -Document (New-StatusDocument)
        $out = Invoke-Child @"
Set-StrictMode -Version Latest
Import-Module '$ManifestPath'
(Get-BitLockerDiskAudit | ForEach-Object { `$_.Conversion + '' }) -join ','
`$null -eq `$LASTEXITCODE
"@
        @($out) | Should -Be 'FullyEncrypted,FullyDecrypted,', 'True'
    }
}
