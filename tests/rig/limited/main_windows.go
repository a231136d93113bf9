// Command limited runs a program as the standard user that an administrator is before consent: with
// the limited token that is linked to the elevated one
// (learn.microsoft.com/windows/win32/api/winnt/ne-winnt-token_information_class, TokenLinkedToken).
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// failed is the exit code when the program could not be run at all.
const failed = 125

func main() {
	code, err := failed, errors.New("usage: limited PROGRAM [ARGUMENT...]")
	if len(os.Args) > 1 {
		code, err = run(os.Args[1], os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "limited:", err)
	}
	os.Exit(code) //nolint:forbidigo // This is the program's main.
}

func run(program string, arguments []string) (int, error) {
	token, err := limitedToken()
	if err != nil {
		return failed, err
	}
	defer token.Close()
	cmd := exec.Command(program, arguments...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// Otherwise the environment would be the one that the token's user starts with.
	cmd.Env = os.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Token: syscall.Token(token)}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return failed, fmt.Errorf("starting %s: %w", program, err)
	}
	return 0, nil
}

// limitedToken is the linked token as a primary one, with which a process can be started
// (learn.microsoft.com/windows/win32/api/securitybaseapi/nf-securitybaseapi-duplicatetokenex).
func limitedToken() (windows.Token, error) {
	linked, err := windows.GetCurrentProcessToken().GetLinkedToken()
	if err != nil {
		return 0, fmt.Errorf("asking for the linked token: %w", err)
	}
	defer linked.Close()
	var primary windows.Token
	if err := windows.DuplicateTokenEx(linked, windows.MAXIMUM_ALLOWED, nil, windows.SecurityImpersonation, windows.TokenPrimary, &primary); err != nil {
		return 0, fmt.Errorf("making a primary token of the linked one: %w", err)
	}
	return primary, nil
}
