BeforeAll {
    . $PSScriptRoot/Testbed.ps1

    # Runs a script in a UI culture, which $PSUICulture follows, and returns what it returns.
    function Invoke-InCulture {
        param([string] $Culture, [scriptblock] $Script)
        $before = [System.Globalization.CultureInfo]::CurrentUICulture
        [System.Globalization.CultureInfo]::CurrentUICulture = [System.Globalization.CultureInfo]::GetCultureInfo($Culture)
        try {
            & $Script
        }
        finally {
            [System.Globalization.CultureInfo]::CurrentUICulture = $before
        }
    }

    # The languages that the calls of the stand-in asked for; none for English.
    function Get-CallLanguage {
        foreach ($call in Get-FakeCall) {
            @($call -like '--language=*') -join ' '
        }
    }
}

Describe 'The language of findings' -Tag Documents {
    It 'is asked for by the UI culture <Culture>: <Expected>' -ForEach @(
        @{ Culture = 'de-DE'; Expected = '--language=de' }
        @{ Culture = 'de-AT'; Expected = '--language=de' }
        @{ Culture = 'zh-CN'; Expected = '--language=zh' }
        @{ Culture = 'zh-Hans'; Expected = '--language=zh' }
        # Traditional characters are another way to write, which these texts are not in.
        @{ Culture = 'zh-TW'; Expected = '' }
        @{ Culture = 'zh-Hant'; Expected = '' }
        @{ Culture = 'en-US'; Expected = '' }
        @{ Culture = 'fr-FR'; Expected = '' }
        @{ Culture = ''; Expected = '' }
    ) {
        Use-FakeCore -Document (New-StatusDocument)
        $null = Invoke-InCulture -Culture $Culture -Script { Get-BitLockerDiskAudit -Detailed }
        Get-CallLanguage | Should -BeExactly $Expected
    }

    It 'is that of -Language, whatever the culture' {
        Use-FakeCore -Document (New-StatusDocument)
        $null = Get-BitLockerDiskAudit -Language zh
        $null = Invoke-InCulture -Culture 'de-DE' -Script { Get-BitLockerDiskAudit -Language EN }
        Get-CallLanguage | Should -BeExactly '--language=zh', ''
        Get-ErrorId { Get-BitLockerDiskAudit -Language fr } | Should -BeExactly 'ParameterArgumentValidationError'
    }

    It 'changes title and advice and nothing else' {
        $document = New-StatusDocument
        Use-FakeCore -Document $document
        $english = Get-BitLockerDiskAudit -Detailed
        # A date in a text must stay the text that it is.
        $document.findings[0].localized = @{ language = 'de'; title = '2026-03-29T01:30:00Z'; advice = 'Gr' + [char]0xfc + [char]0xdf + 'e ' + [char]0x5377 }
        Use-FakeCore -Document $document
        $german = Get-BitLockerDiskAudit -Detailed -Language de
        $german.Findings[0].Title | Should -BeExactly '2026-03-29T01:30:00Z'
        $german.Findings[0].Advice | Should -BeExactly $document.findings[0].localized.advice
        foreach ($finding in $english.Findings[0], $german.Findings[0]) {
            $finding.Title = $finding.Advice = ''
        }
        ConvertTo-Json -InputObject $german -Depth 8 | Should -BeExactly (ConvertTo-Json -InputObject $english -Depth 8)
        $german.Findings[1].Title | Should -BeExactly $document.findings[1].title
    }
}

Describe 'The texts of the real executable' -Tag Documents {
    BeforeAll {
        $env:DISKAUDIT_PATH = $env:DISKAUDIT_TEST_CORE
        $recording = Join-Path $PSScriptRoot '../testdata/recordings/laptop-24h2-waiting.json'
    }

    It 'come in German and Chinese, with the same commands, and leave the English ones in the JSON' {
        if (-not $env:DISKAUDIT_TEST_CORE) {
            Set-ItResult -Skipped -Because 'DISKAUDIT_TEST_CORE does not name the built diskaudit'
        }
        $english = Get-BitLockerDiskAudit -Recording $recording -Detailed -Language en
        $german = Invoke-InCulture -Culture 'de-CH' -Script { Get-BitLockerDiskAudit -Recording $recording -Detailed }
        $chinese = Get-BitLockerDiskAudit -Recording $recording -Detailed -Language zh
        $german.Findings[0].Title | Should -BeExactly ('Volume C: ist verschl' + [char]0xfc + 'sselt, wartet aber auf Aktivierung und ist nicht gesch' + [char]0xfc + 'tzt')
        $chinese.Findings[0].Title | Should -Match '^\p{IsCJKUnifiedIdeographs}+ C: \p{IsCJKUnifiedIdeographs}+'
        $english.Findings[0].Title | Should -BeExactly 'Volume C: is encrypted, but waits for activation and is not protected'
        foreach ($status in $german, $chinese) {
            $status.Findings.Count | Should -Be $english.Findings.Count
            $status.Findings.Id | Should -Be $english.Findings.Id
            $status.Findings.Evidence | Should -Be $english.Findings.Evidence
            $status.Findings[0].Advice | Should -Match 'diskaudit remediate --volume C:'
        }
        $json = ConvertFrom-Json -InputObject (Get-BitLockerDiskAudit -Recording $recording -AsJson -Language de)
        $json.findings.title | Should -Be $english.Findings.Title
        $json.findings.localized.title | Should -Be $german.Findings.Title
        $json.findings.localized.language | Select-Object -Unique | Should -BeExactly 'de'
    }
}
