package contract

// Level ranks a problem by what it did to the document.
type Level string

// The levels of problems.
const (
	// LevelInfo explains a null that lies in the nature of the source; the document is complete.
	LevelInfo Level = "info"
	// LevelWarning is something to look at; every fact that was asked for is there all the same.
	LevelWarning Level = "warning"
	// LevelError means that a fact which was asked for is missing; the document is not complete.
	LevelError Level = "error"
)

// MarshalText writes the level. A problem whose level was forgotten counts as an error.
func (l Level) MarshalText() ([]byte, error) {
	return []byte(l.OrError()), nil
}

// OrError is the level, or LevelError for the zero value.
func (l Level) OrError() Level {
	if l == "" {
		return LevelError
	}
	return l
}

// Problem says what could not be read or done, why, and what the reader can do about it.
type Problem struct {
	// Stable kebab-case id, meant for scripts.
	Code string `json:"code"`
	// What it did to the document: info explains a null, warning needs a look, error means that a fact is missing.
	Level Level `json:"level"`
	// Part of the work that met the problem, such as "disks" or "volumes".
	Stage string `json:"stage"`
	// What the problem is about: a volume's or a disk's id, a file, a policy; empty for the whole run.
	Target string `json:"target"`
	// One or two sentences for people: the thing, the reason and the way out.
	Text string `json:"text"`
	// Windows error code as 0x and eight hexadecimal digits; null when Windows gave none.
	HResult *string `json:"hresult"`
	// Symbolic name of the Windows error code; null when there is no code or no name for it.
	HResultName *string `json:"hresultName"`
	// True when trying again without changing anything can succeed.
	Retryable bool `json:"retryable"`
}
