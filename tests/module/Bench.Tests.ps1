BeforeAll {
    . $PSScriptRoot/Testbed.ps1
}

Describe 'The object of a bench' -Tag Documents {
    BeforeAll {
        Use-FakeCore -Document (Read-Document 'bench-material')
        $bench = Test-NvmeLatency C
    }

    It 'tells what was measured and what it rests on (P41)' {
        $bench.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Bench'
        $bench.Target | Should -BeExactly 'C:\'
        $bench.TargetKind | Should -BeExactly 'file'
        $bench.VolumeId | Should -BeExactly $VolumeC
        $bench.DiskId | Should -BeExactly 'PhysicalDrive0'
        $bench.Engine | Should -BeExactly 'software'
        $bench.Method | Should -BeExactly 'XtsAes128'
        $bench.Profile | Should -BeExactly 'quick'
        $bench.SizeBytes | Should -Be 1GB
        $bench.BytesWritten | Should -Be 1368653824
        $bench.ToolVersion | Should -BeExactly '1.2.3'
        $bench.CollectedAt | Should -Be ([datetime]::new(2026, 5, 4, 9, 0, 25))
        $bench.CollectedAt.Kind | Should -Be 'Utc'
        $bench.Complete | Should -BeTrue
        $bench.Comparison | Should -BeNullOrEmpty
    }

    It 'tells the penalty in microseconds and percent, with its interval' {
        $bench.Verdict | Should -BeExactly 'material'
        $bench.VerdictText | Should -Match '^Encryption adds 11\.2 us'
        $bench.Evidence | Should -BeExactly 'paired'
        $bench.PenaltyValid | Should -BeTrue
        $bench.AddedMicrosecondsLow, $bench.AddedMicroseconds, $bench.AddedMicrosecondsHigh | Should -Be 10.9, 11.2, 11.5
        $bench.AddedPercentLow, $bench.AddedPercent, $bench.AddedPercentHigh | Should -Be 27.4, 28.1, 28.9
        $bench.BareMicroseconds, $bench.LayeredMicroseconds, $bench.CpuMicroseconds | Should -Be 39.8, 51, 7.4
        $bench.Pairs | Should -Be 24000
        $bench.LowerOffsetBytes | Should -Be 122683392
        $bench.Headroom.Count | Should -Be 2
        $bench.Headroom[0].Test, $bench.Headroom[0].Metric | Should -Be 'RND4K-Q1T1-read', 'p50Ns'
        $bench.Headroom[0].Measured, $bench.Headroom[0].PredictedLow, $bench.Headroom[0].Predicted, $bench.Headroom[0].PredictedHigh | Should -Be 51000, 39500, 39800, 40100
    }

    It 'has the tests with units in the names (P7, P8)' {
        $bench.Tests.Test | Should -Be 'RND4K-Q1T1-read', 'RND4K-Q1T1-write', 'SEQ1M-Q8T1-read'
        $test = $bench.Tests[0]
        $test.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.BenchTest'
        $test.BlockBytes, $test.QueueDepth, $test.Threads | Should -Be 4096, 1, 1
        $test.Durability | Should -BeNullOrEmpty
        $bench.Tests[1].Durability | Should -BeExactly 'device-cache'
        $test.Iops, $test.MBPerSecond, $test.MiBPerSecond | Should -Be 19400, 79.4624, 75.78125
        $test.MinNs, $test.MeanNs, $test.P50Ns, $test.P90Ns, $test.P95Ns | Should -Be 38000, 52500.5, 51000, 60200, 66000
        $test.P99Ns, $test.P999Ns, $test.P9999Ns, $test.MaxNs | Should -Be 88000, 190000, 640000, 1210000
        $test.P50NsLow, $test.P50NsHigh, $test.IopsLow, $test.IopsHigh | Should -Be 50600, 51500, 19210, 19580
        $test.RoundCount, $test.Ops, $test.DistinctBlocks | Should -Be 6, 34920, 34000
        $test.Valid | Should -BeTrue
        , $test.InvalidReasons | Should -BeOfType [object[]]
        $test.InvalidReasons.Count | Should -Be 0
        $bench.Tests[1].Notes | Should -Be 'not-steady'
        $bench.Tests[1].NoteTexts[0] | Should -Match 'steady state'
        $bench.Tests[1].DriftSignificant | Should -BeTrue
    }

    It 'has types that do not change with the value' {
        foreach ($name in 'SizeBytes', 'BytesWritten', 'Pairs', 'LowerOffsetBytes') {
            $bench.$name | Should -BeOfType [long]
        }
        foreach ($name in 'ThresholdPercent', 'AddedMicroseconds', 'BareMicroseconds', 'AddedPercent', 'ClockOverheadNs') {
            $bench.$name | Should -BeOfType [double]
        }
        foreach ($test in $bench.Tests) {
            foreach ($name in 'Iops', 'MBPerSecond', 'MinNs', 'P50Ns', 'P99Ns', 'MaxNs', 'CpuPercent', 'AchievedDepth') {
                $test.$name | Should -BeOfType [double]
            }
            foreach ($name in 'BlockBytes', 'QueueDepth', 'Threads', 'Ops', 'Bytes', 'Flushes', 'RoundCount') {
                $test.$name | Should -BeOfType [long]
            }
        }
        foreach ($name in 'Tests', 'Headroom', 'Problems') {
            , $bench.$name | Should -BeOfType [object[]]
        }
    }

    It 'leaves a percentile that is not known $null, and no interval where there is none' {
        $bench.Tests[2].P9999Ns | Should -Be $null
        Use-FakeCore -Document (Read-Document 'bench-interrupted') -ExitCode 130
        $partial = Test-NvmeLatency /mnt/data -ErrorAction SilentlyContinue
        foreach ($name in 'P50NsLow', 'IopsHigh', 'DriftPercent', 'DriftSignificant', 'CpuPercent', 'DistinctBlocks') {
            $partial.Tests[0].$name | Should -Be $null
        }
        foreach ($name in 'AddedMicroseconds', 'AddedPercent', 'BareMicroseconds', 'CpuMicroseconds', 'Engine', 'Method', 'VolumeId') {
            $partial.$name | Should -Be $null -Because $name
        }
    }

    It 'goes through Export-Csv and JSON' {
        ($bench | Select-Object Target, Verdict, AddedMicroseconds | ConvertTo-Csv)[1] | Should -BeExactly '"C:\","material","11.2"'
        ($bench | ConvertTo-Json -Depth 5 | ConvertFrom-Json).Tests[0].Iops | Should -Be 19400
    }

    It 'is the whole document as it was written with -AsJson' {
        Use-FakeCore -Document (Read-Document 'bench-material')
        $expected = Get-Content -LiteralPath $env:FAKECORE_STDOUT -Raw
        Test-NvmeLatency C -AsJson | Should -BeExactly $expected.TrimEnd()
    }
}

