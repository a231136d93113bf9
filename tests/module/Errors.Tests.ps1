BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    # The record of the terminating error of a call.
    function Get-ErrorRecord {
        param([scriptblock] $Script)
        try {
            $null = & $Script
        }
        catch {
            return $_
        }
        throw 'the call did not fail'
    }
}

Describe 'An executable that cannot be run' {
    It 'is CoreNotFound with advice about quarantine when it is missing (C51, B30)' {
        $env:DISKAUDIT_PATH = Join-Path $TestDrive 'no-such-file'
        $record = Get-ErrorRecord { Get-BitLockerDiskAudit }
        $record.FullyQualifiedErrorId | Should -BeExactly 'CoreNotFound,Get-BitLockerDiskAudit'
        $record.CategoryInfo.Category | Should -Be 'ObjectNotFound'
        $record.TargetObject | Should -BeLike '*no-such-file'
        $record.ErrorDetails.RecommendedAction | Should -Match 'quarantine'
        "$record" | Should -Match 'no-such-file.*DISKAUDIT_PATH'
    }

    It 'is CoreNotFound when the path is a folder' {
        $env:DISKAUDIT_PATH = "$TestDrive"
        Get-ErrorId { Get-BitLockerDiskAudit } | Should -BeExactly 'CoreNotFound'
    }

    It 'is CoreNotFound when the module has no executable for this computer' {
        $env:DISKAUDIT_PATH = ''
        InModuleScope BitLockerDiskAudit {
            Mock Get-NativeMachine { @{ System = 'Linux'; Architecture = 'RiscV64' } }
            $found = Get-DiskAuditPath
            $found.Failure.ErrorId | Should -BeExactly 'CoreNotFound'
            $found.Failure.Message | Should -Match 'Linux on RiscV64'
        }
    }

    It 'is CoreBlocked when the file is not a program' {
        $env:DISKAUDIT_PATH = Join-Path $TestDrive 'not-a-program.exe'
        Set-Content -LiteralPath $env:DISKAUDIT_PATH -Value 'text' -Encoding ascii
        if (-not $IsWindows) {
            chmod +x (Get-Item -LiteralPath $env:DISKAUDIT_PATH).FullName
        }
        $global:LASTEXITCODE = 0
        $record = Get-ErrorRecord { Get-BitLockerDiskAudit }
        $record.FullyQualifiedErrorId | Should -BeExactly 'CoreBlocked,Get-BitLockerDiskAudit'
        $record.CategoryInfo.Category | Should -Be 'SecurityError'
        "$record" | Should -Match 'not-a-program\.exe is there but does not start'
    }

    It 'is CoreBlocked when the file is not executable' {
        if ($IsWindows) {
            Set-ItResult -Skipped -Because 'files on Windows have no permission bits for it'
        }
        $env:DISKAUDIT_PATH = Join-Path $TestDrive 'no-execute-bit'
        Copy-Item -LiteralPath $env:DISKAUDIT_TEST_FAKECORE -Destination $env:DISKAUDIT_PATH
        chmod a-x (Get-Item -LiteralPath $env:DISKAUDIT_PATH).FullName
        $record = Get-ErrorRecord { Get-BitLockerDiskAudit }
        $record.FullyQualifiedErrorId | Should -BeExactly 'CoreBlocked,Get-BitLockerDiskAudit'
        "$record" | Should -Match 'chmod \+x'
    }
}

