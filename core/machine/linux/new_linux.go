package linux

import "os"

// New returns this computer as a machine.Machine. Options.Probe is required.
func New(options Options) *Machine {
	root := options.Root
	if root == "" {
		root = "/"
	}
	return newMachine(options, os.DirFS(root), systemCalls{root: root, anyFile: options.Root != ""})
}
