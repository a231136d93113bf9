function ConvertFrom-DiskAuditOutput {
    <#
    .SYNOPSIS
    The one place where the executable's document is parsed: exactly one line of ASCII JSON, of
    the kind that was asked for and of a schema version that this module knows.

    .OUTPUTS
    A hashtable with Content, the objects that the document tells of (a BitLockerDiskAudit.Status,
    a BitLockerDiskAudit.Bench, a list of BitLockerDiskAudit.BenchProfile or a
    BitLockerDiskAudit.Remediation), Json, the line as it was written, and Failure, which is $null
    when the document is sound.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # What Invoke-DiskAudit returned.
        [Parameter(Mandatory)]
        [System.Collections.Hashtable] $Run,

        # Of document.
        [ValidateSet('status', 'bench', 'profiles', 'remediate')]
        [string] $Kind = 'status'
    )

    $converters = @{ status = 'ConvertTo-AuditStatus'; bench = 'ConvertTo-AuditBench'; profiles = 'ConvertTo-BenchProfileList'; remediate = 'ConvertTo-AuditRemediation' }
    $reading = @{ Content = $null; Json = $null; Failure = $null }
    $complaint = ''
    if ($Run.ErrorText) {
        $complaint = " It wrote on stderr: $($Run.ErrorText -replace '(?s)^(.{1000}).+$', '$1..')"
    }
    $lines = @($Run.Output | Where-Object { $_.Trim() })

    if ($lines.Count -eq 0) {
        $exit = Get-ExitFailure -ExitCode $Run.ExitCode
        if ($null -eq $exit) {
            $reading.Failure = New-AuditFailure -Id CoreOutputInvalid -Target $Run.Path -Message "diskaudit wrote no document although it ended with exit code $($Run.ExitCode).$complaint"
        }
        elseif ($exit.Id -eq 'UsageError' -and $Run.ErrorText -notmatch '^(panic|fatal error|runtime|unexpected fault|SIG[A-Z]+):') {
            $text = "$($exit.Text) $($Run.ErrorText -replace '^diskaudit: ', '')".Trim()
            $reading.Failure = New-AuditFailure -Id UsageError -Target $Run.Path -Message $text
        }
        elseif ($exit.Id -eq 'UsageError') {
            # A Go program that crashes ends with exit code 2 as well.
            $reading.Failure = New-AuditFailure -Id CoreFailed -Target $Run.Path -Message "diskaudit crashed.$complaint"
        }
        else {
            $reading.Failure = New-AuditFailure -Id $exit.Id -Target $Run.Path -Message "$($exit.Text) It wrote no document.$complaint"
        }
        return $reading
    }

    $fault = ''
    if ($lines.Count -gt 1) {
        $fault = "it has $($lines.Count) lines instead of one"
    }
    elseif ($lines[0] -cmatch '[^\x20-\x7e]') {
        $fault = 'it has characters beyond ASCII'
    }
    elseif ($lines[0] -notmatch '^\s*\{') {
        $fault = "it is not a JSON object but begins with '$($lines[0] -replace '^(.{60}).+$', '$1..')'"
    }
    if (-not $fault) {
        # ConvertFrom-Json of PowerShell 7 turns each string that looks like a date into a
        # [datetime], a volume's label too, and the text is lost. A mark before it keeps it a
        # string in every edition; ConvertTo-FieldValue takes the mark off.
        $marked = $lines[0] -replace '(?<=[:,\[{]\s*)"(?=\d{4}-\d\d-\d\dT|\\?/Date\()', '"\u0001'
        try {
            $document = ConvertFrom-Json -InputObject $marked -ErrorAction Stop
            $fault = Get-DocumentFault -Document $document -Kind $Kind
            if ($fault -eq 'version') {
                $version = Get-DocumentField -Document $document -Path 'schemaVersion'
                $reading.Failure = New-AuditFailure -Id SchemaVersionUnsupported -Target $Run.Path -Message "diskaudit wrote a document of schema version $version; this module reads version 1."
                return $reading
            }
            if (-not $fault) {
                # Of a remediation the exit code tells what the document leaves open.
                $more = @{}
                if ($Kind -eq 'remediate') {
                    $more.ExitCode = $Run.ExitCode
                }
                $reading.Content = & $converters[$Kind] -Document $document @more
                $reading.Json = $lines[0]
            }
        }
        catch {
            $fault = $_.Exception.Message
        }
    }
    if ($fault) {
        $reading.Failure = New-AuditFailure -Id CoreOutputInvalid -Target $Run.Path -Message "The output of diskaudit (exit code $($Run.ExitCode)) is not a document that this module can read: $fault.$complaint"
    }
    $reading
}
