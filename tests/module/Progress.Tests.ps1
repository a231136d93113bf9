BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    $lines = @(
        '{"stage":"prepare","done":0,"total":1073741824,"unit":"bytes","etaSeconds":null}'
        '{"stage":"prepare","done":536870912,"total":1073741824,"unit":"bytes","etaSeconds":2.4}'
        '{"stage":"prepare","done":536870913,"total":1073741824,"unit":"bytes","etaSeconds":2.4}'
        '{"stage":"measure","done":9,"total":12,"unit":"rounds","etaSeconds":7}'
        '{"stage":"penalty","done":13,"total":12,"unit":"penalty","etaSeconds":0}'
        '{"stage":"later","done":3,"total":null,"unit":"things","etaSeconds":null}'
    )

    # What was shown, in order; the first call opens the gate that the executable waits at.
    function Watch-Progress {
        param([scriptblock] $Call)
        $script:seen = @()
        Mock -ModuleName BitLockerDiskAudit -CommandName Write-Progress -MockWith {
            if ($env:FAKECORE_GATE) {
                [System.IO.File]::WriteAllText($env:FAKECORE_GATE, '')
            }
            $script:seen += @{ Activity = "$Activity"; Status = "$Status"; Percent = $PercentComplete; Seconds = $SecondsRemaining; Completed = [bool]$Completed }
        }
        & $Call
    }
}

Describe 'Progress of Test-NvmeLatency' {
    BeforeEach {
        $ProgressPreference = 'Continue'
        Use-FakeCore -Document (Read-Document 'bench-material') -Progress $lines
    }

    It 'is shown while the executable runs, and ends with it' {
        $env:FAKECORE_GATE = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'gate'
        $bench = Watch-Progress { Test-NvmeLatency C }
        $bench.Tests.Count | Should -Be 3
        $seen.Count | Should -Be 6 -Because 'a line that changes nothing is not drawn'
        $seen.Activity | Select-Object -Unique | Should -BeExactly 'Measuring C:'
        $seen.Percent[0..4] | Should -Be 0, 50, 75, 100, -1
        $seen.Seconds[0..4] | Should -Be -1, 2, 7, -1, -1
        $seen[1].Status | Should -BeExactly 'Writing the test file: 512 of 1024 MiB'
        $seen[2].Status | Should -BeExactly 'Running the tests: 9 of 12 rounds'
        $seen[3].Status | Should -BeExactly 'Comparing with and without encryption'
        $seen[4].Status | Should -BeExactly 'later'
        $seen.Completed | Should -Be $false, $false, $false, $false, $false, $true
    }

    It 'leaves no error, warning or text behind (C8)' {
        $Error.Clear()
        $all = @(Test-NvmeLatency C -Verbose -ErrorVariable problems -ErrorAction Stop *>&1)
        $problems | Should -BeNullOrEmpty
        $Error.Count | Should -Be 0
        "$all" | Should -Not -Match '"stage"'
    }

    It 'does not hide what else is on stderr' {
        Use-FakeCore -Text '' -ExitCode 1 -ErrorText "a complaint`n" -Progress $lines
        $record = $null
        try { Watch-Progress { Test-NvmeLatency C } } catch { $record = $_ }
        $record.FullyQualifiedErrorId | Should -BeExactly 'CoreFailed,Test-NvmeLatency'
        "$record" | Should -Match 'a complaint'
        "$record" | Should -Not -Match 'stage'
        $seen[-1].Completed | Should -BeTrue
    }

    It 'ends when the executable crashes' {
        Use-FakeCore -Text '' -Crash kill -Progress $lines
        Watch-Progress { Get-ErrorId { Test-NvmeLatency C } } | Should -BeExactly 'CoreFailed'
        $seen[-1].Completed | Should -BeTrue
    }

    It 'is not asked for when nobody sees it: <Name>' -ForEach @(
        @{ Name = 'ProgressPreference of the caller'; Call = { $ProgressPreference = 'SilentlyContinue'; Test-NvmeLatency C } }
        @{ Name = '-ProgressAction'; Call = { Test-NvmeLatency C -ProgressAction SilentlyContinue } }
        @{ Name = '-ListProfile'; Call = { $null = Test-NvmeLatency -ListProfile -ErrorAction Ignore } }
    ) {
        if ($Name -eq '-ProgressAction' -and -not (Get-Command -Name Test-NvmeLatency).Parameters.ContainsKey('ProgressAction')) {
            Set-ItResult -Skipped -Because 'this PowerShell is older than 7.4'
        }
        if ($Name -eq '-ListProfile') {
            Use-FakeCore -Document (Read-Document 'bench-profiles') -Progress $lines
        }
        $null = Watch-Progress $Call
        $seen.Count | Should -Be 0
        @(Get-FakeCall)[0] | Should -Not -Contain '--progress'
    }

    It 'that is damaged stops nothing' {
        Use-FakeCore -Document (Read-Document 'bench-material') -Progress '{"stage":', '{"stage":7}', '{"stage":"x","done":"y"}', '{"stage":"","done":null}', '{"stage":"x","done":-1,"total":0,"etaSeconds":1e300}'
        $bench = Watch-Progress { Test-NvmeLatency C -ErrorAction Stop }
        $bench.Tests.Count | Should -Be 3
        $seen[-1].Completed | Should -BeTrue
    }

    It 'is not pushed into $Error where stderr lines become records, as in Windows PowerShell 5.1' {
        $Error.Clear()
        Write-Error -Message 'of the caller' -ErrorAction SilentlyContinue
        InModuleScope BitLockerDiskAudit {
            # 5.1 puts the record into $Error before the line reaches the pipeline.
            Mock Write-RunProgress { $global:Error.Insert(0, 'a line'); $true }
            Mock Write-Progress { }
            $null = Invoke-DiskAudit -Verb bench -Flag @(, @('format', 'json')) -Activity 'Measuring'
            Should -Invoke Write-RunProgress -Times 6 -Exactly
        }
        $Error.Count | Should -Be 1
        "$($Error[0])" | Should -BeExactly 'of the caller'
    }
}

