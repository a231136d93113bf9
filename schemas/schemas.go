// Package schemas embeds the published JSON schemas. They are generated from package contract
// by "go generate ./core/contract".
package schemas

import _ "embed"

// The schemas by kind of document. They are shared and must not be changed.
var (
	//go:embed status.schema.json
	Status []byte
	//go:embed bench.schema.json
	Bench []byte
	//go:embed remediate.schema.json
	Remediate []byte
	//go:embed report.schema.json
	Report []byte
	//go:embed profiles.schema.json
	Profiles []byte
	//go:embed version.schema.json
	Version []byte
)
