//go:build !linux

package main

import "log"

func main() {
	log.Fatal("peers compares with fio on Linux; for diskspd and CrystalDiskMark on Windows see tests/peers/README.md")
}
