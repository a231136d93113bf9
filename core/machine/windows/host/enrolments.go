package host

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"diskaudit/core/machine/windows/registry"
)

const (
	enrolmentsKey = `HKLM\SOFTWARE\Microsoft\Enrollments`
	// enrolled is EnrollmentState of an enrolment that is in force.
	enrolled = 1
	// intune is what Intune's enrolment calls itself.
	intune = "MS DM Server"
)

// internalProviders have an enrolment on every Windows 10 and 11, managed or not: Windows uses them
// for settings of its own. The last is Windows' bridge from WMI to MDM, for Configuration Manager
// and for scripts.
var internalProviders = []string{"Local Authority", "Cloud Authority", "Deploy Authority", bridgeProvider}

const bridgeProvider = "WMI_Bridge_SCCM_Server"

// enrolmentLimit is how many enrolments are looked at; Windows has about thirty of its own.
const enrolmentLimit = 1000

// mdm tells whether the computer is enrolled in mobile device management, and by whom: by
// IsDeviceRegisteredWithManagement and the registry, each of which can be out of date. Microsoft
// does not document the registry's keys; what counts there is an enrolment with a provider that is
// not Windows' own, in force, and with the address of the service that it was made with.
func (r *Reader) mdm(ctx context.Context, notes *notes) (enrolledNow *bool, provider *string) {
	const name = "enrolment in device management"
	told, err := within(ctx, r.system.Managed)
	providers, storedErr := r.enrolments()
	if len(providers) > 0 {
		provider = &providers[0]
	}
	stored := len(providers) > 0
	switch {
	case err == nil && storedErr == nil && told != stored:
		notes.warn("enrolment-contradictory", name,
			`Whether this computer is enrolled in device management is not known: Windows says %s, and %s says %s. Leftovers of an earlier management look like that, and it can still set policies; Settings > Accounts > Access work or school shows the enrolments.`, yesNo(told), enrolmentsKey, yesNo(stored))
		return nil, provider
	case err == nil:
		if storedErr != nil {
			notes.failed("name of the device management", storedErr)
		}
		return &told, provider
	case !errors.Is(err, ErrNotOffered):
		notes.failed(name, err)
		return nil, provider
	case storedErr != nil:
		notes.failed(name, storedErr)
		return nil, nil
	}
	return &stored, provider
}

// enrolments are the names of the providers with an enrolment in force, Intune first.
func (r *Reader) enrolments() ([]string, error) {
	keys, err := r.registry.Subkeys(enrolmentsKey)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var providers []string
	for _, key := range keys[:min(len(keys), enrolmentLimit)] {
		name, err := r.enrolment(enrolmentsKey + `\` + key)
		if err != nil {
			return providers, err
		}
		if name != "" && !slices.Contains(providers, name) {
			providers = append(providers, name)
		}
	}
	slices.SortFunc(providers, func(a, b string) int {
		if (a == intune) != (b == intune) {
			if a == intune {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return providers, nil
}

// enrolment is the name of the provider in one key, "" when that is no enrolment in force.
func (r *Reader) enrolment(key string) (string, error) {
	provider, err := registry.Text(r.registry, key, "ProviderID")
	if err != nil {
		return "", err
	}
	if provider == nil || *provider == "" || slices.Contains(internalProviders, *provider) {
		return "", nil
	}
	state, err := registry.Number(r.registry, key, "EnrollmentState")
	if err != nil || state == nil || *state != enrolled {
		return "", err
	}
	service, err := registry.Text(r.registry, key, "DiscoveryServiceFullURL")
	if err != nil || service == nil || *service == "" {
		return "", err
	}
	return printable(*provider, nameLimit), nil
}
