package provider

import (
	"fmt"
	"regexp"
	"strings"
)

// class is the class whose instances are the volumes
// (learn.microsoft.com/windows/win32/secprov/win32-encryptablevolume).
const class = "Win32_EncryptableVolume"

// guidPath is a volume's GUID path (learn.microsoft.com/windows/win32/fileio/naming-a-volume).
var guidPath = regexp.MustCompile(`(?i)^\\\\\?\\Volume\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}\\$`)

// guid is a GUID with or without braces.
var guid = regexp.MustCompile(`^\{?([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\}?$`)

// IsDeviceID tells whether a text is a volume's GUID path with a backslash at the end, as the
// provider's DeviceID is.
func IsDeviceID(text string) bool { return guidPath.MatchString(text) }

// queryAll asks for every volume. Properties are not listed one by one, for WMI refuses a query
// that names one which an older Windows does not have.
const queryAll = "SELECT * FROM " + class

// queryOne asks for the volume with this DeviceID. In WQL a backslash is doubled
// (learn.microsoft.com/windows/win32/wmisdk/wql-sql-for-wmi); nothing but a GUID path, which has
// no quotation mark, gets into the query.
func queryOne(deviceID string) (string, error) {
	if !IsDeviceID(deviceID) {
		return "", fmt.Errorf("%q is not the GUID path of a volume", deviceID)
	}
	return queryAll + " WHERE DeviceID='" + strings.ReplaceAll(deviceID, `\`, `\\`) + "'", nil
}

// bareGUID is a GUID in lower case without braces; nil for any other text.
func bareGUID(text string) *string {
	parts := guid.FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	bare := strings.ToLower(parts[1])
	return &bare
}
