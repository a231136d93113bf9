package provider_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/provider"
)

// limit bounds a collection. Half of it is what a question that hangs may take.
const limit = 30 * time.Second

// answered is all that a provider tells in one collection.
type answered struct {
	// Unavailable is the kind of the error, Feature what the optional features say of it.
	Unavailable provider.Kind
	Feature     string
	Problems    []string
	Volumes     map[string]contract.Encryption
	Types       map[string]*contract.VolumeType
	Shell       map[string]string
}

// collect asks a provider everything.
func collect(ctx context.Context, caller provider.Caller) (a answered) {
	a.Volumes, a.Types, a.Shell = map[string]contract.Encryption{}, map[string]*contract.VolumeType{}, map[string]string{}
	session, err := provider.Open(ctx, caller)
	if err == nil {
		defer session.Close()
		var rows []provider.Row
		var problems []contract.Problem
		rows, problems, err = session.Volumes(ctx)
		a.add(problems)
		for _, row := range rows {
			reading := session.Read(ctx, row, *row.DeviceID)
			a.Volumes[*row.DeviceID], a.Types[*row.DeviceID] = reading.Encryption, reading.Type
			a.add(reading.Problems)
		}
	}
	var unavailable *provider.Unavailable
	if errors.As(err, &unavailable) {
		a.Unavailable = unavailable.Kind
		if features, ok := caller.(provider.Features); ok {
			a.Feature = provider.Explain(ctx, unavailable, features, contract.Ptr(true)).Code
		}
		a.add([]contract.Problem{unavailable.Problem})
	}
	return a
}

func (a *answered) add(problems []contract.Problem) {
	for _, p := range problems {
		code := ""
		if p.HResult != nil {
			code = *p.HResult
		}
		a.Problems = append(a.Problems, fmt.Sprintf("%s %s %s %s", p.Code, p.Level, p.Target, code))
	}
}