Describe 'Output that is no document (C47)' {
    It 'is CoreOutputInvalid: <What>' -ForEach @(
        @{ What = 'nothing at all'; Text = '' }
        @{ What = 'blank lines'; Text = "`n  `n" }
        @{ What = 'text'; Text = "It works!`n" }
        @{ What = 'broken JSON'; Text = '{"schemaVersion":"1.0","kind":"status"' }
        @{ What = 'JSON that is no object'; Text = '[1,2]' }
        @{ What = 'null'; Text = 'null' }
        @{ What = 'an empty object'; Text = '{}' }
        @{ What = 'a document of another kind'; Text = '{"schemaVersion":"1.0","kind":"version"}' }
        @{ What = 'a document that is cut down'; Text = '{"schemaVersion":"1.0","kind":"status","complete":true}' }
        @{ What = 'two documents on two lines'; Text = "{`"schemaVersion`":`"1.0`"}`n{`"schemaVersion`":`"1.0`"}`n" }
        @{ What = 'two documents on one line'; Text = '{"schemaVersion":"1.0"}{"schemaVersion":"1.0"}' }
        @{ What = 'a line before the document'; Text = "starting`n{`"schemaVersion`":`"1.0`",`"kind`":`"status`"}`n" }
        @{ What = 'a schema version that is no version'; Text = '{"schemaVersion":1,"kind":"status"}' }
    ) {
        Use-FakeCore -Text $Text
        $record = Get-ErrorRecord { Get-BitLockerDiskAudit }
        $record.FullyQualifiedErrorId | Should -BeExactly 'CoreOutputInvalid,Get-BitLockerDiskAudit'
        $record.CategoryInfo.Category | Should -Be 'ParserError'
        $record.TargetObject | Should -Be $env:DISKAUDIT_TEST_FAKECORE
        $record.ErrorDetails.RecommendedAction | Should -Not -BeNullOrEmpty
    }

    It 'is CoreOutputInvalid when a code page may have damaged it' {
        $document = New-StatusDocument
        $json = (ConvertTo-Json -InputObject $document -Depth 20 -Compress)
        Use-FakeCore -Text $json
        Get-ErrorId { Get-BitLockerDiskAudit } | Should -BeExactly 'CoreOutputInvalid'
        # The sign of the unit kelvin is a letter K to a comparison that ignores case.
        Use-FakeCore -Text ($json -creplace '[^\x20-\x7e]', "$([char]0x212A)")
        Get-ErrorId { Get-BitLockerDiskAudit } | Should -BeExactly 'CoreOutputInvalid'
    }

    It 'is CoreOutputInvalid for -AsJson and -Detailed too' {
        Use-FakeCore -Text 'garbage'
        Get-ErrorId { Get-BitLockerDiskAudit -AsJson } | Should -BeExactly 'CoreOutputInvalid'
        Get-ErrorId { Get-BitLockerDiskAudit -Detailed } | Should -BeExactly 'CoreOutputInvalid'
    }

    It 'is SchemaVersionUnsupported for major version <_>' -ForEach '2.0', '0.9', '10.1' {
        $document = New-StatusDocument
        $document.schemaVersion = $_
        Use-FakeCore -Document $document
        $record = Get-ErrorRecord { Get-BitLockerDiskAudit }
        $record.FullyQualifiedErrorId | Should -BeExactly 'SchemaVersionUnsupported,Get-BitLockerDiskAudit'
        $record.CategoryInfo.Category | Should -Be 'NotImplemented'
        "$record" | Should -Match ([regex]::Escape($_))
    }

    It 'is read when only the minor version is newer and there are more fields' {
        $document = New-StatusDocument
        $document.schemaVersion = '1.7'
        $document.added = @{ later = 1 }
        $document.volumes[0].added = 'later'
        Use-FakeCore -Document $document
        @(Get-BitLockerDiskAudit).Count | Should -Be 3
    }
}

Describe 'What to do about a problem' -Tag Documents {
    It '<Code> is <Category>, with advice that fits' -ForEach @(
        @{ Code = 'volume-locked'; Category = 'ResourceUnavailable'; Advice = 'Unlock' }
        @{ Code = 'io-blocked'; Category = 'ReadError'; Advice = 'Read the message' }
        @{ Code = 'content-unrecognized'; Category = 'InvalidData'; Advice = 'write nothing to it' }
        @{ Code = 'method-unrecognized'; Category = 'NotImplemented'; Advice = 'newer version' }
        @{ Code = 'timeout'; Category = 'OperationTimeout'; Advice = '^Raise -TimeoutSeconds\.$' }
        @{ Code = 'needs-elevation'; Category = 'PermissionDenied'; Advice = 'administrator' }
        @{ Code = 'metadata-damaged'; Category = 'InvalidData'; Advice = 'Write nothing' }
        @{ Code = 'feature-not-installed'; Category = 'NotInstalled'; Advice = 'Install the BitLocker feature' }
        @{ Code = 'restart-required'; Category = 'ResourceUnavailable'; Advice = '^Restart the computer' }
        # Its causes are many; installing what is there already mends none of them.
        @{ Code = 'provider-unavailable'; Category = 'ResourceUnavailable'; Advice = '^Read the message' }
    ) {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 0 -Problem (New-Problem -Code $Code)
        Use-FakeCore -Document $document -ExitCode 3
        $null = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        $record = @($problems)[-1]
        $record.CategoryInfo.Category | Should -Be $Category
        $record.ErrorDetails.RecommendedAction | Should -Match $Advice
    }
}

