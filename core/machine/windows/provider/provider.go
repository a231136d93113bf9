// Package provider asks BitLocker's WMI provider, the class Win32_EncryptableVolume, for the state
// of volumes. It calls the methods that tell a state and none that hands out a secret.
package provider

// Namespace is where the class lies (learn.microsoft.com/windows/win32/secprov/win32-encryptablevolume).
const Namespace = `root\CIMV2\Security\MicrosoftVolumeEncryption`
