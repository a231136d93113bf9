package windows

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/provider"
)

// Volume reads all of a volume's encryption. Of a locked volume the conversion is nil; of any other
// it is known, or there is an error. Another fact is nil where it does not exist for this volume, or
// where asking for it failed for a reason that does not pass.
func (c *Computer) Volume(ctx context.Context, id string) (contract.Encryption, error) {
	to, err := c.connected(ctx)
	if err != nil {
		return contract.Encryption{}, err
	}
	row, err := to.find(ctx, id)
	if err != nil {
		return contract.Encryption{}, err
	}
	return judged(to.session.Read(ctx, row, id), id)
}

// Conversion reads how far a volume's conversion is, and its lock: the rest is nil. The conversion
// is known as that of Volume is.
func (c *Computer) Conversion(ctx context.Context, id string) (contract.Encryption, error) {
	to, err := c.connected(ctx)
	if err != nil {
		return contract.Encryption{}, err
	}
	name, err := to.name(ctx, id)
	if err != nil {
		return contract.Encryption{}, err
	}
	return judged(to.session.Conversion(ctx, name), id)
}

// methods are the provider's methods by the changes that they make.
var methods = map[contract.Change]string{
	contract.ChangeDecrypt:         provider.Decrypt,
	contract.ChangePause:           provider.PauseConversion,
	contract.ChangeResume:          provider.ResumeConversion,
	contract.ChangeClearAutoUnlock: provider.ClearAllAutoUnlockKeys,
}

// Change asks BitLocker once for a change of a volume.
func (c *Computer) Change(ctx context.Context, id string, change contract.Change) error {
	method, known := methods[change]
	if !known {
		return failure(contract.Problem{
			Code: "change-not-allowed", Level: contract.LevelError, Stage: machine.StageVolumes,
			Text: fmt.Sprintf("%q is no change of a volume, and nothing was changed on %s. Please report it.", change, id),
		}, id)
	}
	to, err := c.connected(ctx)
	if err != nil {
		return err
	}
	name, err := to.name(ctx, id)
	if err != nil {
		return err
	}
	if err := to.session.Change(ctx, name, method); err != nil {
		return unchanged(err, id)
	}
	return nil
}

// key is what a volume's names have in common: with or without the backslash at the end, in any case.
func key(id string) string { return strings.ToLower(strings.TrimRight(id, `\`)) }

// name is the provider's name for a volume. It is looked up once: whether the volume is still there,
// each question tells.
func (c *connection) name(ctx context.Context, id string) (string, error) {
	if name, known := c.names[key(id)]; known {
		return name, nil
	}
	row, err := c.find(ctx, id)
	if err != nil {
		return "", err
	}
	c.names[key(id)] = *row.DeviceID
	return *row.DeviceID, nil
}

// find finds a volume in the provider's list as it is now.
func (c *connection) find(ctx context.Context, id string) (provider.Row, error) {
	rows, problems, err := c.session.Volumes(ctx)
	if err != nil {
		return provider.Row{}, unreachable(err)
	}
	for _, row := range rows {
		if key(*row.DeviceID) == key(id) {
			return row, nil
		}
	}
	// A list that was broken off, or that has a volume without a name, may have lost it.
	if i := slices.IndexFunc(problems, isMissing); i >= 0 {
		return provider.Row{}, failure(problems[i], id)
	}
	return provider.Row{}, failure(contract.Problem{
		Code: codeVanished, Level: contract.LevelError, Stage: machine.StageVolumes,
		Text: fmt.Sprintf("BitLocker does not list %s any more: it was removed, taken offline or repartitioned. Its state is unknown; reconnect it and run this again.", id),
	}, id)
}
