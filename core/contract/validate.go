package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"diskaudit/schemas"
)

// Kinds lists the kinds of documents that have a schema.
func Kinds() []Kind {
	return []Kind{KindStatus, KindBench, KindRemediate, KindReport, KindProfiles, KindVersion}
}

// ErrNoSchema means that there is no schema for a kind.
var ErrNoSchema = errors.New("no schema for this kind of document")

// Schema returns the published schema of a kind of document, as committed. It must not be changed.
func Schema(kind Kind) ([]byte, error) {
	data, ok := published[kind]
	if !ok {
		return nil, fmt.Errorf("%q: %w", kind, ErrNoSchema)
	}
	return data, nil
}

var published = map[Kind][]byte{KindStatus: schemas.Status, KindBench: schemas.Bench, KindRemediate: schemas.Remediate, KindReport: schemas.Report, KindProfiles: schemas.Profiles, KindVersion: schemas.Version}

// Validate checks a document against the published schema of its kind. Formats, such as that of
// a date, are annotations to it, as they are to most validators.
func Validate(kind Kind, document []byte) error {
	schema, err := written.of(kind)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var instance any
	if err := decoder.Decode(&instance); err != nil {
		return fmt.Errorf("reading the %s document as JSON: %w", kind, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the %s document as JSON: something follows it", kind)
	}
	if err := schema.check(schema, "", instance); err != nil {
		return fmt.Errorf("the %s document does not follow its schema: %w", kind, err)
	}
	return nil
}

var written = schemaCache{prepare: func(*schemaNode) {}}

// schemaCache holds schemas that were read, each prepared once for what it checks.
type schemaCache struct {
	prepare func(*schemaNode)
	mu      sync.Mutex
	read    map[Kind]*schemaNode
}

func (c *schemaCache) of(kind Kind) (*schemaNode, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if schema, ok := c.read[kind]; ok {
		return schema, nil
	}
	data, err := Schema(kind)
	if err != nil {
		return nil, err
	}
	schema, err := readSchema(data)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded schema of %s: %w", kind, err)
	}
	c.prepare(schema)
	if c.read == nil {
		c.read = map[Kind]*schemaNode{}
	}
	c.read[kind] = schema
	return schema, nil
}
