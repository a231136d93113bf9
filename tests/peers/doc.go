// Command peers runs fio and "diskaudit bench" in turns on one device, with equal work, and prints
// how their figures compare: ratios, as medians over the runs, with their spread. It asserts
// nothing. README.md says what is equal and what is not, and how to do the same with diskspd and
// CrystalDiskMark on Windows.
//
//	go run ./tests/peers
//	go run ./tests/peers --device /dev/nvme0n1 --folder /home --runs 9 --seconds 10
package main
