package rig

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds a main package of the project for Windows, once for the test program, and returns
// its path on this computer.
func (r *Rig) Build(folder, name string) string {
	r.t.Helper()
	return r.build(name, "build", "-o", "{}", folder)
}

// BuildTests builds the tests of a package for Windows, likewise.
func (r *Rig) BuildTests(folder, name string) string {
	r.t.Helper()
	return r.build(name, "test", "-c", "-o", "{}", folder)
}

// build runs the go command with "{}" replaced by the program's path.
func (r *Rig) build(name string, arguments ...string) string {
	r.t.Helper()
	p := r.prefix
	p.mu.Lock()
	defer p.mu.Unlock()
	if path, done := p.built[name]; done {
		return path
	}
	// On drive C:, since tests may take away the drive Z: that stands for this computer's files.
	path := filepath.Join(p.folder, "drive_c", name)
	for i, argument := range arguments {
		if argument == "{}" {
			arguments[i] = path
		}
	}
	cmd := exec.Command("go", arguments...)
	cmd.Dir = p.root
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("building %s for Windows: %v\n%s", name, err, out)
	}
	p.built[name] = path
	return path
}
