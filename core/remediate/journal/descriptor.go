package journal

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Security identifiers that are the same everywhere
// (learn.microsoft.com/windows/win32/secauthz/well-known-sids).
const (
	administrators = "S-1-5-32-544"
	localSystem    = "S-1-5-18"
	// creatorOwner stands for the owner of what is made in a folder later, which only those can make who may
	// write there.
	creatorOwner = "S-1-3-0"
)

// unsafety judges a security descriptor in self-relative form: "" when one of the trusted owns the object and
// nobody else may change it; the reason otherwise, also when that cannot be told. Source of the form:
// learn.microsoft.com/openspecs/windows_protocols/ms-dtyp/7d4dac05-9cef-4563-a058-f108abecce1d.
func unsafety(descriptor []byte, trusted []string) string {
	const untold = "who owns it and who may change it cannot be told"
	if len(descriptor) < descriptorHeader || descriptor[0] != 1 {
		return untold
	}
	control := binary.LittleEndian.Uint16(descriptor[2:])
	owner, ok := sidAt(descriptor, binary.LittleEndian.Uint32(descriptor[4:]))
	if !ok || control&selfRelative == 0 {
		return untold
	}
	if !slices.Contains(trusted, owner) {
		return fmt.Sprintf("it belongs to %s, not to the Administrators or the system", owner)
	}
	offset := binary.LittleEndian.Uint32(descriptor[16:])
	if control&daclPresent == 0 || offset == 0 {
		return "everybody may change it, for it has no access control list"
	}
	return openness(descriptor, offset, trusted)
}

// Parts of a security descriptor: SE_DACL_PRESENT and SE_SELF_RELATIVE
// (learn.microsoft.com/windows/win32/secauthz/security-descriptor-control).
const (
	descriptorHeader = 20
	daclPresent      = 0x0004
	selfRelative     = 0x8000
)

// openness judges the access control list at an offset. Source of its form, and of its entries':
// learn.microsoft.com/windows/win32/api/winnt/ns-winnt-acl and ns-winnt-ace_header.
func openness(descriptor []byte, offset uint32, trusted []string) string {
	const broken = "its access control list cannot be read"
	list, ok := from(descriptor, offset)
	if !ok || len(list) < 8 {
		return broken
	}
	entries := list[8:]
	for range binary.LittleEndian.Uint16(list[4:]) {
		if len(entries) < 4 {
			return broken
		}
		size := int(binary.LittleEndian.Uint16(entries[2:]))
		if size < 4 || size > len(entries) {
			return broken
		}
		entry := entries[:size]
		entries = entries[size:]
		if denies[entry[0]] {
			continue
		}
		if entry[0] != allows || size < 8 {
			return fmt.Sprintf("its access control list has an entry of kind %d, of which it cannot be told whom it lets in", entry[0])
		}
		who, ok := sidAt(entry, 8)
		if !ok {
			return broken
		}
		// Entries for what is made below count too, for that could be made by others already.
		mask := binary.LittleEndian.Uint32(entry[4:])
		if mask&changing != 0 && who != creatorOwner && !slices.Contains(trusted, who) {
			return fmt.Sprintf("%s may change it (its rights there are 0x%08X)", who, mask)
		}
	}
	return ""
}

// Kinds of entries: ACCESS_ALLOWED_ACE_TYPE, and the ones that deny: ACCESS_DENIED_ACE_TYPE,
// ACCESS_DENIED_OBJECT_ACE_TYPE, ACCESS_DENIED_CALLBACK_ACE_TYPE, ACCESS_DENIED_CALLBACK_OBJECT_ACE_TYPE
// (learn.microsoft.com/windows/win32/api/winnt/ns-winnt-ace_header).
const allows = 0

var denies = map[byte]bool{1: true, 6: true, 10: true, 12: true}

// changing are the rights by which something can be changed: FILE_WRITE_DATA, FILE_APPEND_DATA, FILE_WRITE_EA,
// FILE_DELETE_CHILD, FILE_WRITE_ATTRIBUTES, DELETE, WRITE_DAC, WRITE_OWNER, GENERIC_ALL and GENERIC_WRITE
// (learn.microsoft.com/windows/win32/fileio/file-access-rights-constants and
// learn.microsoft.com/windows/win32/secauthz/access-mask-format).
const changing = 0x0002 | 0x0004 | 0x0010 | 0x0040 | 0x0100 | 0x1_0000 | 0x4_0000 | 0x8_0000 | 0x1000_0000 | 0x4000_0000

// sidAt writes the security identifier at an offset as text; false when there is none
// (learn.microsoft.com/windows/win32/api/winnt/ns-winnt-sid and
// learn.microsoft.com/windows/win32/secauthz/sid-components).
func sidAt(data []byte, offset uint32) (string, bool) {
	sid, ok := from(data, offset)
	if !ok || offset == 0 || len(sid) < 8 || sid[0] != 1 {
		return "", false
	}
	count := int(sid[1])
	// SID_MAX_SUB_AUTHORITIES is 15.
	if count > 15 || len(sid) < 8+4*count {
		return "", false
	}
	authority := uint64(binary.BigEndian.Uint16(sid[2:]))<<32 | uint64(binary.BigEndian.Uint32(sid[4:]))
	var text strings.Builder
	text.WriteString("S-1-" + strconv.FormatUint(authority, 10))
	for i := range count {
		text.WriteString("-" + strconv.FormatUint(uint64(binary.LittleEndian.Uint32(sid[8+4*i:])), 10))
	}
	return text.String(), true
}

func from(data []byte, offset uint32) ([]byte, bool) {
	if uint64(offset) > uint64(len(data)) {
		return nil, false
	}
	return data[offset:], true
}
