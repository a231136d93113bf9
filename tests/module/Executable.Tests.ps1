BeforeAll {
    . $PSScriptRoot/Testbed.ps1
    $env:DISKAUDIT_PATH = $env:DISKAUDIT_TEST_CORE
}

Describe 'The real executable' {
    BeforeEach {
        if (-not $env:DISKAUDIT_TEST_CORE) {
            Set-ItResult -Skipped -Because 'DISKAUDIT_TEST_CORE does not name the built diskaudit'
        }
    }

    It 'audits this computer' {
        # A document always comes; under Wine there may be nothing that can be asked.
        $document = ConvertFrom-Json -InputObject (Get-BitLockerDiskAudit -AsJson -ErrorAction SilentlyContinue)
        $document.kind | Should -BeExactly 'status'
        if ($IsWindows -and @($document.volumes).Count -eq 0 -and @($document.disks).Count -eq 0) {
            Get-ErrorId { Get-BitLockerDiskAudit -Detailed } | Should -BeExactly 'CoreFailed'
            return
        }
        $status = Get-BitLockerDiskAudit -Detailed -ErrorAction SilentlyContinue
        $status.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Status'
        $status.SchemaVersion | Should -Match '^1\.'
        $status.CollectedAt.Kind | Should -Be 'Utc'
        $age = [datetime]::UtcNow - $status.CollectedAt
        $age.TotalMinutes | Should -BeGreaterThan -5
        $age.TotalMinutes | Should -BeLessThan 60
        foreach ($name in 'Disks', 'Volumes', 'Findings', 'Problems') {
            , $status.$name | Should -BeOfType [object[]]
        }
    }

    It 'understands every flag that the module passes' {
        $missing = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'no such image.vhdx'
        Get-ErrorId { Get-BitLockerDiskAudit -Image $missing -Identify -TimeoutSeconds 30 -ErrorAction Stop } | Should -BeExactly 'ImageNotFound'
        Get-ErrorId { Get-BitLockerDiskAudit -Recording $missing -MountPoint 'C:\' -Identify } | Should -BeExactly 'CoreFailed'
    }

    It 'plans for a recorded computer with every flag of Disable-SoftwareBitLocker' {
        $recording = Join-Path $PSScriptRoot '../testdata/recordings/laptop-24h2-waiting.json'
        $plan = Disable-SoftwareBitLocker -Recording $recording -MountPoint C: -Override portable, on-battery -ClearAutoUnlock -SpeedUpConversion -Wait -TimeoutSeconds 60 -ExpectPlan nonsense -ErrorVariable problems -ErrorAction SilentlyContinue
        $plan.PSTypeNames[0] | Should -BeExactly 'BitLockerDiskAudit.Remediation'
        $plan.Applied | Should -BeFalse
        $plan.Steps.Change | Should -Contain 'decrypt'
        ($plan.Projected | Where-Object MountPoint -EQ 'C:').Conversion | Should -BeExactly 'FullyDecrypted'
        @($problems).FullyQualifiedErrorId | Should -Contain 'GuardPlanChanged,Disable-SoftwareBitLocker'
        @($plan | ForEach-Object { $_.Steps.Text; $_.Steps.Undo; $_.Guards.Text; $_.Guards.Override } | Where-Object { $_ -match ' --[a-z]' }) | Should -BeNullOrEmpty
        foreach ($action in 'Prevent', 'Pause', 'Resume', 'Undo') {
            $more = @{ $action = $true }
            (Disable-SoftwareBitLocker -Recording $recording @more -ErrorAction SilentlyContinue -WarningAction SilentlyContinue).Action | Should -BeExactly $action.ToLowerInvariant()
        }
    }

    It 'reads no hive where there is none, and changes nothing on a system without BitLocker' {
        $missing = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'SYSTEM'
        $null = Disable-SoftwareBitLocker -Prevent -OfflineHive $missing -ErrorVariable problems -ErrorAction SilentlyContinue
        @($problems).FullyQualifiedErrorId | Should -Be 'HiveNotFound,Disable-SoftwareBitLocker'
        if (-not $IsWindows) {
            $null = Disable-SoftwareBitLocker -Force -ErrorVariable problems -ErrorAction SilentlyContinue
            @($problems).FullyQualifiedErrorId | Should -Be 'SystemNotSupported,Disable-SoftwareBitLocker'
        }
    }

    It 'tells of an image that is not there, by its name' {
        $missing = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'no such image.vhdx'
        Get-BitLockerDiskAudit -Image $missing -ErrorVariable problems -ErrorAction SilentlyContinue | Should -BeNullOrEmpty
        @($problems).FullyQualifiedErrorId | Should -Be 'ImageNotFound,Get-BitLockerDiskAudit'
        "$($problems[0])" | Should -BeLike '*no such image.vhdx*'
        $problems[0].TargetObject | Should -BeExactly $missing
        { Get-BitLockerDiskAudit -Image $missing -ErrorAction Stop } | Should -Throw -ErrorId 'ImageNotFound,Get-BitLockerDiskAudit'
    }

    It 'tells of a volume that is not there by the same id, alone and beside others' {
        $recording = Join-Path $PSScriptRoot '../testdata/recordings/server-database.json'
        foreach ($names in @('Q:'), @('Q:', 'C:')) {
            $found = @(Get-BitLockerDiskAudit -Recording $recording -MountPoint $names -ErrorVariable problems -ErrorAction SilentlyContinue)
            @($problems).FullyQualifiedErrorId | Should -Be 'VolumeNotFound,Get-BitLockerDiskAudit'
            $found.Count | Should -Be ($names.Count - 1)
        }
    }

    It 'reads an image and a recording of it, and their volumes can be piped in again' {
        # 4 MiB with one MBR partition of type 7 (NTFS) from sector 2048 on, 4096 sectors long.
        $bytes = [byte[]]::new(4MB)
        $bytes[446 + 4] = 7
        [System.BitConverter]::GetBytes([uint32]2048).CopyTo($bytes, 446 + 8)
        [System.BitConverter]::GetBytes([uint32]4096).CopyTo($bytes, 446 + 12)
        $bytes[510] = 0x55
        $bytes[511] = 0xaa
        $folder = (Get-Item -LiteralPath $TestDrive).FullName
        $image = Join-Path $folder 'plain disk.img'
        [System.IO.File]::WriteAllBytes($image, $bytes)
        $volumes = @(Get-Item -LiteralPath $image | Get-BitLockerDiskAudit -ErrorAction SilentlyContinue)
        $volumes.Count | Should -Be 1
        $volumes[0].Source | Should -BeExactly 'image'
        $volumes[0].SizeBytes | Should -Be 2MB
        $volumes[0].VolumeId | Should -BeLike "$image#*"
        $volumes[0].DiskId | Should -BeExactly $image
        ($volumes[0] | Get-BitLockerDiskAudit -ErrorAction SilentlyContinue).VolumeId | Should -BeExactly $volumes[0].VolumeId

        $recording = Join-Path $folder 'recording.json'
        & $env:DISKAUDIT_TEST_CORE status "--image=$image" "--record=$recording" | Out-Null
        $volumes = @(Get-BitLockerDiskAudit -Recording $recording -ErrorAction SilentlyContinue)
        $volumes.Count | Should -Be 1
        $volumes[0].Source | Should -BeExactly 'recording'
        $volumes[0].SizeBytes | Should -Be 2MB
        $again = @($volumes | Get-BitLockerDiskAudit -Recording $recording -ErrorAction SilentlyContinue)
        $again.VolumeId | Should -BeExactly $volumes[0].VolumeId
    }

    It 'tells of a volume that is not there, as an error about it' {
        $problems = $null
        try {
            $null = Get-BitLockerDiskAudit -MountPoint '/no/such/mount' -ErrorVariable problems -ErrorAction SilentlyContinue
        }
        catch {
            $problems = $_
        }
        "$problems" | Should -Match '/no/such/mount'
    }
}
