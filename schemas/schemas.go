// Package schemas embeds the published JSON schemas. They are generated from package contract
// by "go generate ./core/contract".
package schemas

import "embed"

// Files holds one file per kind of document, named "<kind>.schema.json".
//
//go:embed *.schema.json
var Files embed.FS
