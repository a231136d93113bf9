package bench

import (
	"diskaudit/core/bench/target"
	"diskaudit/core/bench/validity"
)

// judged are the target's facts as validity judges them.
func judged(facts target.Facts) validity.Facts {
	fact := func(value *bool, name target.Fact) validity.Fact {
		return validity.Fact{Known: value != nil, True: value != nil && *value, Evidence: facts.Evidence(name)}
	}
	return validity.Facts{
		InMemory:   fact(facts.InMemory, target.FactInMemory),
		Sparse:     fact(facts.Sparse, target.FactSparse),
		Unwritten:  fact(facts.Zeros, target.FactZeros),
		Compressed: fact(facts.Compressed, target.FactCompressed),
		Encrypted:  fact(facts.Encrypted, target.FactEncrypted),
		Cached:     fact(facts.Cached, target.FactCached),
	}
}
