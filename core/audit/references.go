package audit

// The pages that findings rest on.
const (
	bitLockerPages = "https://learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker/"
	secProvPages   = "https://learn.microsoft.com/windows/win32/secprov/"
	commandPages   = "https://learn.microsoft.com/windows-server/administration/windows-commands/"

	// Device encryption: when Windows encrypts by itself, when it protects, what prevents it.
	pageBitLocker = bitLockerPages
	// Cost, difference of suspending and decrypting, used space, virtual machines.
	pageFAQ = bitLockerPages + "faq"
	// Waiting for activation, protectors, resume, unlock, decrypt.
	pageOperations = bitLockerPages + "operations-guide"
	// Policy settings.
	pageConfigure = bitLockerPages + "configure"
	// BitLocker on Windows Server is a feature that has to be installed.
	pageInstallServer = bitLockerPages + "install-server"

	pageProvider         = secProvPages + "win32-encryptablevolume"
	pageProtectionStatus = secProvPages + "getprotectionstatus-win32-encryptablevolume"
	pageConversionStatus = secProvPages + "getconversionstatus-win32-encryptablevolume"
	pageHardwareTest     = secProvPages + "gethardwareteststatus-win32-encryptablevolume"
	pageEncryptionMethod = secProvPages + "getencryptionmethod-win32-encryptablevolume"

	pageRepair        = commandPages + "repair-bde"
	pageWipeFreeSpace = commandPages + "manage-bde-wipefreespace"

	pageSuspend     = "https://learn.microsoft.com/powershell/module/bitlocker/suspend-bitlocker"
	pageReliability = "https://learn.microsoft.com/powershell/module/storage/get-storagereliabilitycounter"

	// RequireDeviceEncryption; "disabling the policy does not turn off the encryption".
	pageCSP = "https://learn.microsoft.com/windows/client-management/mdm/bitlocker-csp"

	pageWriteCache = "https://learn.microsoft.com/windows-hardware/drivers/storage/querying-for-the-write-cache-property"
	pageSectors    = "https://learn.microsoft.com/windows/win32/win7appqual/512-byte-emulation--512e--disk-compatibility-update"
	pagePowercfg   = "https://learn.microsoft.com/windows-hardware/design/device-experiences/powercfg-command-line-options"
	pageCPUFreq    = "https://docs.kernel.org/admin-guide/pm/cpufreq.html"
	pageSQLStorage = "https://learn.microsoft.com/azure/azure-sql/virtual-machines/windows/performance-guidelines-best-practices-storage"

	// Advisory on self-encrypting drives, November 2018 (CVE-2018-12037, CVE-2018-12038).
	pageAdvisory = "https://msrc.microsoft.com/update-guide/vulnerability/ADV180028"

	// Microsoft's announcement of hardware-accelerated BitLocker.
	pageOffload = "https://techcommunity.microsoft.com/blog/windows-itpro-blog/announcing-hardware-accelerated-bitlocker/4474609"
)