Describe 'A test that is not valid' -Tag Documents {
    It 'says why, and has no figures' {
        Use-FakeCore -Document (Read-Document 'bench-invalid')
        $bench = Test-NvmeLatency /srv/images/disk.img -ErrorAction Stop
        $test = $bench.Tests[0]
        $test.Valid | Should -BeFalse
        $test.InvalidReasons | Should -Be 'target-sparse', 'faster-than-memory'
        $test.InvalidReasonTexts[0] | Should -Match 'holes are answered without the disk'
        $test.Iops | Should -Be $null
        $test.P50Ns | Should -Be $null
        $bench.PenaltyValid | Should -BeFalse
        $bench.PenaltyReason | Should -BeExactly 'needs-elevation'
        $bench.PenaltyReasonText | Should -Match 'twin'
        $bench.Pairs | Should -Be 0
    }
}

Describe 'A comparison' -Tag Documents {
    It 'tells each change and what could not be compared' {
        Use-FakeCore -Document (Read-Document 'bench-regression')
        $comparison = (Test-NvmeLatency C -Baseline before.json).Comparison
        $comparison.Baseline | Should -BeExactly 'C:\old\before.json'
        $comparison.BaselineCollectedAt.Kind | Should -Be 'Utc'
        $comparison.Comparable, $comparison.Regression | Should -Be $true, $true
        $comparison.Tests.Count | Should -Be 2
        $change = $comparison.Tests[0]
        $change.Test, $change.Metric, $change.Result | Should -Be 'RND4K-Q1T1-read', 'iops', 'slower'
        $change.Baseline, $change.Current, $change.ChangePercent, $change.PValue | Should -Be 20000, 15000, -25, 0.0022
        $change.ChangePercentLow, $change.ChangePercentHigh | Should -Be -26.5, -23.5
        $comparison.Tests[1].PValue | Should -Be $null
        $comparison.Refusals[0].Test, $comparison.Refusals[0].Code | Should -Be 'SEQ1M-Q8T1-read', 'test-missing'
        $comparison.Notes[0].Code | Should -BeExactly 'tool-version'
    }
}

