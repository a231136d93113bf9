package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/go-ole/go-ole"
	"github.com/go-ole/go-ole/oleutil"
	"github.com/yusufpapurcu/wmi"
	"golang.org/x/sys/windows"
)

const namespace = `root\CIMV2\Security\MicrosoftVolumeEncryption`

// seen is what the program prints.
type seen struct {
	Rows       []row
	RowsError  string
	Code       string
	Lock       []string
	Conversion []string
	Protectors []string
	Refusal    string
	Shell      string
	Features   []feature
	// Drives are the types of the drives by their letters.
	Drives map[string]uint32
}

type row struct {
	DeviceID           *string
	PersistentVolumeID *string
	DriveLetter        *string
	VolumeType         *int32
	ProtectionStatus   *int32
	OfLaterWindows     *string
}

type feature struct {
	Name         *string
	InstallState *int32
}

func main() {
	rounds := 1
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	var last seen
	for range rounds {
		last = look()
	}
	last.Drives = drives()
	_ = json.NewEncoder(os.Stdout).Encode(last)
}

// drives asks for the type of each drive
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew).
func drives() map[string]uint32 {
	types := map[string]uint32{}
	for letter := 'A'; letter <= 'Z'; letter++ {
		drive := string(letter) + ":"
		root, err := windows.UTF16PtrFromString(drive + `\`)
		if err != nil {
			continue
		}
		types[drive] = windows.GetDriveType(root)
	}
	return types
}

func look() (s seen) {
	client := wmi.Client{PtrNil: true, AllowMissingFields: true}
	if err := client.Query("SELECT * FROM Win32_EncryptableVolume", &s.Rows, nil, namespace); err != nil {
		s.RowsError, s.Code = err.Error(), code(err)
	}
	_ = client.Query("SELECT Name, InstallState FROM Win32_OptionalFeature WHERE Name = 'BitLocker'", &s.Features, nil, `root\CIMV2`)

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = ole.CoInitializeEx(0, ole.COINIT_MULTITHREADED)
	defer ole.CoUninitialize()
	s.shell()
	if err := s.methods(); err != nil && s.Code == "" {
		s.Code = code(err)
	}
	return s
}

func (s *seen) methods() error {
	services, err := object("WbemScripting.SWbemLocator", func(locator *ole.IDispatch) (*ole.VARIANT, error) {
		return oleutil.CallMethod(locator, "ConnectServer", nil, namespace)
	})
	if err != nil {
		return err
	}
	defer drop(services)
	set, err := oleutil.CallMethod(services.ToIDispatch(), "ExecQuery", "SELECT * FROM Win32_EncryptableVolume")
	if err != nil {
		return err
	}
	defer drop(set)
	return oleutil.ForEach(set.ToIDispatch(), func(item *ole.VARIANT) error {
		volume := item.ToIDispatch()
		defer volume.Release()
		var lock ole.VARIANT
		s.Lock = append(s.Lock, call(volume, "GetLockStatus", &lock)+" "+text(&lock))
		outs := make([]ole.VARIANT, 5)
		line := call(volume, "GetConversionStatus", &outs[0], &outs[1], &outs[2], &outs[3], &outs[4], int32(4))
		for i := range outs {
			line += " " + text(&outs[i])
		}
		s.Conversion = append(s.Conversion, line)
		var ids ole.VARIANT
		line = call(volume, "GetKeyProtectors", int32(0), &ids)
		if array := ids.ToArray(); array != nil {
			for _, id := range array.ToValueArray() {
				var kind int32
				line += " " + fmt.Sprint(id) + "=" + call(volume, "GetKeyProtectorType", id, &kind) + ":" + strconv.Itoa(int(kind))
			}
		}
		drop(&ids)
		s.Protectors = append(s.Protectors, line)
		s.Refusal = call(volume, "GetSuspendCount", &lock)
		return nil
	})
}

func (s *seen) shell() {
	folder, err := object("Shell.Application", func(shell *ole.IDispatch) (*ole.VARIANT, error) {
		return oleutil.CallMethod(shell, "NameSpace", `C:\`)
	})
	if err != nil {
		s.Shell = code(err)
		return
	}
	defer drop(folder)
	self, err := oleutil.GetProperty(folder.ToIDispatch(), "Self")
	if err != nil {
		s.Shell = code(err)
		return
	}
	defer drop(self)
	value, err := oleutil.CallMethod(self.ToIDispatch(), "ExtendedProperty", "System.Volume.BitLockerProtection")
	if err != nil {
		s.Shell = code(err)
		return
	}
	s.Shell = text(value)
}

// object makes a COM object, uses it once and lets it go.
func object(name string, use func(*ole.IDispatch) (*ole.VARIANT, error)) (*ole.VARIANT, error) {
	unknown, err := oleutil.CreateObject(name)
	if err != nil {
		return nil, err
	}
	defer unknown.Release()
	dispatch, err := unknown.QueryInterface(ole.IID_IDispatch)
	if err != nil {
		return nil, err
	}
	defer dispatch.Release()
	return use(dispatch)
}

func call(volume *ole.IDispatch, method string, arguments ...any) string {
	result, err := oleutil.CallMethod(volume, method, arguments...)
	if err != nil {
		return code(err)
	}
	defer drop(result)
	return text(result)
}

func drop(v *ole.VARIANT) { _ = v.Clear() }

// text is a VARIANT's type and value; it clears the VARIANT.
func text(v *ole.VARIANT) string {
	written := fmt.Sprintf("%d:%v", v.VT, v.Value())
	drop(v)
	return written
}

// code is the code of an exception, or else of the failed call.
func code(err error) string {
	var failed *ole.OleError
	if !errors.As(err, &failed) {
		return err.Error()
	}
	var exception ole.EXCEPINFO
	if errors.As(failed.SubError(), &exception) && failed.Code() == 0x80020009 {
		return fmt.Sprintf("raised 0x%08X", exception.SCODE())
	}
	return fmt.Sprintf("0x%08X", uint32(failed.Code()))
}
