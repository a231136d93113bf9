// Package remediate kills "diskaudit remediate" at every point where it touches anything: each
// question and each change, each line of its journal, half-way through such a line, and with the
// loss of all that was not flushed. What it leaves behind, and what the next run makes of it, is
// held against what a person would have to rely on.
//
// The program runs in a process of its own, against a simulated computer in the process of the
// test, and keeps its journal on a file system that is served there too.
package remediate
