// Package layers makes, for tests, what a measurement of disks has to be tested against: layers
// whose cost is known, disks that fail in known ways, and devices that are steady.
//
//	views := layers.Mount(t, disk, layers.Options{Delay: 50 * time.Microsecond})
//	// views.Slow takes 50 us longer for each read than views.Bare; both show the bytes of disk.
//
//	folder := layers.Folder(t, layers.FolderOptions{WriteBytesPerSecond: 20e6})
//	// folder.Path takes files, at 20 MB/s.
//
//	disk := layers.RAMDisk(t, 256<<20)                    // a block device full of random bytes
//	loop := layers.Loop(t, disk, 1<<20)                   // a layer that changes nothing
//	root := layers.FileSystem(t, disk, "ext4")            // a mounted file system on a device
//	plain := layers.Dislocker(t, image, "password")       // a real BitLocker volume, decrypted
//
// Each function skips the test by name, through tests/require, where the computer lacks what it
// needs. Everything goes away at the end of the test, and also when the test's process ends
// without coming to that. What is made later goes away earlier, so that a file system on a RAM
// disk is unmounted before the disk is removed.
//
// It works on Linux only; so tests that use it are for Linux only.
package layers
