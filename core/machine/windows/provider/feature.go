package provider

import (
	"context"
	"fmt"
	"regexp"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/com"
)

// Features tells of Windows' optional features. The caller that Live returns does.
type Features interface {
	// InstallState is the state of a feature; nil when Windows has none of that name. It may block
	// for as long as WMI hangs.
	InstallState(feature string) (*int32, error)
}

// feature is the name of BitLocker among the optional features of Windows Server.
const feature = "BitLocker"

// The states of a feature (learn.microsoft.com/windows/win32/cimwin32prov/win32-optionalfeature).
const (
	featureEnabled  = 1
	featureDisabled = 2
	featureAbsent   = 3
)

var featureName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

func queryFeature(name string) (string, error) {
	if !featureName.MatchString(name) {
		return "", fmt.Errorf("%q is not the name of a feature", name)
	}
	return "SELECT Name, InstallState FROM Win32_OptionalFeature WHERE Name='" + name + "'", nil
}

// Explain makes the problem of a missing namespace or class more exact, by what Windows says of
// the feature and by whether a restart is pending, which is nil when unknown. It returns the
// problem unchanged for other kinds and when nothing more is found out.
func Explain(ctx context.Context, unavailable *Unavailable, features Features, restartPending *bool) contract.Problem {
	problem := unavailable.Problem
	if features == nil || unavailable.Kind != NamespaceMissing && unavailable.Kind != ClassMissing {
		return problem
	}
	state, err := installState(ctx, features)
	if err != nil {
		problem.Text += fmt.Sprintf(" Whether the feature is installed could not be found out (%v).", err)
		return problem
	}
	code, text := explain(state, restartPending)
	problem.Code, problem.Retryable = code, false
	problem.Text = text + everyStateUnknown
	if problem.HResult != nil {
		problem.Text += " (" + Namespace + ", " + *problem.HResult + ")"
	}
	return problem
}

func installState(ctx context.Context, features Features) (*int32, error) {
	worker, err := com.Start(com.MTA)
	if err != nil {
		return nil, err
	}
	defer worker.Close()
	limited, cancel := context.WithTimeoutCause(ctx, callLimit, errNoAnswer)
	defer cancel()
	answer := make(chan *int32, 1)
	if err := worker.Do(limited, func() error {
		state, err := features.InstallState(feature)
		answer <- state
		return err
	}); err != nil {
		return nil, err
	}
	return <-answer, nil
}

func explain(state *int32, restartPending *bool) (code, text string) {
	pending := restartPending != nil && *restartPending
	switch {
	case state == nil:
		return "bitlocker-not-included", "This Windows has neither BitLocker's WMI provider nor a feature of the name BitLocker that could be installed: its edition or image leaves BitLocker out, or the provider's registration is damaged. Where manage-bde -status works, compile Win32_EncryptableVolume.mof again with mofcomp."
	case *state == featureEnabled && pending:
		return "restart-required", "The feature BitLocker is installed, but a restart is pending, before which its WMI provider does not exist. Restart the computer and run this again."
	case *state == featureEnabled:
		return "provider-unavailable", "The feature BitLocker is installed, but its WMI provider does not exist. Restart the computer if the feature was just installed; otherwise compile Win32_EncryptableVolume.mof again with mofcomp."
	case (*state == featureDisabled || *state == featureAbsent) && pending:
		return "feature-not-installed", "The feature BitLocker is not installed, and a restart is pending, which may be that of its installation. Restart the computer and run this again; if nothing changes, the feature has to be installed (Install-WindowsFeature BitLocker, then a restart) for BitLocker's state to be read."
	case *state == featureDisabled || *state == featureAbsent:
		return "feature-not-installed", "The feature BitLocker is not installed, without which Windows Server neither encrypts nor opens BitLocker volumes. To read their state, install it (Install-WindowsFeature BitLocker) and restart the computer when it suits."
	}
	return "provider-unavailable", fmt.Sprintf("BitLocker's WMI provider does not exist, and Windows gives the state %d for the feature BitLocker, which says neither that it is installed nor that it is not. Restart the computer, then look at Get-WindowsFeature BitLocker.", uint32(*state))
}
