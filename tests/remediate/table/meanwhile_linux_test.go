package table_test

import (
	"slices"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// meanwhile is what happens to the computer while a plan is carried out.
type meanwhile struct {
	name string
	// do does it to the system's and the data volume, and tells whether it could.
	do func(m *simulator.Machine, system, data *simulator.Volume) bool
	// codes are the codes of problems of which one has to say it.
	codes []string
	exits []int
	// data tells that it happens to the data volume, after which nothing more may be changed that rests on it.
	data bool
}

// fought are the problems that tell of another program that encrypts, by when it is noticed.
var fought = []string{"encrypted-again", "state-changed", "verification-failed", "change-without-effect"}

// encrypt begins the encryption of a volume as it was once.
func encrypt(v *simulator.Volume, as volume) {
	percent := max(v.Percent, 10)
	takes := v.Takes
	*v = *as.simulated()
	v.Conversion, v.Percent, v.Takes = simulator.Encrypting, percent, takes
}

func happenings() []meanwhile {
	return []meanwhile{
		{
			name: "data volume locks", data: true, codes: []string{"volume-locked"}, exits: []int{1},
			do: func(_ *simulator.Machine, _, data *simulator.Volume) bool {
				if data == nil || data.Conversion == simulator.Decrypted {
					return false
				}
				data.Locked = true
				return true
			},
		},
		{
			name: "data volume vanishes", data: true, codes: []string{"volume-vanished"}, exits: []int{1},
			do: func(m *simulator.Machine, _, data *simulator.Volume) bool {
				m.Volumes = slices.DeleteFunc(m.Volumes, func(v *simulator.Volume) bool { return v == data })
				return true
			},
		},
		{
			name: "B53 another tool pauses the data volume", data: true, codes: []string{"conversion-paused", "change-without-effect"}, exits: []int{7, 1},
			do: func(_ *simulator.Machine, _, data *simulator.Volume) bool {
				if data.Conversion != simulator.Decrypting {
					return false
				}
				data.Conversion = simulator.DecryptingPaused
				return true
			},
		},
		{
			name: "B39 B51 another tool encrypts the data volume again", data: true,
			codes: fought, exits: []int{1},
			do: func(_ *simulator.Machine, _, data *simulator.Volume) bool {
				encrypt(data, whole().volumes[1])
				return true
			},
		},
		{
			name: "B51 another tool encrypts the system's volume again", codes: fought, exits: []int{1},
			do: func(_ *simulator.Machine, system, _ *simulator.Volume) bool {
				// What is back where it was by its turn is no trouble.
				if system.Conversion == simulator.Encrypted {
					return false
				}
				stored := system.KeysStored
				encrypt(system, whole().volumes[0])
				system.KeysStored = stored
				return true
			},
		},
		{
			name: "B56 keys are stored again", codes: []string{"auto-unlock-keys", "change-without-effect"}, exits: []int{1},
			do: func(_ *simulator.Machine, system, _ *simulator.Volume) bool {
				if system.KeysStored || system.Conversion != simulator.Encrypted {
					return false
				}
				system.KeysStored = true
				return true
			},
		},
		{
			name: "somebody else decrypts the data volume first", exits: []int{0},
			do: func(_ *simulator.Machine, _, data *simulator.Volume) bool {
				if data.Conversion == simulator.Decrypted {
					return false
				}
				data.Conversion, data.Percent, data.Method, data.Protectors, data.AutoUnlock, data.PersistentVolumeID = simulator.Decrypted, 0, 0, nil, "", ""
				return true
			},
		},
	}
}

// TestMeanwhile: each of these happenings at each call. It is told and ends the run; no change is made twice, and
// nothing is fought over.
func TestMeanwhile(t *testing.T) {
	base := inMemory(t)
	before := rows.Load()
	t.Cleanup(func() { t.Logf("%d rows", rows.Load()-before) })
	r := troubledRows()[0]
	calls := r.undisturbed(t, base)
	for _, happens := range happenings() {
		t.Run(happens.name, func(t *testing.T) {
			t.Parallel()
			could := 0
			for i := range calls {
				happened := false
				put := trouble{at: i + 1, other: func(m *simulator.Machine) {
					var system, data *simulator.Volume
					for _, v := range m.Volumes {
						if v.Type == simulator.OperatingSystem {
							system = v
						} else {
							data = v
						}
					}
					happened = happens.do(m, system, data)
				}}
				r.troubledRun(t, base, put, func(w *world, result ran, met *troubled, took time.Duration) {
					if !happened {
						return
					}
					could++
					happens.hold(w, result, met, i, took)
				})
			}
			if could == 0 {
				t.Error("it never happened")
			}
		})
	}
}

func (h meanwhile) hold(w *world, result ran, met *troubled, at int, took time.Duration) {
	last := at >= len(met.calls)-1
	said := len(h.codes) == 0 || slices.ContainsFunc(result.document.Problems, func(problem contract.Problem) bool { return slices.Contains(h.codes, problem.Code) })
	// What happens after the last look at it is not seen, nor what happens between such a look and the change.
	unseen := result.code == 0 && (h.unseen(met, at) || met.calls[at].method == "Decrypt")
	if (!slices.Contains(h.exits, result.code) || !said) && !last && !unseen {
		w.wrongf("want exit code %v and one of %v, got %d: %+v", h.exits, h.codes, result.code, result.document.Problems)
	}
	for _, volume := range w.volumes {
		if times := len(met.of("Decrypt", volume.id())); times > 1 {
			w.wrongf("%c: was decrypted %d times", volume.letter, times)
		}
	}
	if took > 10*time.Minute {
		w.wrongf("it took %v", took)
	}
}

// unseen tells whether no look at the state of the volume that this happens to followed.
func (h meanwhile) unseen(met *troubled, at int) bool {
	letter := byte('C')
	if h.data {
		letter = 'D'
	}
	return !slices.ContainsFunc(met.calls[at+1:], func(call asked) bool {
		return call.method == "GetConversionStatus" && call.deviceID == simulator.WineVolume(letter)
	})
}

// TestKeysOfVolumeEncryptedAgain: while the plan waits for another volume, one that was decrypted is encrypted
// again and unlocks by itself (B39, B51). Its key must not be cleared then: it would stay locked from the next
// start on.
func TestKeysOfVolumeEncryptedAgain(t *testing.T) {
	r := troubledRows()[0]
	r.volumes = append(r.volumes, volume{letter: 'E', kind: simulator.Fixed, conversion: simulator.Encrypted, method: software, bound: true})
	wrong := 0
	base := inMemory(t)
	for i, call := range r.undisturbed(t, base) {
		if call.deviceID != simulator.WineVolume('E') || call.method != "GetConversionStatus" {
			continue
		}
		happened := false
		put := trouble{at: i + 1, other: func(m *simulator.Machine) {
			for _, v := range m.Volumes {
				if v.DeviceID == simulator.WineVolume('D') && v.Conversion == simulator.Decrypted && m.Volumes[2].Conversion == simulator.Decrypting {
					encrypt(v, whole().volumes[1])
					happened = true
				}
			}
		}}
		r.troubledRun(t, base, put, func(w *world, result ran, met *troubled, _ time.Duration) {
			if happened && len(met.of("ClearAllAutoUnlockKeys", simulator.WineVolume('C'))) > 0 {
				wrong++
			}
			if happened && result.code != 1 {
				w.wrongf("want exit code 1, got %d", result.code)
			}
		})
	}
	if wrong > 0 {
		t.Errorf("%d times the keys were cleared while a volume that unlocks by them was encrypted again", wrong)
	}
}
