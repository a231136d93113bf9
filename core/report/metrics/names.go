package metrics

import (
	"fmt"
	"slices"

	"diskaudit/core/contract"
)

// namedVolume is a volume with the value of its label.
type namedVolume struct {
	name string
	contract.Volume
}

// namedDisk is a disk with the value of its label.
type namedDisk struct {
	name string
	contract.Disk
}

// nameVolumes gives each volume a name of its own: where it is mounted, else its id.
func nameVolumes(volumes []contract.Volume) []namedVolume {
	taken := names{}
	named := make([]namedVolume, 0, len(volumes))
	for _, v := range volumes {
		candidates := append(slices.Clone([]string(v.MountPoints)), v.ID)
		named = append(named, namedVolume{taken.choose(candidates, "volume"), v})
	}
	return named
}

// nameDisks gives each disk a name of its own: its id.
func nameDisks(disks []contract.Disk) []namedDisk {
	taken := names{}
	named := make([]namedDisk, 0, len(disks))
	for _, d := range disks {
		named = append(named, namedDisk{taken.choose([]string{d.ID}, "disk"), d})
	}
	return named
}

// roomForNumber is what the longest number after a name takes.
const roomForNumber = len(" #18446744073709551615")

// names are the names that are taken, each with how often it was wanted.
type names map[string]int

// choose is the first candidate that is free, or the first of all with a number after it: two volumes
// of one name would be one series, which nobody could tell apart. Which of them has the number follows
// from their order, and can change from one run to the next.
func (taken names) choose(candidates []string, standard string) string {
	first := ""
	for _, candidate := range candidates {
		value := labelValue(candidate, mostLabelBytes-roomForNumber)
		if value == "" {
			continue
		}
		if first == "" {
			first = value
		}
		if taken[value] == 0 {
			taken[value] = 1
			return value
		}
	}
	if first == "" {
		first = standard
	}
	for {
		taken[first]++
		if value := fmt.Sprintf("%s #%d", first, taken[first]); taken[value] == 0 {
			taken[value] = 1
			return value
		}
	}
}
