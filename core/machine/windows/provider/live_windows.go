package provider

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/go-ole/go-ole"
	"github.com/go-ole/go-ole/oleutil"
	"github.com/yusufpapurcu/wmi"

	"diskaudit/core/bitlocker"
)

// Live asks WMI on this computer. It also implements Features.
func Live() Caller { return &live{} }

// live holds one connection for all questions: each new one costs WMI's process memory.
type live struct {
	services *ole.IDispatch
	// id and volume are of the volume that was asked last; its next questions need no search.
	id     string
	volume *ole.IDispatch
}

// Connect makes a connection to the namespace on this computer, with this program's rights.
// learn.microsoft.com/windows/win32/wmisdk/swbemlocator-connectserver
func (l *live) Connect() error {
	if l.services != nil {
		return nil
	}
	unknown, err := oleutil.CreateObject("WbemScripting.SWbemLocator")
	if err != nil {
		return Failure("creating SWbemLocator", err)
	}
	defer unknown.Release()
	locator, err := unknown.QueryInterface(ole.IID_IDispatch)
	if err != nil {
		return Failure("creating SWbemLocator", err)
	}
	defer locator.Release()
	l.services, err = object("connecting to "+Namespace, locator, ole.DISPATCH_METHOD, "ConnectServer", ".", Namespace)
	if err == nil {
		encrypt(l.services)
	}
	return err
}

// encrypt asks for an encrypted connection: a namespace can refuse all others, as its administrator
// or its provider decides. Impersonation is what scripts have by default. Programs that ask this
// provider on their own computer do well without either, so that nothing fails where they cannot be
// set: whether WMI takes the connection the first question tells.
// learn.microsoft.com/windows/win32/wmisdk/requiring-an-encrypted-connection-to-a-namespace,
// learn.microsoft.com/windows/win32/wmisdk/swbemsecurity-authenticationlevel,
// learn.microsoft.com/windows/win32/wmisdk/swbemsecurity-impersonationlevel
func encrypt(services *ole.IDispatch) {
	const packetPrivacy, impersonate int32 = 6, 3
	security, err := object("reading Security_", services, ole.DISPATCH_PROPERTYGET, "Security_")
	if err != nil {
		return
	}
	defer security.Release()
	for name, level := range map[string]int32{"AuthenticationLevel": packetPrivacy, "ImpersonationLevel": impersonate} {
		result, _ := oleutil.PutProperty(security, name, level)
		free(result)
	}
}

