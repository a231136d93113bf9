package provider

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// random is a Caller whose answers are chance, most of them near what can be.
type random struct {
	*rand.Rand
	// decrypted tells that GetConversionStatus returned success and the state 0.
	decrypted bool
}

func (r *random) Connect() error          { return nil }
func (r *random) Volumes() ([]Row, error) { return nil, nil }
func (r *random) Close()                  {}

func (r *random) Call(_, method string, arguments ...*Argument) (Value, error) {
	codes := []bitlocker.HResult{
		bitlocker.FVE_E_LOCKED_VOLUME, bitlocker.FVE_E_NOT_ACTIVATED, bitlocker.FVE_E_NOT_OS_VOLUME, bitlocker.FVE_E_NOT_DATA_VOLUME,
		bitlocker.ERROR_NOT_SUPPORTED, 50, bitlocker.WBEM_E_ACCESS_DENIED, bitlocker.DISP_E_UNKNOWNNAME, bitlocker.E_INVALIDARG,
		1, 0xFFFFFFFF,
	}
	code := codes[r.IntN(len(codes))]
	switch r.IntN(12) {
	case 0:
		return nil, &Error{Doing: "calling", Code: code}
	case 1:
		return int32(uint32(code)), nil
	case 2:
		return r.value(), nil
	}
	for _, argument := range arguments {
		if argument.IsOut {
			argument.Out = r.value()
		}
	}
	if method == "GetConversionStatus" {
		if state, ok := arguments[0].Out.(int32); ok && state == 0 {
			r.decrypted = true
		}
	}
	return int32(0), nil
}

func (r *random) value() Value {
	switch r.IntN(10) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return []string{"", idTPM, "\xff"}[r.IntN(3)]
	case 3:
		return make([]string, r.IntN(4))
	case 4:
		return int32(r.Uint32())
	case 5:
		return int32(r.IntN(1_000_002))
	case 6:
		return 1.5
	}
	return int32(r.IntN(4))
}

// FuzzRead: whatever the provider answers, nothing panics, nothing is called decrypted without the
// code that says so, and each answer that is open has a problem of level error behind it.
func FuzzRead(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(binary.LittleEndian.AppendUint64(nil, seed))
	}
	f.Fuzz(func(t *testing.T, seed []byte) {
		var number [8]byte
		copy(number[:], seed)
		r := &random{Rand: rand.New(rand.NewPCG(binary.LittleEndian.Uint64(number[:]), uint64(len(seed))))}
		s, err := Open(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		volume := Row{DeviceID: ptr(deviceC)}
		if text, ok := r.value().(string); ok {
			volume.PersistentVolumeID = &text
		}
		if kind, ok := r.value().(int32); ok {
			volume.VolumeType = &kind
		}
		got := s.Read(t.Context(), volume, "C:")
		e := got.Encryption
		plain := e.Conversion != nil && *e.Conversion == contract.FullyDecrypted
		if plain && !r.decrypted {
			t.Error("decrypted without the code that says so")
		}
		if e.Format != nil && *e.Format == "none" && !plain {
			t.Error("format none, though not decrypted")
		}
		if e.ProtectionReason != nil && *e.ProtectionReason == contract.ReasonDecrypted && !plain {
			t.Error("protection reason decrypted, though not decrypted")
		}
		if e.Engine != nil && *e.Engine == contract.EngineNone && !plain {
			t.Error("engine none, though not decrypted")
		}
		if e.ClearKey != nil && !*e.ClearKey && !plain && (e.Protection == nil || *e.Protection != contract.ProtectionOn) {
			t.Error("no clear key, though nothing says so")
		}
		if e.Percent != nil && (*e.Percent < 0 || *e.Percent > 100) || e.WipePercent != nil && (*e.WipePercent < 0 || *e.WipePercent > 100) {
			t.Errorf("percent %v, %v", show(e.Percent), show(e.WipePercent))
		}
		errors := 0
		for _, p := range got.Problems {
			if p.Level == contract.LevelError {
				errors++
			}
			if p.Code == "" || p.Target != "C:" || strings.TrimSpace(p.Text) == "" {
				t.Errorf("%+v", p)
			}
		}
		for _, field := range []string{"Conversion", "Percent", "Method", "Engine", "Protection", "ProtectionReason", "Lock", "Protectors"} {
			if reflect.ValueOf(e).FieldByName(field).IsNil() && errors == 0 {
				t.Errorf("%s is open, and no problem of level error says why: %v", field, problemsOf(got.Problems))
			}
		}
	})
}
