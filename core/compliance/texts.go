package compliance

import "fmt"

// languages are the languages of the texts by Intune's names; en_US has to be there
// (learn.microsoft.com/intune/device-security/compliance/create-custom-json).
var languages = []string{"en_US", "de_DE", "zh_CN"}

// text is a title and a description.
type text struct{ title, description string }

// texts tell the person at the computer what is wrong and what to do: by setting, in the order of languages.
var texts = map[string][3]text{
	ModuleInstalled: {
		{
			"The program that checks the disks is not installed.",
			"Your organization installs BitLockerDiskAudit by itself. Sync this computer in the Company Portal, wait an hour and check again. If this stays, tell your support.",
		},
		{
			"Das Programm, das die Datenträger prüft, ist nicht installiert.",
			"Ihre Organisation installiert BitLockerDiskAudit von selbst. Synchronisieren Sie diesen Computer im Unternehmensportal, warten Sie eine Stunde und prüfen Sie erneut. Bleibt es dabei, wenden Sie sich an Ihren Support.",
		},
		{
			"检查磁盘的程序未安装。",
			"组织会自动安装 BitLockerDiskAudit。请在“公司门户”中同步此计算机，等待一小时后重新检查。如果问题仍然存在，请联系技术支持。",
		},
	},
	"ToolVersion": {
		{
			"The program that checks the disks is version {ActualValue}; needed is " + oldest + " or later.",
			"0.0.0 means that it could not be run: security software may have removed a part of it. Your organization updates BitLockerDiskAudit by itself. Sync this computer in the Company Portal, wait an hour and check again. If this stays, tell your support.",
		},
		{
			"Das Programm, das die Datenträger prüft, hat die Version {ActualValue}; nötig ist " + oldest + " oder neuer.",
			"0.0.0 heißt, dass es nicht ausgeführt werden konnte: Sicherheitssoftware kann einen Teil davon entfernt haben. Ihre Organisation aktualisiert BitLockerDiskAudit von selbst. Synchronisieren Sie diesen Computer im Unternehmensportal, warten Sie eine Stunde und prüfen Sie erneut. Bleibt es dabei, wenden Sie sich an Ihren Support.",
		},
		{
			"检查磁盘的程序版本为 {ActualValue}，需要 " + oldest + " 或更高版本。",
			"0.0.0 表示程序无法运行：安全软件可能删除了其中的一部分。组织会自动更新 BitLockerDiskAudit。请在“公司门户”中同步此计算机，等待一小时后重新检查。如果问题仍然存在，请联系技术支持。",
		},
	},
	"State": {
		{
			"Whether the disks of this computer are encrypted could not be found out.",
			"Unlock built-in drives that are locked, restart the computer and check again. If this stays, tell your support.",
		},
		{
			"Ob die Datenträger dieses Computers verschlüsselt sind, ließ sich nicht feststellen.",
			"Entsperren Sie gesperrte eingebaute Laufwerke, starten Sie den Computer neu und prüfen Sie erneut. Bleibt es dabei, wenden Sie sich an Ihren Support.",
		},
		{
			"无法确定此计算机的磁盘是否已加密。",
			"请解锁已锁定的内置驱动器，重新启动计算机，然后重新检查。如果问题仍然存在，请联系技术支持。",
		},
	},
	"UnknownVolumes": {
		{
			"Built-in drives whose encryption could not be read: {ActualValue}.",
			"A locked drive counts, and -1 means that not even their number is known. Unlock locked drives, restart the computer and check again. If this stays, tell your support.",
		},
		{
			"Eingebaute Laufwerke, deren Verschlüsselung nicht gelesen werden konnte: {ActualValue}.",
			"Ein gesperrtes Laufwerk zählt mit, und -1 heißt, dass nicht einmal ihre Zahl bekannt ist. Entsperren Sie gesperrte Laufwerke, starten Sie den Computer neu und prüfen Sie erneut. Bleibt es dabei, wenden Sie sich an Ihren Support.",
		},
		{
			"无法读取加密状态的内置驱动器数量：{ActualValue}。",
			"已锁定的驱动器也计算在内；-1 表示连数量也无法确定。请解锁已锁定的驱动器，重新启动计算机，然后重新检查。如果问题仍然存在，请联系技术支持。",
		},
	},
	"Unprotected": {
		{
			"Drives that are encrypted but not protected: {ActualValue}.",
			"Whoever gets hold of the disk can read it, and -1 means that it could not be found out. While Windows encrypts or decrypts a drive this is so, and ends by itself. Otherwise open Manage BitLocker from Start and choose Resume protection or Turn on BitLocker. If neither is there, tell your support.",
		},
		{
			"Laufwerke, die verschlüsselt, aber nicht geschützt sind: {ActualValue}.",
			"Wer den Datenträger in die Hand bekommt, kann ihn lesen; -1 heißt, dass es sich nicht feststellen ließ. Während Windows ein Laufwerk ver- oder entschlüsselt, ist das so und endet von selbst. Öffnen Sie sonst über Start „BitLocker verwalten“ und wählen Sie „Schutz fortsetzen“ oder „BitLocker aktivieren“. Fehlt beides, wenden Sie sich an Ihren Support.",
		},
		{
			"已加密但未受保护的驱动器数量：{ActualValue}。",
			"任何人拿到该磁盘都能读取其中的数据；-1 表示无法确定。在 Windows 加密或解密驱动器期间会出现这种情况，结束后会自行消失。否则，请从“开始”打开“管理 BitLocker”，选择“恢复保护”或“启用 BitLocker”。如果没有这些选项，请联系技术支持。",
		},
	},
	"OsProtection": {
		{
			"Whether the Windows drive of this computer is protected could not be found out.",
			"Restart the computer and check again. If this stays, tell your support.",
		},
		{
			"Ob das Windows-Laufwerk dieses Computers geschützt ist, ließ sich nicht feststellen.",
			"Starten Sie den Computer neu und prüfen Sie erneut. Bleibt es dabei, wenden Sie sich an Ihren Support.",
		},
		{
			"无法确定此计算机的 Windows 驱动器是否受保护。",
			"请重新启动计算机，然后重新检查。如果问题仍然存在，请联系技术支持。",
		},
	},
	"Critical": {
		{
			"Critical findings about the disks of this computer: {ActualValue}.",
			"A disk warns of failure, data of BitLocker is damaged, or writing is not safe; -1 means that it could not be found out. Copy your files to another place now and tell your support.",
		},
		{
			"Kritische Befunde zu den Datenträgern dieses Computers: {ActualValue}.",
			"Ein Datenträger warnt vor einem Ausfall, Daten von BitLocker sind beschädigt, oder das Schreiben ist nicht sicher; -1 heißt, dass es sich nicht feststellen ließ. Kopieren Sie Ihre Dateien jetzt an einen anderen Ort und wenden Sie sich an Ihren Support.",
		},
		{
			"此计算机磁盘的严重问题数量：{ActualValue}。",
			"磁盘发出故障警告、BitLocker 的数据已损坏，或写入不安全；-1 表示无法确定。请立即将文件复制到其他位置，并联系技术支持。",
		},
	},
}

// stringsOf are the texts of a rule in Intune's form.
func stringsOf(setting string) ([]remediationString, error) {
	said, found := texts[setting]
	if !found {
		return nil, fmt.Errorf("making the rule for %s: it has no texts", setting)
	}
	var all []remediationString
	for i, language := range languages {
		all = append(all, remediationString{language, said[i].title, said[i].description})
	}
	return all, nil
}