// Volumes goes through the result itself. The wmi package would first read Count, which fails as a
// whole when the provider fails at a later instance, and takes an error at the end of the
// enumeration for its end: the volumes before the error would be lost, or the error.
// learn.microsoft.com/windows/win32/wmisdk/swbemservices-execquery
func (l *live) Volumes() (rows []Row, err error) {
	defer func() { l.lose(err) }()
	if err := l.Connect(); err != nil {
		return nil, err
	}
	set, err := object("listing the volumes", l.services, ole.DISPATCH_METHOD, "ExecQuery", queryAll)
	if err != nil {
		return nil, err
	}
	defer set.Release()
	list, err := oleutil.GetProperty(set, "_NewEnum")
	if err != nil {
		return nil, Failure("listing the volumes", err)
	}
	defer free(list)
	unknown := list.ToIUnknown()
	if unknown == nil {
		return nil, fmt.Errorf("listing the volumes: %w: no enumeration", errMalformed)
	}
	enum, err := unknown.IEnumVARIANT(ole.IID_IEnumVariant)
	if err != nil {
		return nil, Failure("listing the volumes", err)
	}
	defer enum.Release()
	for len(rows) <= maxVolumes {
		item, count, err := enum.Next(1)
		if count == 0 {
			// S_FALSE is the end, for which the library has an error too
			// (learn.microsoft.com/windows/win32/api/oaidl/nf-oaidl-ienumvariant-next).
			if err == nil || isCode(err, bitlocker.S_FALSE) {
				return rows, counted(set, len(rows))
			}
			return rows, Failure("reading the next volume", err)
		}
		row, err := readRow(&item)
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// counted compares the volumes that were read with WMI's own count of them, which goes through the
// result once more: an enumeration that ends early without an error would look like a short list.
// learn.microsoft.com/windows/win32/wmisdk/swbemobjectset-count
func counted(set *ole.IDispatch, read int) error {
	const doing = "counting the volumes"
	v, err := oleutil.GetProperty(set, "Count")
	defer free(v)
	if err != nil {
		return Failure(doing, err)
	}
	value, err := fromVariant(v)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if count, ok := value.(int32); !ok || int(count) != read {
		return fmt.Errorf("%s: there are %v, of which %d were read", doing, value, read)
	}
	return nil
}

func readRow(item *ole.VARIANT) (Row, error) {
	defer free(item)
	volume := item.ToIDispatch()
	if volume == nil {
		return Row{}, fmt.Errorf("reading a volume: %w: no object", errMalformed)
	}
	var row Row
	for name, into := range map[string]**string{
		"DeviceID": &row.DeviceID, "PersistentVolumeID": &row.PersistentVolumeID, "DriveLetter": &row.DriveLetter,
	} {
		value, err := property(volume, name)
		if err != nil {
			return Row{}, err
		}
		if text, ok := value.(string); ok {
			*into = &text
		}
	}
	value, err := property(volume, "VolumeType")
	if err != nil {
		return Row{}, err
	}
	if number, ok := value.(int32); ok {
		row.VolumeType = &number
	}
	return row, nil
}

// property reads a property; nil when it is NULL or this Windows does not have it.
func property(of *ole.IDispatch, name string) (Value, error) {
	v, err := oleutil.GetProperty(of, name)
	defer free(v)
	if isCode(err, bitlocker.DISP_E_UNKNOWNNAME, bitlocker.DISP_E_MEMBERNOTFOUND, bitlocker.WBEM_E_NOT_FOUND) {
		return nil, nil
	}
	if err != nil {
		return nil, Failure("reading "+name+" of a volume", err)
	}
	value, err := fromVariant(v)
	if errors.Is(err, errMalformed) {
		// A property of another type is as good as none.
		return nil, nil
	}
	return value, err
}

// Call calls a method by its name, as a script does: arguments in the order of the declaration,
// out arguments as references to VARIANTs.
// learn.microsoft.com/windows/win32/wmisdk/calling-a-method
func (l *live) Call(deviceID, method string, arguments ...*Argument) (returned Value, err error) {
	defer func() { l.lose(err) }()
	doing := "calling " + method + " of " + deviceID
	volume, err := l.find(deviceID)
	if err != nil {
		return nil, err
	}
	// The library passes addresses as numbers, which do not keep a variable where it is: a pinned
	// one neither moves with the stack nor is freed.
	var pinner runtime.Pinner
	defer pinner.Unpin()
	passed := make([]any, len(arguments))
	filled := make([]*ole.VARIANT, len(arguments))
	for i, argument := range arguments {
		if !argument.IsOut {
			if passed[i], err = passable(argument.In); err != nil {
				return nil, fmt.Errorf("%s: %w", doing, err)
			}
			continue
		}
		filled[i] = &ole.VARIANT{}
		pinner.Pin(filled[i])
		passed[i] = filled[i]
	}
	result, err := volume.CallMethod(method, passed...)
	defer free(result)
	defer func() {
		for _, v := range filled {
			free(v)
		}
	}()
	if err != nil {
		return nil, Failure(doing, err)
	}
	for i, v := range filled {
		if v == nil {
			continue
		}
		if arguments[i].Out, err = fromVariant(v); err != nil {
			return nil, fmt.Errorf("%s: argument %d: %w", doing, i, err)
		}
	}
	if returned, err = fromVariant(result); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return returned, nil
}

// find finds the volume. One that is not there is WBEM_E_NOT_FOUND.
// learn.microsoft.com/windows/win32/wmisdk/swbemobjectset-itemindex
func (l *live) find(deviceID string) (*ole.IDispatch, error) {
	if l.volume != nil && l.id == deviceID {
		return l.volume, nil
	}
	l.forget()
	if err := l.Connect(); err != nil {
		return nil, err
	}
	query, err := queryOne(deviceID)
	if err != nil {
		return nil, err
	}
	doing := "looking for " + deviceID
	set, err := object(doing, l.services, ole.DISPATCH_METHOD, "ExecQuery", query)
	if err != nil {
		return nil, err
	}
	defer set.Release()
	volume, err := object(doing, set, ole.DISPATCH_METHOD, "ItemIndex", int32(0))
	if err != nil {
		return nil, err
	}
	l.id, l.volume = deviceID, volume
	return volume, nil
}

func (l *live) forget() {
	if l.volume != nil {
		l.volume.Release()
		l.id, l.volume = "", nil
	}
}

// lose ends a connection whose other end has gone, as when the WMI service was started anew: the
// next question makes another.
func (l *live) lose(err error) {
	if isCode(err, bitlocker.RPC_S_SERVER_UNAVAILABLE, bitlocker.RPC_S_CALL_FAILED, bitlocker.RPC_E_DISCONNECTED) {
		l.Close()
	}
}

// Close ends the connection.
func (l *live) Close() {
	l.forget()
	if l.services != nil {
		l.services.Release()
		l.services = nil
	}
}

// InstallState is Win32_OptionalFeature.InstallState of a feature.
// learn.microsoft.com/windows/win32/cimwin32prov/win32-optionalfeature
func (l *live) InstallState(feature string) (*int32, error) {
	var rows []struct {
		Name         *string
		InstallState *int32
	}
	query, err := queryFeature(feature)
	if err != nil {
		return nil, err
	}
	client := &wmi.Client{PtrNil: true, AllowMissingFields: true}
	if err := client.Query(query, &rows); err != nil {
		return nil, Failure("asking for the feature "+feature, err)
	}
	for _, row := range rows {
		if row.InstallState != nil {
			return row.InstallState, nil
		}
	}
	if len(rows) > 0 {
		return nil, fmt.Errorf("asking for the feature %s: %w: no InstallState", feature, errMalformed)
	}
	return nil, nil
}

// object calls a method, or reads a property, that returns an object. The caller releases it.
func object(doing string, of *ole.IDispatch, kind int16, name string, arguments ...any) (*ole.IDispatch, error) {
	result, err := of.InvokeWithOptionalArgs(name, kind, arguments)
	if err != nil {
		free(result)
		return nil, Failure(doing, err)
	}
	got := result.ToIDispatch()
	if got == nil {
		free(result)
		return nil, fmt.Errorf("%s: %w: %s returned no object", doing, errMalformed, name)
	}
	// The VARIANT's reference is the caller's now, and is not cleared.
	return got, nil
}

// free frees what a VARIANT holds; it may be nil, as the library returns it with some errors.
func free(v *ole.VARIANT) {
	if v != nil {
		_ = v.Clear()
	}
}
