package compliance

//go:generate go run ./gen ../..