Describe '-FailOn' -Tag Documents {
    It 'is an error after the result, so that -ErrorAction Stop keeps the result' {
        Use-FakeCore -Document (Read-Document 'bench-regression') -ExitCode 8
        $bench = Test-NvmeLatency C -Baseline b.json -FailOn regression, material -ErrorVariable problems -ErrorAction SilentlyContinue
        $bench.Comparison.Regression | Should -BeTrue
        @($problems).FullyQualifiedErrorId | Should -Be 'FailOnMatched,Test-NvmeLatency'
        $problems[0].CategoryInfo.Category | Should -Be 'LimitsExceeded'
        $problems[0].TargetObject | Should -BeExactly 'C:\'
        "$($problems[0])" | Should -Match 'regression or material'
        $kept = $null
        $id = 'none'
        try { Test-NvmeLatency C -Baseline b.json -FailOn regression -ErrorAction Stop | ForEach-Object { $kept = $_ } } catch { $id = $_.FullyQualifiedErrorId }
        $id | Should -BeExactly 'FailOnMatched,Test-NvmeLatency'
        $kept.Comparison.Regression | Should -BeTrue
    }

    It 'that does not come true is no error' {
        Use-FakeCore -Document (Read-Document 'bench-material')
        (Test-NvmeLatency C -FailOn invalid -ErrorAction Stop).Target | Should -BeExactly 'C:\'
    }
}

Describe '-Quiet' -Tag Documents {
    It 'is <Answer> for <Verdict>' -ForEach @(
        @{ Verdict = 'negligible'; Answer = $true }
        @{ Verdict = 'material'; Answer = $false }
    ) {
        $document = Read-Document 'bench-material'
        $document.verdict.result = $Verdict
        Use-FakeCore -Document $document
        $result = @(Test-NvmeLatency C -Quiet -WarningVariable warnings -WarningAction SilentlyContinue)
        $result.Count | Should -Be 1
        $result[0] | Should -BeOfType [bool]
        $result[0] | Should -Be $Answer
        $warnings | Should -BeNullOrEmpty
    }

    It 'is $null with a warning that says why when it is not decided: <What>' -ForEach @(
        @{ What = 'undecided'; Verdict = 'undecided'; Valid = $true }
        @{ What = 'negligible without a valid penalty'; Verdict = 'negligible'; Valid = $false }
        @{ What = 'material without a valid penalty'; Verdict = 'material'; Valid = $false }
        @{ What = 'a verdict that is not known'; Verdict = 'splendid'; Valid = $true }
    ) {
        $document = Read-Document 'bench-invalid'
        $document.verdict.result = $Verdict
        $document.penalty.valid = $Valid
        Use-FakeCore -Document $document
        $result = @(Test-NvmeLatency C -Quiet -WarningVariable warnings -WarningAction SilentlyContinue)
        $result.Count | Should -Be 1 -Because 'one answer for one target'
        $result[0] | Should -Be $null
        $result[0] | Should -Not -BeOfType [bool]
        "$warnings" | Should -Match 'not decided.*Only a privileged run can read below'
    }

    It 'answers once for each target, and not for one that cannot be measured' {
        Use-FakeCore -Document (Read-Document 'bench-material')
        @('C', 'D' | Test-NvmeLatency -Quiet) | Should -Be $false, $false
        Use-FakeCore -Document (Read-Document 'bench-no-space') -ExitCode 1
        @(Test-NvmeLatency D -Quiet -ErrorAction SilentlyContinue).Count | Should -Be 0
    }
}

