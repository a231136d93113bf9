package simulator

// StateMethods are the names of the methods that tell a state and reveal no secret.
func StateMethods() []string {
	var names []string
	for _, method := range methods {
		if !method.secret && !method.changes {
			names = append(names, method.name)
		}
	}
	return names
}

// OutParameters are the names of a method's out parameters.
func OutParameters(method string) []string {
	var names []string
	if found, known := find(method); known {
		for _, parameter := range found.parameters {
			if parameter.out {
				names = append(names, parameter.name)
			}
		}
	}
	return names
}
