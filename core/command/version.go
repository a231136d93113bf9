package command

import (
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"diskaudit/core/contract"
)

// version and commit are stamped by the build: -ldflags "-X diskaudit/core/command.version=1.2.3".
var (
	version = "0.0.0-dev"
	commit  = ""
)

// tool identifies this build.
func tool() contract.Tool {
	built := contract.Tool{Name: "diskaudit", Version: version}
	if commit != "" {
		built.Commit = &commit
		return built
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				built.Commit = &setting.Value
			}
		}
	}
	return built
}

func (s *session) versionCommand(kind *contract.Kind) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print which build this is",
		Flags: append(documentFlags(), idleTimeout()),
		Action: func(c *cli.Context) error {
			*kind = contract.KindVersion
			settings, err := s.settings(c)
			if err != nil {
				return err
			}
			document := contract.VersionDocument{
				Header:    header(contract.KindVersion),
				GoVersion: runtime.Version(),
				Platform:  runtime.GOOS + "/" + runtime.GOARCH,
			}
			document.Complete = true
			return s.write(settings, contract.KindVersion, &document, &document.Header, nil)
		},
	}
}
