BeforeAll {
    . $PSScriptRoot/Testbed.ps1
    $env:DISKAUDIT_PATH = $env:DISKAUDIT_TEST_CORE
    $folder = (Get-Item -LiteralPath $TestDrive).FullName
    $ProgressPreference = 'SilentlyContinue'
    # The program allows one run on a volume: tests in Go that measure there hold the same lock.
    $turn = $null
    $lock = Join-Path ([System.IO.Path]::GetTempPath()) 'diskaudit-tests.lock'
    while (-not $turn -and -not $IsWindows) {
        try {
            $turn = [System.IO.File]::Open($lock, 'OpenOrCreate', 'ReadWrite', 'None')
        }
        catch [System.IO.IOException] {
            Start-Sleep -Milliseconds 200
        }
    }
}

AfterAll {
    if ($turn) {
        $turn.Dispose()
    }
}

Describe 'Test-NvmeLatency with the real executable' {
    BeforeEach {
        if (-not $env:DISKAUDIT_TEST_CORE) {
            Set-ItResult -Skipped -Because 'DISKAUDIT_TEST_CORE does not name the built diskaudit'
        }
    }

    It 'measures a small test of its own and leaves nothing behind' {
        $before = @(Get-ChildItem -LiteralPath $folder -Force).Name
        $bench = Test-NvmeLatency $folder -Operation write -Pattern random -BlockSize 4KB -QueueDepth 1 -ThreadCount 1 -Durability device-cache -Size 16MB -Rounds 6 -Duration 0.6 -MaxWritten 64MB -NoPenalty -Identify -ThresholdPercent 20 -FailOn material -TimeoutSeconds 60 -ErrorVariable problems -ErrorAction SilentlyContinue
        @(Get-ChildItem -LiteralPath $folder -Force).Name | Should -Be $before
        if ($null -eq $bench) {
            # Wine or a file system without unbuffered I/O: a clear error is the answer.
            @($problems).Count | Should -BeGreaterThan 0
            $problems[0].FullyQualifiedErrorId | Should -Match '^[A-Z][A-Za-z]+,Test-NvmeLatency$'
            $problems[0].FullyQualifiedErrorId | Should -Not -Match '^(UsageError|Core)'
            return
        }
        $bench.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Bench'
        $bench.TargetKind | Should -BeExactly 'file'
        $bench.SizeBytes | Should -Be 16MB
        $bench.BytesWritten | Should -BeGreaterOrEqual 16MB
        $bench.BytesWritten | Should -BeLessOrEqual 64MB
        $bench.Profile | Should -BeExactly 'custom'
        $bench.ThresholdPercent | Should -Be 20
        $bench.Evidence | Should -BeExactly 'none'
        $bench.Verdict | Should -BeExactly 'undecided'
        $bench.Tests.Count | Should -Be 1
        $bench.Tests[0].Test | Should -BeExactly 'RND4K-Q1T1-write'
        $bench.Tests[0].Durability | Should -BeExactly 'device-cache'
        $bench.Tests[0].Ops | Should -BeGreaterThan 0
        ($bench | Out-String -Width 79) -replace '\x1b\[[0-9;]*m', '' | Should -Match '(?m)^RND4K-Q1T1-write '
    }

    It 'shows progress as it comes' {
        $script:seen = @()
        Mock -ModuleName BitLockerDiskAudit -CommandName Write-Progress -MockWith { $script:seen += "$Status$Completed" }
        $ProgressPreference = 'Continue'
        $null = Test-NvmeLatency $folder -Operation read -Size 16MB -Rounds 6 -Duration 0.6 -NoPenalty -ErrorAction SilentlyContinue
        $ProgressPreference = 'SilentlyContinue'
        if ($seen.Count -gt 0) {
            @($seen -match '^Running the tests|^Writing the test file').Count | Should -BeGreaterThan 0
            $seen[-1] | Should -BeExactly 'True'
        }
        elseif (-not $IsWindows) {
            throw 'there was no progress'
        }
    }

    It 'lists every profile that -Profile takes' {
        $profiles = Test-NvmeLatency -ListProfile
        $allowed = (Get-Command -Name Test-NvmeLatency).Parameters['Profile'].Attributes.Where({ $_ -is [System.Management.Automation.ValidateSetAttribute] }).ValidValues
        $profiles.Name | Sort-Object | Should -Be ($allowed | Sort-Object)
        foreach ($each in $profiles) {
            $each.Purpose | Should -Not -BeNullOrEmpty
            $each.Tests.Count | Should -BeGreaterThan 0
            $each.Tests[0].Fio | Should -Match '^fio '
        }
    }

    It 'understands every flag that the module passes' {
        # Found out before anything is measured: the folder is not there.
        $missing = Join-Path $folder 'no such folder/file'
        $null = Test-NvmeLatency $missing -Profile quick -Twin $missing -Baseline $missing -FailOn regression, material, invalid -Size 16MB -MaxWritten 64MB -Duration 1 -PenaltyDuration 1 -ThresholdPercent 15 -Identify -TimeoutSeconds 60 -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems).Count | Should -BeGreaterThan 0
        @($problems).FullyQualifiedErrorId | Should -Not -Contain 'UsageError,Test-NvmeLatency'
        @($problems).FullyQualifiedErrorId | Should -Contain 'NotFound,Test-NvmeLatency'
        @($problems).FullyQualifiedErrorId | Should -Contain 'BaselineUnreadable,Test-NvmeLatency'
        (@($problems) -match 'no such folder').Count | Should -BeGreaterThan 0
        foreach ($call in { Test-NvmeLatency -Upper $missing -Lower $missing -LowerOffset 1MB -PenaltyDuration 1 -ErrorAction Stop }, { Test-NvmeLatency $missing -Operation write -Pattern sequential -BlockSize 64KB -QueueDepth 2 -ThreadCount 2 -Durability write-through -Rounds 6 -ErrorAction Stop }) {
            $id = Get-ErrorId $call
            $id | Should -Not -BeIn 'none', 'UsageError', 'CoreOutputInvalid', 'CoreFailed'
        }
    }

    It 'compares with what -AsJson wrote before' {
        $options = @{ MountPoint = $folder; Operation = 'read'; Size = '16MB'; Rounds = 6; Duration = 0.6; NoPenalty = $true; ErrorAction = 'SilentlyContinue' }
        $json = Test-NvmeLatency @options -AsJson
        @((ConvertFrom-Json -InputObject $json).tests).Count | Should -BeLessOrEqual 1
        if (@((ConvertFrom-Json -InputObject $json).tests).Count -eq 0) {
            Set-ItResult -Skipped -Because 'this file system cannot be measured'
        }
        $file = Join-Path $folder 'before.json'
        Set-Content -LiteralPath $file -Value $json -Encoding ascii
        $bench = Test-NvmeLatency @options -Baseline $file
        $bench.Comparison.Baseline | Should -BeExactly $file
        $bench.Comparison.BaselineFormat | Should -BeExactly 'diskaudit'
        Remove-Item -LiteralPath $file
    }
}
