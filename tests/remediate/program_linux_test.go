package remediate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/rpc"
	"os"
	"time"

	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows"
	"diskaudit/core/machine/windows/host"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/machine/windows/shell"
	"diskaudit/core/machine/windows/storage"
	"diskaudit/core/remediate"
	changes "diskaudit/core/remediate/windows"
)

// connection is the file by which the program reaches its computer: the first after stderr.
const connection = 3

// beProgram is the program on the computer at the other end of the connection.
func beProgram() int {
	stream, err := net.FileConn(os.NewFile(connection, "computer"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "reaching the computer: %v\n", err)
		return 1
	}
	far := &far{rpc.NewClient(stream)}
	if os.Args[1] == patiently {
		return far.runEach(os.Stdin, os.Stdout)
	}
	return far.run(os.Args, os.Stdout, os.Stderr)
}

// far is the computer as the program sees it.
type far struct{ client *rpc.Client }

// run is the program on that computer.
func (f *far) run(arguments []string, stdout, stderr io.Writer) int {
	return command.RunWith(context.Background(), arguments, stdout, stderr, command.Sources{
		Computer: f.machine,
		Changes: func() remediate.Computer {
			return changes.New(changes.Sources{Provider: func() provider.Caller { return f }, Registry: f, Cache: f})
		},
		Poll: time.Millisecond, Pauses: []time.Duration{time.Millisecond, time.Millisecond},
	})
}

// ask asks; a computer that does not answer any more has nobody left to speak to.
func (f *far) ask(method string, question Question) (Answer, error) {
	var answer Answer
	if err := f.client.Call("Computer."+method, question, &answer); err != nil {
		return Answer{}, fmt.Errorf("asking the simulated computer: %w", err)
	}
	return answer, answer.Fault.error()
}

// Connect, Volumes, Call and Close make it a provider.Caller.
func (f *far) Connect() error {
	_, err := f.ask("Connect", Question{})
	return err
}

func (f *far) Volumes() ([]provider.Row, error) {
	answer, err := f.ask("Volumes", Question{})
	return answer.Rows, err
}

func (f *far) Call(deviceID, method string, arguments ...*provider.Argument) (provider.Value, error) {
	question := Question{DeviceID: deviceID, Method: method}
	for _, argument := range arguments {
		question.In = append(question.In, Cell{argument.In})
		question.IsOut = append(question.IsOut, argument.IsOut)
	}
	answer, err := f.ask("Call", question)
	if err != nil {
		return nil, err
	}
	for i, argument := range arguments {
		argument.Out = answer.Out[i].Value
	}
	return answer.Returned.Value, nil
}

func (f *far) Close() {}

// Value, SetNumber and Delete make it a registry.Store, of which nothing else is asked.
func (f *far) Value(key, name string) (registry.Value, error) {
	answer, err := f.ask("Value", Question{DeviceID: key + `\` + name})
	switch {
	case err != nil:
		return registry.Value{}, err
	case !answer.There:
		return registry.Value{}, fs.ErrNotExist
	}
	return registry.Memory{key: {name: int(answer.Number)}}.Value(key, name)
}

func (f *far) Subkeys(string) ([]string, error) { return nil, fs.ErrNotExist }

func (f *far) Names(string) ([]string, error) { return nil, fs.ErrNotExist }

func (f *far) SetNumber(key, name string, value uint32) error {
	_, err := f.ask("Put", Question{DeviceID: key + `\` + name, Number: value})
	return err
}

func (f *far) Delete(key, name string) error {
	_, err := f.ask("Put", Question{DeviceID: key + `\` + name, Delete: true})
	return err
}

// Flushing and SetFlushing are those of disks' write caches.
func (f *far) Flushing(disk string) (bool, error) {
	answer, err := f.ask("Flushing", Question{DeviceID: disk})
	return answer.There, err
}

func (f *far) SetFlushing(disk string, on bool) error {
	_, err := f.ask("SetFlushing", Question{DeviceID: disk, On: on})
	return err
}

// machine is what "diskaudit status" asks of the computer.
func (f *far) machine(identify bool) machine.Machine {
	answer, err := f.ask("Facts", Question{})
	var asked facts
	if err == nil {
		err = json.Unmarshal(answer.Facts, &asked)
	}
	if err != nil {
		panic(err)
	}
	return windows.New(windows.Options{
		Identify: identify, Host: known{asked}, Storage: known{asked}, Provider: f, Shell: func() shell.Property { return nil },
	})
}

// known are the answers of Windows itself.
type known struct{ facts }

var (
	_ windows.Host    = known{}
	_ windows.Storage = known{}
)

func (k known) Machine(context.Context, bool) (contract.Machine, []contract.Problem) {
	return k.facts.Machine, nil
}

func (k known) Policy(ctx context.Context) (contract.Policy, []contract.Problem) {
	return host.New(nil, memory(k.Numbers)).Policy(ctx)
}

func (k known) Disks(_ context.Context, report *machine.Report, _ bool) {
	for _, disk := range k.facts.Disks {
		report.AddDisk(disk)
	}
}

func (k known) Volumes(context.Context) ([]contract.Volume, []contract.Problem) {
	return k.facts.Volumes, nil
}

// OpenDisk opens none: what only the metadata on a disk tells is not needed.
func (k known) OpenDisk(id string) (storage.RawDisk, int64, error) {
	return nil, 0, fmt.Errorf("opening %s: %w", id, fs.ErrPermission)
}
