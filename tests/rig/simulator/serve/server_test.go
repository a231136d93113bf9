package serve

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker"
	"diskaudit/tests/rig/simulator"
)

// client speaks to the server as the bridge does.
type client struct {
	t          *testing.T
	connection net.Conn
}

func dial(t *testing.T, s *Server, process uint32) client {
	t.Helper()
	connection, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	c := client{t, connection}
	c.ok(request(opHello, process))
	return c
}

func request(operation byte, numbers ...uint32) []byte {
	body := []byte{operation}
	for _, number := range numbers {
		body = binary.LittleEndian.AppendUint32(body, number)
	}
	return body
}

func (c client) trade(body []byte) (bitlocker.HResult, *reader) {
	c.t.Helper()
	if err := writeFrame(c.connection, body); err != nil {
		c.t.Fatal(err)
	}
	reply, err := readFrame(c.connection)
	if err != nil {
		c.t.Fatal(err)
	}
	r := &reader{rest: reply}
	return bitlocker.HResult(r.u32()), r
}

func (c client) ok(body []byte) *reader {
	c.t.Helper()
	code, r := c.trade(body)
	if code != bitlocker.S_OK {
		c.t.Fatalf("the reply is %s", code)
	}
	return r
}

// invoke calls a member by name and returns the reply after its HRESULT.
func (c client) invoke(object uint32, name string, arguments ...simulator.Value) (bitlocker.HResult, *reader) {
	c.t.Helper()
	member := c.ok(appendText(request(opName, object), name)).u32()
	body := binary.LittleEndian.AppendUint16(request(opInvoke, object, member), 1)
	body = binary.LittleEndian.AppendUint16(body, uint16(len(arguments)))
	for _, argument := range arguments {
		body = appendValue(body, argument, nil)
	}
	return c.trade(body)
}

// taken takes an object out of a reply.
func taken(t *testing.T, r *reader) uint32 {
	t.Helper()
	if vt := r.u16(); vt != vtDispatch && vt != vtUnknown {
		t.Fatalf("the value has type %d", vt)
	}
	return r.u32()
}

func start(t *testing.T, machine *simulator.Machine) *Server {
	t.Helper()
	s, err := Start(machine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestEnumeration goes the way of a script from the locator to a volume's method, and lets
// everything go again.
func TestEnumeration(t *testing.T) {
	s := start(t, &simulator.Machine{Volumes: []*simulator.Volume{{DeviceID: simulator.WineVolume('C'), Locked: true}}})
	c := dial(t, s, 1)
	locator := c.ok(appendText(request(opCreate), classLocator)).u32()
	_, r := c.invoke(locator, "ConnectServer", ".", `root\CIMV2\Security\MicrosoftVolumeEncryption`)
	services := taken(t, r)
	_, r = c.invoke(services, "ExecQuery", "SELECT * FROM Win32_EncryptableVolume")
	set := taken(t, r)
	_, r = c.invoke(set, "_NewEnum")
	list := taken(t, r)
	volume := taken(t, c.ok(request(opNext, list)))
	if code, _ := c.trade(request(opNext, list)); code != bitlocker.S_FALSE {
		t.Errorf("after the last one: %s", code)
	}
	code, r := c.invoke(volume, "getlockstatus", simulator.Empty{})
	if returned, outs, lock := r.value(0), r.u16(), r.value(0); code != 0 || returned != int32(0) || outs != 1 || lock != int32(1) {
		t.Errorf("GetLockStatus: %s, %v, %d, %v", code, returned, outs, lock)
	}
	if now, _ := s.Objects(); now != 5 {
		t.Errorf("%d objects are held, want 5", now)
	}
	for _, held := range []uint32{locator, services, set, list, volume} {
		c.ok(request(opRelease, held))
	}
	if now, most := s.Objects(); now != 0 || most != 5 || len(s.Faults()) != 0 {
		t.Errorf("%d objects are held, at most %d were, faults %v", now, most, s.Faults())
	}
}

// TestException shows that what WMI raises arrives as an exception with its code inside.
func TestException(t *testing.T) {
	c := dial(t, start(t, &simulator.Machine{NoBitLocker: true}), 1)
	locator := c.ok(appendText(request(opCreate), classLocator)).u32()
	code, r := c.invoke(locator, "ConnectServer", nil, `root\CIMV2\Security\MicrosoftVolumeEncryption`)
	if scode := bitlocker.HResult(r.u32()); code != simulator.DispatchException || scode != bitlocker.WBEM_E_INVALID_NAMESPACE {
		t.Errorf("got %s with %s", code, scode)
	}
}

// TestHanging shows that a call that hangs keeps no other from being answered, and ends when the
// program goes away.
func TestHanging(t *testing.T) {
	s := start(t, &simulator.Machine{Faults: []*simulator.Fault{{Point: simulator.AtConnect, Hang: true}}})
	hanging, other := dial(t, s, 1), dial(t, s, 1)
	locator := hanging.ok(appendText(request(opCreate), classLocator)).u32()
	member := hanging.ok(appendText(request(opName, locator), "connectserver")).u32()
	if err := writeFrame(hanging.connection, append(request(opInvoke, locator, member), 1, 0, 0, 0)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		other.ok(appendText(request(opCreate), classShell))
	}
	_ = hanging.connection.Close()
	_ = other.connection.Close()
	for range 1200 {
		if now, _ := s.Objects(); now == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the objects of a program that went away are still held")
}

// TestValues shows that each value comes over the wire as it is.
func TestValues(t *testing.T) {
	for _, value := range []simulator.Value{
		nil, simulator.Empty{}, true, false, "", "Gr\u00fc\u00dfe \U0001F511", int8(-8), int16(-16), int32(-32), int64(-64),
		uint8(8), uint16(16), uint32(1 << 31), uint64(1 << 63), float32(1.5), 2.25,
		[]simulator.Value{"a", int32(1), []simulator.Value{nil}},
	} {
		r := &reader{rest: appendValue(nil, value, nil)}
		if got := r.value(0); !cmp.Equal(got, value) || r.err != nil || len(r.rest) != 0 {
			t.Errorf("%#v came as %#v, %v, %d bytes left", value, got, r.err, len(r.rest))
		}
	}
}

// FuzzFrames sends anything: the server neither fails nor keeps much.
func FuzzFrames(f *testing.F) {
	f.Add(request(opInvoke, 1, 1, 1<<31))
	f.Add(append(request(opInvoke, 1, 1), 0, 0, 1, 0, 0x0C, 0x20, 255, 255, 255, 255))
	f.Add(appendText(request(opCreate), classShell))
	machine := &simulator.Machine{}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) == 0 {
			return
		}
		s := &Server{machine: machine, processes: map[uint32]*process{}}
		s.join(1)
		r := &reader{rest: bytes.Clone(body)}
		s.answer(t.Context(), 1, r.u8(), r)
	})
}