Describe '-ListProfile' {
    BeforeEach {
        Use-FakeCore -Document (Read-Document 'bench-profiles')
    }

    It 'gives the profiles with their tests, and measures nothing (P54)' {
        $profiles = Test-NvmeLatency -ListProfile
        @(Get-FakeCall)[0] | Should -Be 'bench', '--format=json', '--list-profiles'
        $profiles.Name | Should -Be 'quick', 'flush', 'spaced'
        $profiles[0].PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.BenchProfile'
        $profiles[0].Tests.Count | Should -Be 3
        , $profiles[1].Tests | Should -BeOfType [object[]]
        $test = $profiles[1].Tests[0]
        $test.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.BenchTestSpec'
        $test.Test, $test.Durability, $test.BlockBytes, $test.Rounds, $test.RoundMs | Should -Be 'RND4K-Q1T1-write-flush', 'flush', 4096, 6, 1500
        $test.Diskspd | Should -Be $null
        $test.Fio | Should -Match '--fdatasync=1'
        $profiles[2].Tests[0].SpacingMs | Should -Be 500
    }

    It 'gives the document with -AsJson' {
        (Test-NvmeLatency -ListProfile -AsJson | ConvertFrom-Json).kind | Should -BeExactly 'profiles'
    }
}

Describe 'The views of a bench' -Tag Documents {
    BeforeAll {
        function Get-View {
            param($Object, [int] $Width = 79)
            ($Object | Out-String -Width $Width) -replace '\x1b\[[0-9;]*m', ''
        }
    }

    It 'show the tests as lines and the verdict within 80 characters' {
        Use-FakeCore -Document (Read-Document 'bench-material')
        $text = Get-View (Test-NvmeLatency C)
        $text -split '\r?\n' | ForEach-Object { $_.Length | Should -BeLessOrEqual 79 }
        $text | Should -Match '(?m)^C:\\ \(file system, NTFS, PhysicalDrive0\)\r?$'
        $text | Should -Match '(?m)^Test +IOPS +MB/s +p50 \(us\) +p99 \(us\)\r?$'
        $text | Should -Match '(?m)^RND4K-Q1T1-read +19400 +79\.5 +51\.0 +88\.0\r?$'
        $text | Should -Match '(?m)^Verdict: material \(evidence: paired\)\. Encryption adds 11\.2 us \(10\.9 to 11\.5\) to\r?$'
        $text | Should -Match '(?m)^threshold is 10 %\.\r?$'
    }

    It 'show the reason and no figure for a test that is not valid' {
        $document = Read-Document 'bench-invalid'
        $document.tests[0].iops = 321654
        $document.tests[0].latencyNs.p50 = 3100
        Use-FakeCore -Document $document
        $bench = Test-NvmeLatency C
        foreach ($text in (Get-View $bench), (Get-View $bench.Tests)) {
            $text | Should -Match 'RND4K-Q1T1-read .*target-sparse'
            $text | Should -Not -Match '321654|3\.1'
            $text -split '\r?\n' | ForEach-Object { $_.Length | Should -BeLessOrEqual 79 }
        }
        Get-View $bench | Should -Match 'not valid: target-sparse, faster-than-memory'
        Get-View $bench | Should -Match '(?m)^Verdict: undecided \(no evidence\)\.'
        Get-View $bench | Should -Match 'Only a privileged run can read below the encryption\.'
    }

    It 'show what is not known as ?' {
        $document = Read-Document 'bench-material'
        $document.tests[0].latencyNs.p99 = $null
        Use-FakeCore -Document $document
        $bench = Test-NvmeLatency C
        Get-View $bench | Should -Match '(?m)^RND4K-Q1T1-read +19400 +79\.5 +51\.0 +\?\r?$'
        Get-View $bench.Tests | Should -Match '(?m)^RND4K-Q1T1-read +19400 +79\.5 +51\.0 +\? valid'
    }

    It 'show a comparison' {
        Use-FakeCore -Document (Read-Document 'bench-regression')
        $bench = Test-NvmeLatency C
        Get-View $bench | Should -Match '(?m)^RND4K-Q1T1-read +iops +-25\.0 % slower\r?$'
        Get-View $bench | Should -Match '(?m)^SEQ1M-Q8T1-read: The baseline has it, this run does not\.'
        Get-View $bench | Should -Match 'Slower than the baseline\.'
        Get-View $bench.Comparison.Tests | Should -Match '(?m)^RND4K-Q1T1-read +iops +20000 +15000 +-25\.0% slower'
    }

    It 'line benches up with Format-Table, and list a test' {
        Use-FakeCore -Document (Read-Document 'bench-material')
        $bench = Test-NvmeLatency C
        Get-View ($bench | Format-Table) | Should -Match '(?m)^C:\\ +quick +material +11\.2 +28\.1 paired'
        Get-View ($bench.Tests[0] | Format-List) | Should -Match 'P99Ns\s+: 88000'
        Use-FakeCore -Document (Read-Document 'bench-profiles')
        $profiles = Test-NvmeLatency -ListProfile
        Get-View $profiles | Should -Match '(?m)^quick +3 latency and speed at a glance'
        Get-View $profiles[0].Tests | Should -Match '(?m)^SEQ1M-Q8T1-read +sequential +1 MiB +8 +1 +6'
    }
}

