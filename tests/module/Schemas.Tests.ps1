BeforeAll {
    $schemas = Join-Path $PSScriptRoot '../../schemas'
    $recordings = Join-Path $PSScriptRoot '../testdata/recordings'

    # One document of the real executable, as a pipeline gets it.
    function Get-CoreDocument {
        param([string[]] $Argument)
        $lines = @(& $env:DISKAUDIT_TEST_CORE @Argument)
        $lines.Count | Should -Be 1
        $lines[0]
    }
}

# Case C19c: PowerShell 7.4 and later is a third validator, with its own reading of the draft.
Describe 'Test-Json with the published schemas' -Skip:(-not $env:DISKAUDIT_TEST_CORE) {
    It 'accepts the status of <_>' -ForEach 'laptop-24h2-waiting', 'laptop-managed', 'server-database' {
        $json = Get-CoreDocument status, "--recording=$(Join-Path $recordings "$_.json")"
        Test-Json -Json $json -SchemaFile (Join-Path $schemas 'status.schema.json') | Should -BeTrue
    }

    It 'accepts a document that tells of a failure' {
        $json = Get-CoreDocument status, '--image=no-such-file.img'
        $json | Should -Match 'image-not-found'
        Test-Json -Json $json -SchemaFile (Join-Path $schemas 'status.schema.json') | Should -BeTrue
    }

    It 'accepts the version' {
        $json = Get-CoreDocument version
        Test-Json -Json $json -SchemaFile (Join-Path $schemas 'version.schema.json') | Should -BeTrue
    }

    It 'refuses a document that does not follow its schema' -ForEach @(
        @{ From = '"complete":true'; To = '"complete":"true"' }
        @{ From = '"kind":"status"'; To = '"kind":"bench"' }
        @{ From = '"percent":100'; To = '"percent":"100"' }
        @{ From = '"name":"XtsAes128"'; To = '"name":"Nonsense"' }
    ) {
        $json = Get-CoreDocument status, "--recording=$(Join-Path $recordings 'laptop-24h2-waiting.json')"
        $broken = $json.Replace($From, $To)
        $broken | Should -Not -BeExactly $json
        Test-Json -Json $broken -SchemaFile (Join-Path $schemas 'status.schema.json') -ErrorAction SilentlyContinue | Should -BeFalse
    }
}