Describe 'Progress of Disable-SoftwareBitLocker' {
    BeforeEach {
        $ProgressPreference = 'Continue'
        Use-FakeCore -Document (Read-Document 'remediate-plan') -Progress @(
            '{"stage":"volumes","done":3,"total":3,"unit":"volumes","etaSeconds":0}'
            '{"stage":"decrypt","done":0,"total":100,"unit":"percent","etaSeconds":null}'
            '{"stage":"decrypt","done":42,"total":100,"unit":"percent","etaSeconds":3480.5}'
            '{"stage":"decrypt","done":42,"total":100,"unit":"percent","etaSeconds":3480.4}'
            '{"stage":"decrypt","done":100,"total":100,"unit":"percent","etaSeconds":0}'
        )
        Use-AppliedCore -Document (Read-Document 'remediate-failed') -ExitCode 1
    }

    It 'tells percent and time left while it waits (B55)' {
        $env:FAKECORE_GATE = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'gate of the remediation'
        $null = Watch-Progress { Disable-SoftwareBitLocker C -Force -Wait -ErrorAction SilentlyContinue }
        $seen.Activity | Select-Object -Unique | Should -BeExactly 'Decrypting C:'
        $seen.Status[0..3] | Should -Be 'Reading the volumes', 'Decrypting: 0 %', 'Decrypting: 42 %', 'Decrypting: 100 %'
        $seen.Percent[1..3] | Should -Be 0, 42, 100
        $seen.Seconds[1..3] | Should -Be -1, 3480, -1
        $seen.Completed | Should -Be $false, $false, $false, $false, $true
    }

    It 'is not asked for without -Wait, nor when nobody sees it' {
        $null = Watch-Progress { Disable-SoftwareBitLocker -Force -ErrorAction SilentlyContinue }
        $null = Watch-Progress { $ProgressPreference = 'SilentlyContinue'; Disable-SoftwareBitLocker -Force -Wait -ErrorAction SilentlyContinue }
        $seen.Count | Should -Be 0
        @(Get-FakeCall | ForEach-Object { $_ }) | Should -Not -Contain '--progress'
    }
}

Describe 'A pipeline that is stopped' {
    BeforeAll {
        # Starts a command that never ends by itself, in a pipeline of its own; the process id of the
        # executable comes back once it runs.
        function Start-Endless {
            param([string] $Command)
            $env:FAKECORE_HANG = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'hang.txt'
            Remove-Item -LiteralPath $env:FAKECORE_HANG -ErrorAction Ignore
            $script:shell = [powershell]::Create()
            $null = $shell.AddScript("Import-Module '$ManifestPath'; $Command; 'after'")
            $script:running = $shell.BeginInvoke()
            $end = [datetime]::UtcNow.AddSeconds(60)
            while (-not (Test-Path -LiteralPath $env:FAKECORE_HANG)) {
                [datetime]::UtcNow | Should -BeLessThan $end -Because 'the executable starts'
                Start-Sleep -Milliseconds 50
            }
            [int](Get-Content -LiteralPath $env:FAKECORE_HANG)
        }
    }

    It 'ends the waiting of Disable-SoftwareBitLocker' {
        Use-FakeCore -Document (Read-Document 'remediate-plan')
        Use-AppliedCore -Document (Read-Document 'remediate-failed') -ExitCode 1
        $id = Start-Endless 'Disable-SoftwareBitLocker -Force -Wait'
        $shell.Stop()
        $end = [datetime]::UtcNow.AddSeconds(30)
        while ((Get-Process -Id $id -ErrorAction Ignore) -and [datetime]::UtcNow -lt $end) {
            Start-Sleep -Milliseconds 50
        }
        Get-Process -Id $id -ErrorAction Ignore | Should -BeNullOrEmpty
        $shell.InvocationStateInfo.State | Should -Be 'Stopped'
        $shell.Dispose()
    }

    It 'ends the executable, and gives the session back' {
        Use-FakeCore -Document (Read-Document 'bench-material') -Progress $lines
        $id = Start-Endless 'Test-NvmeLatency C'
        Get-Process -Id $id -ErrorAction Ignore | Should -Not -BeNullOrEmpty
        $shell.Stop()
        $end = [datetime]::UtcNow.AddSeconds(30)
        while ((Get-Process -Id $id -ErrorAction Ignore) -and [datetime]::UtcNow -lt $end) {
            Start-Sleep -Milliseconds 50
        }
        Get-Process -Id $id -ErrorAction Ignore | Should -BeNullOrEmpty
        $shell.InvocationStateInfo.State | Should -Be 'Stopped'
        # The session of the pipeline works on.
        $shell.Commands.Clear()
        $env:FAKECORE_HANG = ''
        $null = $shell.AddScript('(Test-NvmeLatency C).Tests.Count; Test-Path Variable:LASTEXITCODE')
        $shell.Invoke()[0] | Should -Be 3
        $shell.Dispose()
    }
}
