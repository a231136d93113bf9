package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// linkedModule is a Go module whose code is in an executable.
type linkedModule struct{ path, version, folder string }

// linkedModules asks go for the modules that the executables are linked with, and for Go itself.
func linkedModules(root string, executables []executable) ([]linkedModule, error) {
	found := map[linkedModule]bool{}
	for _, built := range executables {
		platform, _ := findPlatform(built.Platform)
		list, err := goOutput(root, platform, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./core")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
				found[linkedModule{fields[0], fields[1], fields[2]}] = true
			}
		}
	}
	about, err := goOutput(root, platforms[0], "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, folder, _ := strings.Cut(strings.TrimSpace(about), "\n")
	found[linkedModule{"The Go standard library and runtime", version, strings.TrimSpace(folder)}] = true
	var modules []linkedModule
	for module := range found {
		modules = append(modules, module)
	}
	slices.SortFunc(modules, func(a, b linkedModule) int { return strings.Compare(a.path, b.path) })
	return modules, nil
}

func goOutput(root string, target platform, arguments ...string) (string, error) {
	cmd := exec.Command("go", arguments...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+target.goos, "GOARCH="+target.goarch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(failed.Stderr))
		}
		return "", fmt.Errorf("go %s for %s: %w", arguments[0], target.name, err)
	}
	return string(out), nil
}

var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)(\.(md|txt))?$`)

// notices are the licenses of the modules, which want to be passed on with the code.
func notices(modules []linkedModule) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString("diskaudit contains software of others, under the licenses below.\n")
	for _, module := range modules {
		entries, err := os.ReadDir(module.folder)
		if err != nil {
			return nil, fmt.Errorf("looking for the license of %s: %w", module.path, err)
		}
		found := false
		for _, entry := range entries {
			if entry.IsDir() || !licenseName.MatchString(entry.Name()) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(module.folder, entry.Name()))
			if err != nil {
				return nil, fmt.Errorf("reading the license of %s: %w", module.path, err)
			}
			found = true
			fmt.Fprintf(&text, "\n%s\n%s %s\n%s\n\n", strings.Repeat("=", 80), module.path, module.version, strings.Repeat("=", 80))
			text.Write(bytes.TrimSpace(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))
			text.WriteByte('\n')
		}
		if !found {
			return nil, fmt.Errorf("%s %s has no license file in %s: install the whole module or, for Go itself, the release from https://go.dev/dl/", module.path, module.version, module.folder)
		}
	}
	return text.Bytes(), nil
}
