function New-AuditFailure {
    <#
    .SYNOPSIS
    Describes an error: its stable id, category, message, target and recommended action.

    .DESCRIPTION
    The result is a set of parameters for Write-Error. Constrained Language Mode allows neither
    the construction of an ErrorRecord nor a call of $PSCmdlet.WriteError, so errors travel as
    such descriptions and become records where they are written.

    The ids are part of the module's contract: letters only, never reused with another meaning.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        [Parameter(Mandatory)]
        [string] $Id,

        [Parameter(Mandatory)]
        [string] $Message,

        # Only for errors that are named after a problem of the document.
        [string] $Category,

        # Only for errors that are named after a problem of the document.
        [string] $Action,

        [AllowNull()]
        [object] $Target
    )

    $quarantine = 'Install the module again. If the file disappears, look into the history of the antivirus software: it may have put it into quarantine. DISKAUDIT_PATH can name another executable.'
    $report = 'Install the module again, so that module and executable are of one version. If it stays, report it with the output of the executable.'
    $known = @{
        ArgumentInvalid          = 'InvalidArgument', 'Correct the value.'
        ConfirmationRequired     = 'InvalidOperation', 'Add -Force (or -Confirm:$false) to carry the plan out without asking, or -WhatIf to see it only.'
        CoreBlocked              = 'SecurityError', 'Look for a block by antivirus software, App Control or AppLocker, and for missing permission to run the file.'
        CoreFailed               = 'InvalidResult', 'Read the message. The same command with -AsJson shows the whole document, if there is one.'
        CoreNotFound             = 'ObjectNotFound', $quarantine
        CoreOutputInvalid        = 'ParserError', $report
        CoreTimeout              = 'OperationTimeout', 'Raise -TimeoutSeconds.'
        ElevationRequired        = 'PermissionDenied', 'Start PowerShell with "Run as administrator" (on Linux with sudo) and run the command again.'
        FailOnMatched            = 'LimitsExceeded', 'Look at the verdict, the comparison and the tests of the result.'
        InputNotUsable           = 'InvalidArgument', 'Pipe drive letters, mount points, volumes (Get-Volume, Get-BitLockerVolume) or image files (Get-ChildItem *.vhdx).'
        Interrupted              = 'OperationStopped', 'Run the command again.'
        OperationInProgress      = 'ResourceBusy', 'Run the command again later.'
        OperationRefused         = 'InvalidOperation', 'Read the message: it names what was refused and why.'
        ParametersConflict       = 'InvalidArgument', 'Read the message: it names the two parameters that do not go together.'
        ProviderUnavailable      = 'ResourceUnavailable', 'Read the message: it says why, and what can be done.'
        SchemaVersionUnsupported = 'NotImplemented', $report
        SourcesMixed             = 'InvalidArgument', 'Audit volumes of this computer and image files with one call each.'
        UsageError               = 'InvalidArgument', "Correct the value that the message names. If it names a flag that you did not use: $report"
    }
    # A problem of the document can have an id that is also one of these.
    if (-not $Category -and $known.Keys -contains $Id) {
        $Category, $Action = $known[$Id]
    }
    @{
        ErrorId           = $Id
        Category          = $Category
        Message           = $Message
        TargetObject      = $Target
        RecommendedAction = $Action
    }
}