Describe 'Exit codes (C54)' -Tag Documents {
    BeforeAll {
        function New-EmptyDocument {
            param($Code, $Text = "The text of $Code.")
            $document = New-StatusDocument
            $document.volumes = @()
            $document.disks = @()
            $document.findings = @()
            $document.complete = $false
            $document.problems = @(New-Problem -Code $Code -Target 'the target' -Text $Text)
            $document
        }
    }

    It '<Exit> with nothing found is <Id>, with the text of the problem' -ForEach @(
        @{ Exit = 1; Code = 'internal-error'; Id = 'CoreFailed'; Category = 'InvalidResult' }
        @{ Exit = 4; Code = 'needs-elevation'; Id = 'ElevationRequired'; Category = 'PermissionDenied' }
        @{ Exit = 5; Code = 'refused'; Id = 'OperationRefused'; Category = 'InvalidOperation' }
        @{ Exit = 6; Code = 'provider-unavailable'; Id = 'ProviderUnavailable'; Category = 'ResourceUnavailable' }
        @{ Exit = 7; Code = 'in-progress'; Id = 'OperationInProgress'; Category = 'ResourceBusy' }
        @{ Exit = 130; Code = 'interrupted'; Id = 'Interrupted'; Category = 'OperationStopped' }
        @{ Exit = 1; Code = 'timeout'; Id = 'CoreTimeout'; Category = 'OperationTimeout' }
        @{ Exit = 3; Code = 'timeout'; Id = 'CoreTimeout'; Category = 'OperationTimeout' }
        @{ Exit = 77; Code = 'internal-error'; Id = 'CoreFailed'; Category = 'InvalidResult' }
    ) {
        Use-FakeCore -Document (New-EmptyDocument -Code $Code) -ExitCode $Exit
        foreach ($call in { Get-BitLockerDiskAudit }, { Get-BitLockerDiskAudit -Detailed }, { Get-BitLockerDiskAudit -ErrorAction SilentlyContinue }) {
            $record = Get-ErrorRecord $call
            $record.FullyQualifiedErrorId | Should -BeExactly "$Id,Get-BitLockerDiskAudit"
            $record.CategoryInfo.Category | Should -Be $Category
            $record.TargetObject | Should -BeExactly 'the target'
            "$record" | Should -Match "The text of $Code\."
            $record.ErrorDetails.RecommendedAction | Should -Not -BeNullOrEmpty
        }
    }

    It '<Exit> does not hide that the one volume asked for is not there' -ForEach @(
        @{ Exit = 1 }
        @{ Exit = 4 }
        @{ Exit = 6 }
    ) {
        $document = New-EmptyDocument -Code 'volume-not-found'
        $document.problems += New-Problem -Code 'needs-elevation' -Target 'the provider'
        $document.problems[1].stage = 'host'
        Use-FakeCore -Document $document -ExitCode $Exit
        Get-BitLockerDiskAudit -MountPoint Q: -ErrorVariable problems -ErrorAction SilentlyContinue | Should -BeNullOrEmpty
        @($problems).FullyQualifiedErrorId | Should -Be 'VolumeNotFound,Get-BitLockerDiskAudit', 'NeedsElevation,Get-BitLockerDiskAudit'
    }

    It '<Exit> with volumes brings the volumes, and the problem as an error' -ForEach @(
        @{ Exit = 1; Code = 'output-failed'; Id = 'OutputFailed' }
        @{ Exit = 3; Code = 'timeout'; Id = 'Timeout' }
        @{ Exit = 4; Code = 'needs-elevation'; Id = 'NeedsElevation' }
        @{ Exit = 6; Code = 'provider-unavailable'; Id = 'ProviderUnavailable' }
        @{ Exit = 130; Code = 'interrupted'; Id = 'Interrupted' }
    ) {
        $document = New-StatusDocument
        $document.complete = $false
        $document.problems = @(New-Problem -Code $Code)
        Use-FakeCore -Document $document -ExitCode $Exit
        $volumes = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        $volumes.Count | Should -Be 3
        $volumes[0].Complete | Should -BeFalse
        @($problems).FullyQualifiedErrorId | Should -Be "$Id,Get-BitLockerDiskAudit"
    }

    It '4 without a problem that says why is still an error' {
        Use-FakeCore -Document (New-StatusDocument) -ExitCode 4
        $volumes = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        $volumes.Count | Should -Be 3
        @($problems).FullyQualifiedErrorId | Should -Be 'ElevationRequired,Get-BitLockerDiskAudit'
    }

    It '8 is no failure: the document is complete' {
        Use-FakeCore -Document (New-StatusDocument) -ExitCode 8
        @(Get-BitLockerDiskAudit -ErrorAction Stop).Count | Should -Be 3
    }

    It '0 without volumes is an empty answer, not a failure' {
        $document = New-StatusDocument
        $document.volumes = @()
        Use-FakeCore -Document $document
        @(Get-BitLockerDiskAudit -ErrorAction Stop).Count | Should -Be 0
    }

    It '2 is UsageError with the message from stderr' {
        Use-FakeCore -ExitCode 2 -ErrorText "diskaudit: unknown flag --colour; did you mean --color`n"
        $record = Get-ErrorRecord { Get-BitLockerDiskAudit }
        $record.FullyQualifiedErrorId | Should -BeExactly 'UsageError,Get-BitLockerDiskAudit'
        $record.CategoryInfo.Category | Should -Be 'InvalidArgument'
        "$record" | Should -Match 'unknown flag --colour; did you mean --color'
    }

    It '1 with a text on stderr only is CoreFailed with that text, not a NativeCommandError (C6)' {
        Use-FakeCore -ExitCode 1 -ErrorText "diskaudit: writing the document: disk full`n"
        $record = Get-ErrorRecord { Get-BitLockerDiskAudit }
        $record.FullyQualifiedErrorId | Should -BeExactly 'CoreFailed,Get-BitLockerDiskAudit'
        "$record" | Should -Match 'disk full'
    }

    It 'of a program that crashes are CoreFailed, with the reason' {
        Use-FakeCore -Crash panic
        $record = Get-ErrorRecord { Get-BitLockerDiskAudit }
        $record.FullyQualifiedErrorId | Should -BeExactly 'CoreFailed,Get-BitLockerDiskAudit'
        "$record" | Should -Match 'a fault of its own'
    }

    It 'of a program that is killed are CoreFailed' {
        Use-FakeCore -Crash kill
        Get-ErrorId { Get-BitLockerDiskAudit } | Should -BeExactly 'CoreFailed'
    }

    It 'that are Windows statuses are shown as such' {
        InModuleScope BitLockerDiskAudit {
            (Get-ExitFailure -ExitCode -1073741819).Text | Should -Match '0xC0000005'
        }
    }

    It 'of a program that is killed after its document do not hide the crash' {
        Use-FakeCore -Document (New-StatusDocument) -Crash kill
        $volumes = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        $volumes.Count | Should -Be 3
        @($problems).FullyQualifiedErrorId | Should -Be 'CoreFailed,Get-BitLockerDiskAudit'
    }
}

