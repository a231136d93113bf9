package simulator

import (
	"context"
	"slices"
	"strings"

	"diskaudit/core/bitlocker"
)

// method is a method of Win32_EncryptableVolume as its page declares it.
type method struct {
	name string
	// page is the last part of the page's address, below learn.microsoft.com/windows/win32/secprov/.
	page string
	// parameters in the order of the declaration, which is that of a script's arguments.
	parameters []parameter
	// secret says that it hands out a secret, changes that it changes the volume.
	secret, changes bool
	run             func(*call) bitlocker.HResult
}

type parameter struct {
	name     string
	out      bool
	optional bool
	kind     kind
}

type kind string

const (
	uint32Kind  kind = "uint32"
	booleanKind kind = "boolean"
	stringKind  kind = "string"
)

func in(name string, kind kind) parameter  { return parameter{name: name, kind: kind} }
func may(name string, kind kind) parameter { return parameter{name: name, kind: kind, optional: true} }
func out(name string) parameter            { return parameter{name: name, out: true} }

// call is a call of a method that is under way.
type call struct {
	volume *Volume
	// others are all volumes of the machine.
	others []*Volume
	in     map[string]Value
	out    map[string]Value
}

func (c *call) text(name string) string {
	text, _ := c.in[name].(string)
	return text
}

// integer is a number passed in, or 0 when it was left out.
func (c *call) integer(name string) int32 {
	number, _ := c.in[name].(int32)
	return number
}

// find finds a method by its name.
func find(name string) (method, bool) {
	i := slices.IndexFunc(methods, func(m method) bool { return strings.EqualFold(m.name, name) })
	if i < 0 {
		return method{}, false
	}
	return methods[i], true
}

// Call calls a method of the volume with this DeviceID. Arguments stand in the order of the
// declaration, in and out alike; Outs has as many values as there were arguments, those of in
// parameters as they were. An out parameter of a method that refused is NULL.
func (m *Machine) Call(ctx context.Context, deviceID, name string, arguments []Value) (returned Value, outs []Value, err *Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		entry := Call{DeviceID: deviceID, Name: name, In: slices.Clone(arguments), Result: returned}
		if err != nil {
			entry.Result = err
		}
		m.log(entry)
	}()
	method, known := find(name)
	if !known {
		return nil, nil, refused(DispatchUnknownName)
	}
	if len(arguments) > len(method.parameters) {
		return nil, nil, refused(DispatchBadCount)
	}
	fault := m.strike(AtMethod, ClassVolume, deviceID, method.name)
	if err := m.suffer(ctx, fault, deviceID); err != nil {
		return nil, nil, err
	}
	m.pass()
	volume := m.volume(deviceID)
	if volume == nil {
		return nil, nil, raised(bitlocker.WBEM_E_NOT_FOUND)
	}
	c := &call{volume: volume, others: m.Volumes, in: map[string]Value{}, out: map[string]Value{}}
	if err := c.take(method, arguments); err != nil {
		return nil, nil, err
	}
	returned = fault.instead(number(method.run(c)))
	outs = slices.Clone(arguments)
	for i := range arguments {
		parameter := method.parameters[i]
		if !parameter.out {
			continue
		}
		outs[i] = c.out[parameter.name]
		if fault != nil {
			if value, replaced := fault.Outs[parameter.name]; replaced {
				outs[i] = value
			}
		}
	}
	return returned, outs, nil
}

// take checks the arguments as WMI does before it asks a provider.
func (c *call) take(method method, arguments []Value) *Error {
	for i, parameter := range method.parameters {
		if parameter.out {
			continue
		}
		var value Value
		if i < len(arguments) {
			value = arguments[i]
		}
		switch value.(type) {
		case nil, Empty:
			if parameter.optional {
				continue
			}
			return raised(bitlocker.WBEM_E_INVALID_METHOD_PARAMETERS)
		}
		converted, fits := convert(value, parameter.kind)
		if !fits {
			return raised(bitlocker.WBEM_E_INVALID_METHOD_PARAMETERS)
		}
		c.in[parameter.name] = converted
	}
	return nil
}

func convert(value Value, kind kind) (Value, bool) {
	switch kind {
	case uint32Kind:
		switch number := value.(type) {
		case int32:
			return number, true
		case uint32:
			return int32(number), true
		case int16:
			return int32(number), true
		}
	case booleanKind:
		boolean, fits := value.(bool)
		return boolean, fits
	case stringKind:
		text, fits := value.(string)
		return text, fits
	}
	return nil, false
}
