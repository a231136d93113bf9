package host

// What numbers of settings mean, each on the page of the setting.
var (
	onOff       = map[uint64]string{0: "off", 1: "on"}
	allowance   = map[uint64]string{0: "not allowed", 1: "required", 2: "allowed"}
	permission  = map[uint64]string{0: "not allowed", 1: "allowed"}
	backup      = map[uint64]string{1: "recovery passwords and key packages", 2: "recovery passwords only"}
	amount      = map[uint64]string{0: "the user chooses", 1: "the whole volume", 2: "used space only"}
	ciphers     = map[uint64]string{3: "AES-CBC 128-bit", 4: "AES-CBC 256-bit", 6: "XTS-AES 128-bit", 7: "XTS-AES 256-bit"}
	ciphersPast = map[uint64]string{1: "AES 128-bit with diffuser", 2: "AES 256-bit with diffuser", 3: "AES 128-bit", 4: "AES 256-bit"}
	rotation    = map[uint64]string{0: "off", 1: "for computers joined to Entra ID", 2: "for computers joined to Entra ID, hybrid ones included"}
	management  = map[uint64]string{0: "disabled, which decrypts", 1: "demanded"}
)
