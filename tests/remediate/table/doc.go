// Package table holds "diskaudit remediate" against a table: a simulated computer in every state,
// crossed with every action, with and without consent, with and without overrides. What has to come
// of each row is worked out from the documented rules alone, by a reading of them that shares nothing
// with the program. Beside the table, each answer with which Windows can refuse is put in at every
// step, and what other programs, disks and drives do meanwhile.
//
// All of it runs in one process, in time that passes only while everybody waits.
package table
