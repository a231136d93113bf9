package comparison

import (
	"encoding/json"
	"strconv"
	"strings"

	"diskaudit/core/contract"
)

// isOwn knows a document of this program by the members that open every one of them.
func isOwn(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && strings.Contains(text, `"schemaVersion"`)
}

// ownHeader is what tells whether the rest can be read.
type ownHeader struct {
	SchemaVersion *string        `json:"schemaVersion"`
	Kind          *contract.Kind `json:"kind"`
}

// readOwn reads a bench document. Fields that a later minor version of the schema added are passed over.
func readOwn(s source) (*Result, error) {
	if err := s.countValues(); err != nil {
		return nil, err
	}
	var header ownHeader
	if err := json.Unmarshal([]byte(s.text), &header); err != nil {
		return nil, s.badJSON(err, "Copy the document again, whole.")
	}
	if header.SchemaVersion == nil || header.Kind == nil {
		return nil, s.errorf(CodeDamaged, "", "the document has no schemaVersion or no kind at its root. Give a document as diskaudit bench wrote it.")
	}
	if err := s.checkVersion(*header.SchemaVersion); err != nil {
		return nil, err
	}
	if *header.Kind != contract.KindBench {
		return nil, s.errorf(CodeWrongKind, "", "this is a %q document, and only a bench document has figures to compare with. Give one that diskaudit bench wrote.", shorten(string(*header.Kind)))
	}
	if err := contract.Validate(contract.KindBench, []byte(s.text)); err != nil {
		return nil, s.errorf(CodeDamaged, "", "%v. It was changed after it was written, or comes from a newer diskaudit; give the file as it was written.", err)
	}
	var bench contract.Bench
	if err := json.Unmarshal([]byte(s.text), &bench); err != nil {
		return nil, s.badJSON(err, "It was changed after it was written, or comes from a newer diskaudit; give the file as it was written.")
	}
	version, collected := bench.Tool.Version, bench.CollectedAt
	result := &Result{
		Baseline: contract.Baseline{Path: s.path, Format: contract.Ptr(contract.BaselineDiskaudit), Version: &version},
		Document: &bench,
		Tests:    latest(bench),
	}
	if !collected.IsZero() {
		result.Baseline.CollectedAt = &collected
	}
	if len(bench.Tests) == 0 {
		return nil, s.errorf(CodeNoResult, "", "the document has no test: the run ended before the first. Give the document of a complete run.")
	}
	if !bench.Complete {
		result.Notes = append(result.Notes, note("baseline-incomplete", "The baseline's run was not complete; its problems say what is missing. Tests that it has are compared."))
	}
	return result, nil
}

// checkVersion accepts any minor version of the major version that this build writes.
func (s source) checkVersion(version string) error {
	major, _, _ := strings.Cut(contract.SchemaVersion, ".")
	theirs, minor, ok := strings.Cut(version, ".")
	_, errMajor := strconv.ParseUint(theirs, 10, 32)
	_, errMinor := strconv.ParseUint(minor, 10, 32)
	if !ok || errMajor != nil || errMinor != nil {
		return s.errorf(CodeDamaged, "", "schemaVersion %q is no version. Give a document as diskaudit bench wrote it.", shorten(version))
	}
	if theirs != major {
		return s.errorf(CodeVersion, "", "the document follows version %s of the schema, and this diskaudit reads %s.x. Compare with the diskaudit that wrote it, or measure the baseline again.", shorten(version), major)
	}
	return nil
}
