package provider

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/bitlocker"
)

// features is Features with one answer.
type features struct {
	state *int32
	err   error
	hang  chan struct{}
}

func (f features) InstallState(feature string) (*int32, error) {
	if f.hang != nil {
		<-f.hang
	}
	if feature != "BitLocker" {
		return nil, errors.New("asked for " + feature)
	}
	return f.state, f.err
}

// Case B11: a feature that is not installed and one that waits for its restart are two answers.
func TestExplain(t *testing.T) {
	yes, no := ptr(true), ptr(false)
	for name, test := range map[string]struct {
		features features
		pending  *bool
		code     string
		says     []string
	}{
		"installed, restart pending":    {features{state: ptr(int32(1))}, yes, "restart-required", []string{"Restart the computer"}},
		"installed, no restart pending": {features{state: ptr(int32(1))}, no, "provider-unavailable", []string{"mofcomp"}},
		"installed, restart unknown":    {features{state: ptr(int32(1))}, nil, "provider-unavailable", []string{"Restart the computer if"}},
		"disabled":                      {features{state: ptr(int32(2))}, no, "feature-not-installed", []string{"Install-WindowsFeature BitLocker"}},
		"disabled, restart pending":     {features{state: ptr(int32(2))}, yes, "feature-not-installed", []string{"restart is pending"}},
		"absent":                        {features{state: ptr(int32(3))}, no, "feature-not-installed", []string{"Install-WindowsFeature BitLocker"}},
		"a state that Windows calls so": {features{state: ptr(int32(4))}, no, "provider-unavailable", []string{"state 4"}},
		"an unlisted state":             {features{state: ptr(int32(-1))}, no, "provider-unavailable", []string{"state 4294967295"}},
		"no such feature":               {features{}, no, "bitlocker-not-included", []string{"edition"}},
		"the question about it failed":  {features{err: errors.New("WMI failed")}, no, "provider-unavailable", []string{"could not be found out", "WMI failed"}},
		"an answer that takes a while":  {features{state: ptr(int32(1)), err: nil, hang: closed()}, yes, "restart-required", nil},
	} {
		for _, code := range []bitlocker.HResult{bitlocker.WBEM_E_INVALID_NAMESPACE, bitlocker.WBEM_E_INVALID_CLASS} {
			got := Explain(t.Context(), unavailable(refused(code)), test.features, test.pending)
			if got.Code != test.code || got.HResult == nil || *got.HResult != code.String() {
				t.Errorf("%s: %+v, want %s", name, got, test.code)
			}
			mustSay(t, got, append(test.says, "nothing of any volume")...)
		}
	}
	denied := unavailable(refused(bitlocker.WBEM_E_ACCESS_DENIED))
	if got := Explain(t.Context(), denied, features{}, yes); got != denied.Problem {
		t.Errorf("a denied access was explained by the feature: %+v", got)
	}
	missing := unavailable(refused(bitlocker.WBEM_E_INVALID_NAMESPACE))
	if got := Explain(t.Context(), missing, nil, yes); got != missing.Problem {
		t.Errorf("explained by nobody: %+v", got)
	}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestExplainDoesNotHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begun := time.Now()
		got := Explain(ctx, unavailable(refused(bitlocker.WBEM_E_INVALID_NAMESPACE)), features{hang: release}, nil)
		if time.Since(begun) > callLimit {
			t.Errorf("took %s", time.Since(begun))
		}
		mustSay(t, got, "could not be found out")
	})
}
