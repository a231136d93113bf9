// Package rig runs the Windows executable on Linux: in a Wine prefix of its own, against a
// simulated computer whose BitLocker provider it reaches over COM. It is for tests; see New.
//
// Wine 8 has no BitLocker, no WMI of use, and lacks one function that every Go program needs. The
// rig adds them: bcryptprimitives.dll, and a COM bridge (folder bridge) that takes the place of
// WbemScripting.SWbemLocator and Shell.Application and passes each use of their objects on to the
// simulator (folder simulator). What is shown here is therefore the product, its COM and its
// command line, against Microsoft's documentation; not Windows itself.
package rig
