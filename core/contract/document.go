// Package contract holds the documents that diskaudit writes: their types, their coded values,
// their problems, their JSON schemas and their encoding. It knows nothing of how facts are
// gathered, and imports nothing of the project's but the embedded schemas.
package contract

import "time"

// SchemaVersion is the version of every document that this build writes. The major part changes
// when a consumer of an older document would break; the minor part when fields are added.
const SchemaVersion = "1.0"

// Kind names what a document answers.
type Kind string

// The kinds of documents.
const (
	KindStatus    Kind = "status"
	KindBench     Kind = "bench"
	KindRemediate Kind = "remediate"
	KindReport    Kind = "report"
	KindProfiles  Kind = "profiles"
	KindVersion   Kind = "version"
)

// Header opens every document.
type Header struct {
	// Version of the schema that the document follows, as "major.minor".
	SchemaVersion string `json:"schemaVersion"`
	// Which document this is.
	Kind Kind `json:"kind"`
	// The program that wrote the document.
	Tool Tool `json:"tool"`
	// When the facts were gathered, UTC, RFC 3339, to the second.
	CollectedAt time.Time `json:"collectedAt"`
	// False when a fact that was asked for could not be read; problems of level error say which.
	Complete bool `json:"complete"`
	// Everything that went wrong or explains a null, the problems of single volumes included.
	Problems List[Problem] `json:"problems"`
}

// Tool identifies the build that wrote a document.
type Tool struct {
	// Name of the program.
	Name string `json:"name"`
	// Version of the program; "0.0.0-dev" for a build that was not stamped.
	Version string `json:"version"`
	// Source revision that the build was made from; null when the build was not told.
	Commit *string `json:"commit"`
}

// VersionDocument answers "diskaudit version".
type VersionDocument struct {
	Header
	// Go release that built the program.
	GoVersion string `json:"goVersion"`
	// Operating system and architecture that the program was built for, such as "windows/amd64".
	Platform string `json:"platform"`
}

// List is a slice that is written as [] when it is empty, never as null: an absent list is
// known to be empty. A list that can be unknown is a plain slice, where nil is unknown.
type List[T any] []T

// MarshalJSON writes an empty list as [].
func (l List[T]) MarshalJSON() ([]byte, error) {
	if len(l) == 0 {
		return []byte("[]"), nil
	}
	return marshal([]T(l))
}
