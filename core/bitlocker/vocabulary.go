// Package bitlocker holds BitLocker's vocabulary: what the numbers on disk and the error codes
// of its provider mean, in the words of the contract.
package bitlocker

import (
	"fmt"

	"diskaudit/core/bitlocker/ondisk"
	"diskaudit/core/contract"
)

var methods = map[ondisk.Method]contract.Method{
	ondisk.Aes128Diffuser: contract.Aes128Diffuser,
	ondisk.Aes256Diffuser: contract.Aes256Diffuser,
	ondisk.Aes128:         contract.Aes128,
	ondisk.Aes256:         contract.Aes256,
	ondisk.XtsAes128:      contract.XtsAes128,
	ondisk.XtsAes256:      contract.XtsAes256,
}

// MethodOnDisk translates a cipher's number on disk into WMI's. A number that is not known
// stays as it is and is thereby "Unrecognized": numbers on disk begin at 0x8000, where WMI has none.
func MethodOnDisk(method ondisk.Method) contract.Method {
	if known, ok := methods[method]; ok {
		return known
	}
	if method < 0x8000 {
		return contract.Method(0x10000 + int64(method))
	}
	return contract.Method(method)
}

var protectors = map[ondisk.Protection]contract.ProtectorType{
	ondisk.ClearKey:         contract.ClearKey,
	ondisk.Tpm:              contract.Tpm,
	ondisk.StartupKey:       contract.ExternalKey,
	ondisk.TpmPin:           contract.TpmPin,
	ondisk.RecoveryPassword: contract.RecoveryPassword,
	ondisk.SmartCard:        contract.PublicKey,
	ondisk.Password:         contract.Password,
}

// ProtectorOnDisk translates a protection's number on disk into WMI's protector type. A number
// that is not known becomes contract.OnDiskProtector plus the number, which is "Unrecognized".
func ProtectorOnDisk(protection ondisk.Protection) contract.ProtectorType {
	if known, ok := protectors[protection]; ok {
		return known
	}
	return contract.OnDiskProtector + contract.ProtectorType(protection)
}

// ConversionOnDisk translates the pair of states on disk into a conversion state. Only pairs
// whose meaning two independent sources agree on are translated: 4/4 (cryptsetup accepts no
// other as a complete volume) and 5/1 (libbde saw it on a partly decrypted volume, dislocker
// names its halves "switching paused" and "decrypted"). For any other pair the result is nil
// and the reason says so.
func ConversionOnDisk(state, next ondisk.State) (conversion *contract.Conversion, reason string) {
	switch [2]ondisk.State{state, next} {
	case [2]ondisk.State{ondisk.StateEncrypted, ondisk.StateEncrypted}:
		return contract.Ptr(contract.FullyEncrypted), ""
	case [2]ondisk.State{ondisk.StateSwitchingPaused, ondisk.StateDecrypted}:
		return contract.Ptr(contract.DecryptionPaused), ""
	}
	return nil, fmt.Sprintf("The metadata gives the state pair %d/%d, whose meaning is not documented: the volume may be changing. Its conversion state is unknown here; ask the running Windows.", state, next)
}
