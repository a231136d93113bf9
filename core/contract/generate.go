package contract

//go:generate go run ./gen ../..