Describe 'Errors of Test-NvmeLatency' -Tag Documents {
    BeforeAll {
        # The document of a run that measured nothing, with a problem.
        function New-Refusal {
            param($Code, $Target = 'D:\', $Text = "The text of $Code.")
            $document = Read-Document 'bench-no-space'
            $document.problems = @(New-Problem -Code $Code -Target $Target -Text $Text)
            $document
        }
    }

    It '<Code> is the non-terminating <Id>, <Category>, with advice, and nothing comes out' -ForEach @(
        @{ Code = 'no-space'; Id = 'NoSpace'; Category = 'ResourceUnavailable'; Advice = '-Size' }
        @{ Code = 'read-only'; Id = 'ReadOnly'; Category = 'ResourceUnavailable'; Advice = 'policy' }
        @{ Code = 'remote'; Id = 'Remote'; Category = 'InvalidArgument'; Advice = 'this computer' }
        @{ Code = 'access-denied'; Id = 'AccessDenied'; Category = 'PermissionDenied'; Advice = 'administrator' }
        @{ Code = 'not-found'; Id = 'NotFound'; Category = 'ObjectNotFound'; Advice = 'name' }
        @{ Code = 'not-a-target'; Id = 'NotATarget'; Category = 'InvalidArgument'; Advice = 'a folder' }
        @{ Code = 'in-use'; Id = 'InUse'; Category = 'ResourceBusy'; Advice = 'idle' }
        @{ Code = 'only-read'; Exit = 5; Id = 'OnlyRead'; Category = 'InvalidOperation'; Advice = 'tests that read' }
        @{ Code = 'locked'; Id = 'Locked'; Category = 'ResourceUnavailable'; Advice = 'Unlock' }
        @{ Code = 'unavailable'; Id = 'Unavailable'; Category = 'ResourceUnavailable'; Advice = 'attached' }
        @{ Code = 'target-too-small'; Id = 'TargetTooSmall'; Category = 'InvalidArgument'; Advice = '-Size' }
        @{ Code = 'no-direct-io'; Id = 'NoDirectIo'; Category = 'NotImplemented'; Advice = 'another file system' }
        @{ Code = 'something-new'; Id = 'SomethingNew'; Category = 'ReadError'; Advice = 'Read the message' }
    ) {
        if (-not $Exit) {
            $Exit = 1
        }
        Use-FakeCore -Document (New-Refusal -Code $Code) -ExitCode $Exit
        Test-NvmeLatency D -ErrorVariable problems -ErrorAction SilentlyContinue | Should -BeNullOrEmpty
        @($problems).FullyQualifiedErrorId | Should -Be "$Id,Test-NvmeLatency"
        $problems[0].CategoryInfo.Category | Should -Be $Category
        $problems[0].TargetObject | Should -BeExactly 'D:\'
        $problems[0].ErrorDetails.RecommendedAction | Should -Match $Advice
        "$($problems[0])" | Should -BeExactly "The text of $Code."
    }

    It 'do not stop the other targets of a pipeline' {
        Use-FakeCore -Document (New-Refusal -Code 'no-space') -ExitCode 1
        $null = 'C', 'D', 'E' | Test-NvmeLatency -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems).Count | Should -Be 3
        @(Get-FakeCall).Count | Should -Be 3
    }

    It 'name what was asked for where the problem names nothing' {
        Use-FakeCore -Document (New-Refusal -Code 'no-space' -Target '') -ExitCode 1
        $null = Test-NvmeLatency E -ErrorVariable problems -ErrorAction SilentlyContinue
        $problems[0].TargetObject | Should -BeExactly 'E:'
    }

    It 'stop everything when exit code <Exit> brings nothing: <Id>' -ForEach @(
        @{ Exit = 1; Code = 'internal-error'; Id = 'CoreFailed'; Category = 'InvalidResult' }
        @{ Exit = 1; Code = 'timeout'; Id = 'CoreTimeout'; Category = 'OperationTimeout' }
        @{ Exit = 4; Code = 'needs-elevation'; Id = 'ElevationRequired'; Category = 'PermissionDenied' }
        @{ Exit = 77; Code = 'no-space'; Id = 'CoreFailed'; Category = 'InvalidResult' }
        @{ Exit = 130; Code = 'interrupted'; Id = 'Interrupted'; Category = 'OperationStopped' }
    ) {
        Use-FakeCore -Document (New-Refusal -Code $Code) -ExitCode $Exit
        $record = $null
        try { $null = 'D', 'E' | Test-NvmeLatency -ErrorAction SilentlyContinue } catch { $record = $_ }
        $record.FullyQualifiedErrorId | Should -BeExactly "$Id,Test-NvmeLatency"
        $record.CategoryInfo.Category | Should -Be $Category
        $record.TargetObject | Should -BeExactly 'D:\'
        "$record" | Should -Match "The text of $Code\."
        @(Get-FakeCall).Count | Should -Be 1
    }

    It 'keep what was measured until an interruption, and come after it' {
        Use-FakeCore -Document (Read-Document 'bench-interrupted') -ExitCode 130
        $bench = Test-NvmeLatency /mnt/data -ErrorVariable problems -ErrorAction SilentlyContinue
        $bench.Tests.Count | Should -Be 1
        $bench.Tests[0].RoundCount | Should -Be 3
        $bench.Complete | Should -BeFalse
        $bench.Problems[0].Code | Should -BeExactly 'interrupted'
        @($problems).FullyQualifiedErrorId | Should -Be 'Interrupted,Test-NvmeLatency'
        $problems[0].TargetObject | Should -BeExactly '/mnt/data'
        $out = [System.Collections.Generic.List[object]]::new()
        Get-ErrorId { Test-NvmeLatency /mnt/data -ErrorAction Stop | ForEach-Object { $out.Add($_) } } | Should -BeExactly 'Interrupted'
        $out.Count | Should -Be 1
    }

    It 'of a crash after the document are not hidden' {
        Use-FakeCore -Document (Read-Document 'bench-material') -Crash kill
        $bench = Test-NvmeLatency C -ErrorVariable problems -ErrorAction SilentlyContinue
        $bench.Tests.Count | Should -Be 3
        @($problems).FullyQualifiedErrorId | Should -Be 'CoreFailed,Test-NvmeLatency'
    }

    It 'give the document with -AsJson all the same' {
        Use-FakeCore -Document (Read-Document 'bench-no-space') -ExitCode 1
        $json = Test-NvmeLatency D -AsJson -ErrorVariable problems -ErrorAction SilentlyContinue
        (ConvertFrom-Json -InputObject $json).problems[0].code | Should -BeExactly 'no-space'
        @($problems).FullyQualifiedErrorId | Should -Be 'NoSpace,Test-NvmeLatency'
    }

    It 'say that a usage error may be one of the values' {
        Use-FakeCore -ExitCode 2 -ErrorText "diskaudit: --block 5K: a multiple of 512 bytes is wanted`n"
        $record = $null
        try { Test-NvmeLatency C -BlockSize 5K } catch { $record = $_ }
        $record.FullyQualifiedErrorId | Should -BeExactly 'UsageError,Test-NvmeLatency'
        "$record" | Should -Match 'a multiple of 512 bytes is wanted'
        $record.ErrorDetails.RecommendedAction | Should -Match '^Correct the value'
    }

    It 'of the executable and its output have the ids of the module: <Id>' -ForEach @(
        @{ Id = 'CoreOutputInvalid'; Text = 'garbage' }
        @{ Id = 'CoreOutputInvalid'; Text = '{"schemaVersion":"1.0","kind":"status"}' }
        @{ Id = 'CoreOutputInvalid'; Text = '{"schemaVersion":"1.0","kind":"bench","collectedAt":"2026-01-01T00:00:00Z","complete":true,"problems":[]}' }
        @{ Id = 'SchemaVersionUnsupported'; Text = '{"schemaVersion":"2.0","kind":"bench"}' }
    ) {
        Use-FakeCore -Text $Text
        Get-ErrorId { Test-NvmeLatency C } | Should -BeExactly $Id
        Get-ErrorId { Test-NvmeLatency -ListProfile } | Should -BeExactly $Id
    }

    It 'are CoreNotFound without the executable' {
        $env:DISKAUDIT_PATH = 'nowhere'
        Get-ErrorId { 'C', 'D' | Test-NvmeLatency } | Should -BeExactly 'CoreNotFound'
    }
}
