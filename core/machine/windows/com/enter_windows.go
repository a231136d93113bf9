package com

import (
	"errors"
	"fmt"

	"github.com/go-ole/go-ole"

	"diskaudit/core/bitlocker"
)

// coinit are the flags of CoInitializeEx for each apartment. DDE, which OLE 1 needed, is left out
// as the page advises (learn.microsoft.com/windows/win32/api/objbase/ne-objbase-coinit).
var coinit = map[Apartment]uint32{
	MTA: ole.COINIT_MULTITHREADED,
	STA: ole.COINIT_APARTMENTTHREADED | ole.COINIT_DISABLE_OLE1DDE,
}

// enter enters COM on the calling thread. The library has an error for S_FALSE too.
func enter(apartment Apartment) (leave func(), err error) {
	result := bitlocker.S_OK
	if err := ole.CoInitializeEx(0, coinit[apartment]); err != nil {
		var failure *ole.OleError
		if !errors.As(err, &failure) {
			return nil, fmt.Errorf("entering COM: %w", err)
		}
		result = bitlocker.HResult(failure.Code())
	}
	usable, counted := entry(result)
	if !usable {
		return nil, fmt.Errorf("entering COM: CoInitializeEx answered %s", result)
	}
	if !counted {
		return func() {}, nil
	}
	return ole.CoUninitialize, nil
}
