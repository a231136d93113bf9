package audit

import (
	"strings"

	"diskaudit/core/contract"
)

// nestedEncryption finds data that is, or may be, encrypted twice.
func nestedEncryption(f facts, v contract.Volume) *conclusion {
	crypt := cryptChain(v.Layers)
	bitLocker := is(v.Encryption.Format, "bitlocker", "bitlocker-to-go")
	c := &conclusion{}
	switch {
	case len(crypt) >= 2:
		c.title = say("Volume %s is encrypted %s times, one layer above the other", name(v), len(crypt))
	case len(crypt) == 1 && bitLocker:
		c.title = say("Volume %s is a BitLocker volume inside another encrypted device", name(v))
	case yes(f.status.Machine.VirtualMachine.Detected) && bySoftware(v):
		return insideGuest(f, v)
	default:
		return nil
	}
	c.evidence = evidence("encrypted layers "+strings.Join(crypt, ", "), fact("format", v.Encryption.Format))
	c.advice = sentences(
		say("Each block passes through every layer, and each layer costs time; a second one adds protection only if its key is kept elsewhere."),
		say("Decide which layer you trust. Removing the other means moving the data off and back, since the layers lie inside each other."),
	)
	return c
}

func insideGuest(f facts, v contract.Volume) *conclusion {
	return &conclusion{
		severity: contract.SeverityInfo,
		title:    say("Volume %s is encrypted inside a virtual machine", name(v)),
		evidence: evidence("virtual machine", fact("hypervisor", f.status.Machine.VirtualMachine.Hypervisor), state(v)),
		advice: sentences(
			say("If the host encrypts its disks as well, each block is encrypted twice and the cost is paid twice; from inside that cannot be seen."),
			say("Ask who runs the host. If the host's encryption covers the risk, one layer is enough; encryption in the guest still protects against those who can copy the virtual disk."),
		),
	}
}

// cryptChain returns the encrypting devices on the way from the volume to a disk that has most
// of them. Those that lie side by side, such as the two halves of an array, are no nesting.
func cryptChain(layers []contract.Layer) []string {
	if len(layers) == 0 {
		return nil
	}
	below := map[string][]string{}
	crypt := map[string]bool{}
	for _, layer := range layers {
		if layer.Below != nil {
			below[layer.Device] = append(below[layer.Device], *layer.Below)
		}
		crypt[layer.Device] = crypt[layer.Device] || layer.Kind == "crypt"
	}
	// Each device is worked out once; one that is met again while it is worked out lies on a
	// circle, which no real device does.
	chains := map[string][]string{}
	var chain func(string) []string
	chain = func(device string) []string {
		if known, ok := chains[device]; ok {
			return known
		}
		chains[device] = nil
		var longest []string
		for _, next := range below[device] {
			if found := chain(next); len(found) > len(longest) {
				longest = found
			}
		}
		if crypt[device] {
			longest = append([]string{device}, longest...)
		}
		chains[device] = longest
		return longest
	}
	return chain(layers[0].Device)
}
