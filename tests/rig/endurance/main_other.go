//go:build !windows

package main

func main() { panic("this program is for Windows") }
