package host

import (
	"context"
	"errors"
	"io/fs"

	"diskaudit/core/contract"
)

// Values of NETSETUP_JOIN_STATUS
// (learn.microsoft.com/windows/win32/api/lmjoin/nf-lmjoin-netgetjoininformation).
const (
	joinUnjoined  = 1
	joinWorkgroup = 2
	joinDomain    = 3
)

// Values of DSREG_JOIN_TYPE
// (learn.microsoft.com/windows/win32/api/lmjoin/ne-lmjoin-dsreg_join_type). A work account that a
// user added does not join the computer.
const (
	entraDevice    = 1
	entraWorkplace = 2
)

const joinInfoKey = `HKLM\SYSTEM\CurrentControlSet\Control\CloudDomainJoin\JoinInfo`

// join tells who manages the computer: by Windows' functions, checked against the registry. The
// text that dsregcmd prints is not used: case B45.
func (r *Reader) join(ctx context.Context, notes *notes) contract.Join {
	join := contract.Join{Domain: r.domain(ctx, notes), Entra: r.entra(ctx, notes)}
	join.MDM, join.MDMProvider = r.mdm(ctx, notes)
	return join
}

func (r *Reader) domain(ctx context.Context, notes *notes) *bool {
	status := fact(ctx, notes, "domain", r.system.DomainStatus)
	switch {
	case status == nil:
		return nil
	case *status == joinDomain:
		return contract.Ptr(true)
	case *status == joinUnjoined || *status == joinWorkgroup:
		return contract.Ptr(false)
	}
	notes.unknown("domain", "Windows says that it does not know")
	return nil
}

func (r *Reader) entra(ctx context.Context, notes *notes) *bool {
	const name = "join to Microsoft Entra ID"
	stored, storedErr := r.registry.Subkeys(joinInfoKey)
	if errors.Is(storedErr, fs.ErrNotExist) {
		storedErr = nil
	}
	kind, err := within(ctx, r.system.EntraJoin)
	var told *bool
	switch {
	case err != nil:
	case kind == nil:
		told = contract.Ptr(false)
	case *kind == entraDevice || *kind == entraWorkplace:
		told = contract.Ptr(*kind == entraDevice)
	}
	joined := len(stored) > 0
	switch {
	case told != nil && storedErr == nil && *told != joined:
		notes.warn("join-contradictory", name,
			`Whether this computer is joined to Microsoft Entra ID is not known: Windows says %s, and %s says %s. Leftovers of an earlier join look like that; dsregcmd /status tells more.`, yesNo(*told), joinInfoKey, yesNo(joined))
		return nil
	case told != nil:
		return told
	case err != nil && !errors.Is(err, ErrNotOffered):
		notes.failed(name, err)
	case err == nil:
		notes.unknown(name, "Windows says that it does not know")
	case storedErr != nil:
		notes.failed(name, storedErr)
	default:
		return &joined
	}
	return nil
}

func yesNo(answer bool) string {
	if answer {
		return "yes"
	}
	return "no"
}
