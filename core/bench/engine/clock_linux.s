// The body of now is the runtime's. The compiler accepts a function without a body in a package
// that has an assembly file.
