package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"diskaudit/core/contract"
)

func (s *session) schemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON schema of a kind of document",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "kind", Usage: "`KIND` of document: " + kindList(), Value: string(contract.KindStatus)},
			idleTimeout(),
		},
		Action: func(c *cli.Context) error {
			schema, err := contract.Schema(contract.Kind(c.String("kind")))
			if err != nil {
				return usagef("there is no schema of kind %q; there are %s", c.String("kind"), kindList())
			}
			if s.out.terminal {
				return s.out.raw(schema)
			}
			var line bytes.Buffer
			if err := json.Compact(&line, schema); err != nil {
				return fmt.Errorf("reading the embedded schema: %w", err)
			}
			return s.out.raw(append(contract.ASCII(line.Bytes()), '\n'))
		},
	}
}

func kindList() string {
	var kinds []string
	for _, kind := range contract.Kinds() {
		kinds = append(kinds, string(kind))
	}
	return strings.Join(kinds, ", ")
}
