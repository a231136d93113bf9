package journal

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// sid is a security identifier's bytes: of the authority 5, but for those of one part below authorities 1 and 3.
func sid(authority byte, parts ...uint32) []byte {
	data := []byte{1, byte(len(parts)), 0, 0, 0, 0, 0, authority}
	for _, part := range parts {
		data = binary.LittleEndian.AppendUint32(data, part)
	}
	return data
}

var (
	builtinAdministrators = sid(5, 32, 544)
	system                = sid(5, 18)
	users                 = sid(5, 32, 545)
	everyone              = sid(1, 0)
	futureOwner           = sid(3, 0)
	somebody              = sid(5, 21, 1, 2, 3, 1001)
)

// ace is an entry of an access control list.
func ace(kind, flags byte, mask uint32, who []byte) []byte {
	data := []byte{kind, flags}
	data = binary.LittleEndian.AppendUint16(data, uint16(8+len(who)))
	data = binary.LittleEndian.AppendUint32(data, mask)
	return append(data, who...)
}

// acl is an access control list.
func acl(entries ...[]byte) []byte {
	body := bytes.Join(entries, nil)
	data := []byte{2, 0}
	data = binary.LittleEndian.AppendUint16(data, uint16(8+len(body)))
	data = binary.LittleEndian.AppendUint16(data, uint16(len(entries)))
	return append(append(data, 0, 0), body...)
}

// described is a security descriptor in self-relative form; a nil list is none at all.
func described(owner, list []byte) []byte {
	control := uint16(0x8004)
	data := []byte{1, 0}
	data = binary.LittleEndian.AppendUint16(data, control)
	offsets := [4]uint32{}
	if owner != nil {
		offsets[0] = 20
	}
	if list != nil {
		offsets[3] = 20 + uint32(len(owner))
	}
	for _, offset := range offsets {
		data = binary.LittleEndian.AppendUint32(data, offset)
	}
	return append(append(data, owner...), list...)
}

const (
	fullAccess    = 0x001F01FF
	readExecute   = 0x001200A9
	createFolders = 0x00000004
)

var descriptors = []struct {
	name       string
	descriptor []byte
	// want is a part of the reason; "" for safe.
	want string
}{
	{"as this program makes it", described(builtinAdministrators, acl(ace(0, 3, fullAccess, system), ace(0, 3, fullAccess, builtinAdministrators))), ""},
	{"owned by the system", described(system, acl(ace(0, 3, fullAccess, system))), ""},
	{"nobody may do anything", described(builtinAdministrators, acl()), ""},
	{"users may read", described(builtinAdministrators, acl(ace(0, 3, readExecute, users))), ""},
	{"users are denied", described(builtinAdministrators, acl(ace(1, 3, fullAccess, users), ace(0, 3, fullAccess, system))), ""},
	{"rights for a future owner", described(builtinAdministrators, acl(ace(0, 0x0b, 0x10000000, futureOwner))), ""},
	{"owned by a user", described(somebody, acl(ace(0, 3, fullAccess, system))), "it belongs to S-1-5-21-1-2-3-1001"},
	{"owned by all users", described(users, acl(ace(0, 3, fullAccess, system))), "it belongs to S-1-5-32-545"},
	// What a folder in ProgramData inherits.
	{"users may make folders", described(builtinAdministrators, acl(ace(0, 0x12, createFolders, users))), "S-1-5-32-545 may change it"},
	{"everybody may do all", described(builtinAdministrators, acl(ace(0, 3, fullAccess, everyone))), "S-1-1-0 may change it"},
	{"everybody may, after others", described(builtinAdministrators, acl(ace(1, 3, fullAccess, users), ace(0, 3, readExecute, users), ace(0, 3, 0x40000000, everyone))), "S-1-1-0 may change it"},
	{"below it only", described(builtinAdministrators, acl(ace(0, 0x0b, fullAccess, users))), "S-1-5-32-545 may change it"},
	{"may delete what is in it", described(builtinAdministrators, acl(ace(0, 0, 0x40, somebody))), "may change it"},
	{"may delete it", described(builtinAdministrators, acl(ace(0, 0, 0x10000, somebody))), "may change it"},
	{"may change the list", described(builtinAdministrators, acl(ace(0, 0, 0x40000, somebody))), "may change it"},
	{"may take it", described(builtinAdministrators, acl(ace(0, 0, 0x80000, somebody))), "may change it"},
	{"may change attributes", described(builtinAdministrators, acl(ace(0, 0, 0x100, somebody))), "may change it"},
	{"under a condition", described(builtinAdministrators, acl(ace(9, 0, fullAccess, users))), "entry of kind 9"},
	{"for an object", described(builtinAdministrators, acl(ace(5, 0, fullAccess, users))), "entry of kind 5"},
	{"no list", described(builtinAdministrators, nil), "everybody may change it"},
	{"no owner", described(nil, acl()), "cannot be told"},
	{"nothing", nil, "cannot be told"},
	{"cut", described(builtinAdministrators, acl(ace(0, 3, readExecute, users)))[:40], "cannot be read"},
	{"more entries than there are", described(builtinAdministrators, []byte{2, 0, 8, 0, 9, 0, 0, 0}), "cannot be read"},
	{"an entry without an end", described(builtinAdministrators, []byte{2, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0}), "cannot be read"},
	{"an entry of no length", described(builtinAdministrators, []byte{2, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "cannot be read"},
	{"an owner beyond the end", func() []byte {
		data := described(builtinAdministrators, acl())
		binary.LittleEndian.PutUint32(data[4:], 0xfffffff0)
		return data
	}(), "cannot be told"},
	{"pointers instead of offsets", func() []byte {
		data := described(builtinAdministrators, acl())
		binary.LittleEndian.PutUint16(data[2:], 4)
		return data
	}(), "cannot be told"},
}

func TestUnsafety(t *testing.T) {
	for _, test := range descriptors {
		t.Run(test.name, func(t *testing.T) {
			reason := unsafety(test.descriptor, []string{administrators, localSystem})
			if (reason == "") != (test.want == "") || !strings.Contains(reason, test.want) {
				t.Errorf("it says %q, not %q", reason, test.want)
			}
		})
	}
}

// Cut anywhere, a descriptor is never found safer than it was.
func TestCutDescriptor(t *testing.T) {
	whole := described(builtinAdministrators, acl(ace(0, 3, fullAccess, system), ace(0, 3, fullAccess, everyone)))
	for length := range whole {
		if reason := unsafety(whole[:length], []string{administrators, localSystem}); reason == "" {
			t.Errorf("cut to %d bytes it is safe", length)
		}
	}
}