Describe 'Problems of volumes' -Tag Documents {
    It 'are one non-terminating error each; the other volumes come out (B14, B31, C36)' {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 2 -Problem (New-Problem -Code 'volume-locked' -Text 'D: is locked.' -HResult '0x80310000' -HResultName 'FVE_E_LOCKED_VOLUME')
        Use-FakeCore -Document $document -ExitCode 3
        $volumes = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        $volumes.VolumeId | Should -Be $VolumeC, $VolumeNoLetter, $VolumeD
        $volumes[2].Problems | Should -Be 'volume-locked'
        $record = @($problems)[-1]
        @($problems).Count | Should -Be 1
        $record.FullyQualifiedErrorId | Should -BeExactly 'VolumeLocked,Get-BitLockerDiskAudit'
        $record.CategoryInfo.Category | Should -Be 'ResourceUnavailable'
        $record.TargetObject | Should -BeExactly $VolumeD
        $record.ErrorDetails.RecommendedAction | Should -Match 'Unlock'
        "$record" | Should -BeExactly 'D: is locked. (0x80310000 FVE_E_LOCKED_VOLUME)'
    }

    It 'come after all volumes, so that -ErrorAction Stop loses none in a pipeline' {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 1 -Problem (New-Problem -Code 'metadata-damaged')
        Use-FakeCore -Document $document -ExitCode 3
        $out = [System.Collections.Generic.List[object]]::new()
        { Get-BitLockerDiskAudit -ErrorAction Stop | ForEach-Object { $out.Add($_.VolumeId) } } |
            Should -Throw -ErrorId 'MetadataDamaged,Get-BitLockerDiskAudit'
        $out | Should -Be $VolumeC, $VolumeNoLetter, $VolumeD
        $document.problems = @(New-Problem -Code 'needs-elevation') + $document.problems
        Use-FakeCore -Document $document -ExitCode 4
        foreach ($switch in @{ Detailed = $true }, @{ AsJson = $true }) {
            $out.Clear()
            { Get-BitLockerDiskAudit @switch -ErrorAction Stop | ForEach-Object { $out.Add($_) } } |
                Should -Throw -ErrorId 'NeedsElevation,Get-BitLockerDiskAudit'
            $out.Count | Should -Be 1
        }
    }

    It 'with the code <Code> have the id <Id> and the category <Category>' -ForEach @(
        @{ Code = 'volume-locked'; Id = 'VolumeLocked'; Category = 'ResourceUnavailable' }
        @{ Code = 'metadata-damaged'; Id = 'MetadataDamaged'; Category = 'InvalidData' }
        @{ Code = 'needs-elevation'; Id = 'NeedsElevation'; Category = 'PermissionDenied' }
        @{ Code = 'access-denied'; Id = 'AccessDenied'; Category = 'PermissionDenied' }
        @{ Code = 'volume-not-found'; Id = 'VolumeNotFound'; Category = 'ObjectNotFound' }
        @{ Code = 'timeout'; Id = 'Timeout'; Category = 'OperationTimeout' }
        @{ Code = 'container-unsupported'; Id = 'ContainerUnsupported'; Category = 'NotImplemented' }
        @{ Code = 'bitlocker-busy'; Id = 'BitlockerBusy'; Category = 'ResourceBusy' }
        @{ Code = 'recording-unusable'; Id = 'RecordingUnusable'; Category = 'InvalidData' }
        @{ Code = 'something-new'; Id = 'SomethingNew'; Category = 'ReadError' }
    ) {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 0 -Problem (New-Problem -Code $Code)
        Use-FakeCore -Document $document -ExitCode 3
        $null = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems)[-1].FullyQualifiedErrorId | Should -BeExactly "$Id,Get-BitLockerDiskAudit"
        @($problems)[-1].CategoryInfo.Category | Should -Be $Category
        @($problems)[-1].ErrorDetails.RecommendedAction | Should -Not -BeNullOrEmpty
    }

    It 'that can pass by themselves are said to' {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 0 -Problem (New-Problem -Code 'volume-busy' -Retryable $true)
        Use-FakeCore -Document $document -ExitCode 3
        $null = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems)[-1].ErrorDetails.RecommendedAction | Should -Match '^Run the command again'
    }

    It 'of the level warning are warnings, of the level info verbose text' {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 0 -Problem (New-Problem -Code 'slow-answer' -Level 'warning' -Text 'It was slow.')
        Add-VolumeProblem -Document $document -Index 1 -Problem (New-Problem -Code 'not-asked' -Level 'info' -Text 'It is an image.')
        Use-FakeCore -Document $document
        $all = Get-BitLockerDiskAudit -Verbose -WarningVariable warnings -WarningAction SilentlyContinue -ErrorAction Stop 4>&1
        "$warnings" | Should -BeExactly 'It was slow.'
        @($all | Where-Object { $_ -is [System.Management.Automation.VerboseRecord] }) -match '^It is an image\.$' | Should -Not -BeNullOrEmpty
        @($all | Where-Object { $_ -isnot [System.Management.Automation.VerboseRecord] }).Count | Should -Be 3
    }

    It 'of a level that is not listed are errors' {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 0 -Problem (New-Problem -Code 'odd' -Level 'alarm')
        Use-FakeCore -Document $document
        $null = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems)[-1].FullyQualifiedErrorId | Should -BeExactly 'Odd,Get-BitLockerDiskAudit'
    }

    It 'about nothing that comes out are not lost' {
        $document = New-StatusDocument
        $document.problems = @(New-Problem -Code 'disk-unreadable' -Target 'PhysicalDrive7')
        Use-FakeCore -Document $document -ExitCode 3
        $null = Get-BitLockerDiskAudit -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems)[-1].TargetObject | Should -BeExactly 'PhysicalDrive7'
    }
}

Describe 'No error' {
    It 'holds a recovery password (C27)' {
        $document = New-StatusDocument
        Add-VolumeProblem -Document $document -Index 0 -Problem (New-Problem -Code 'volume-locked')
        Use-FakeCore -Document $document -ExitCode 3
        $out = Get-BitLockerDiskAudit -Detailed -Verbose -ErrorAction Continue *>&1 | Out-String -Width 4096
        $out | Should -Not -Match '(\d{6}-){7}\d{6}'
    }
}
