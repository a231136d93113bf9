// Package remediate undoes software BitLocker: it makes a plan from the facts of a computer, holds
// it against guards, carries it out step by step with a journal, and takes it back where that is
// possible. Plan and guards are pure; what they are carried out on stands behind Computer.
//
// Rules that hold everywhere here: what is not known never leads to a change; no key protector is
// ever deleted; every change is in the journal, with what was there before, before it is made.
package remediate
