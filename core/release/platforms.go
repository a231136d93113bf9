package main

// platform is a kind of computer that there is an executable for, and what others call it.
type platform struct {
	name, goos, goarch, file string
	// winget: learn.microsoft.com/windows/package-manager/package/manifest, "Architecture".
	winget string
	// scoop: github.com/ScoopInstaller/Scoop/wiki/App-Manifests, "architecture".
	scoop string
}

var platforms = []platform{
	{name: "win-x64", goos: "windows", goarch: "amd64", file: "diskaudit.exe", winget: "x64", scoop: "64bit"},
	{name: "win-arm64", goos: "windows", goarch: "arm64", file: "diskaudit.exe", winget: "arm64", scoop: "arm64"},
	{name: "linux-x64", goos: "linux", goarch: "amd64", file: "diskaudit"},
	{name: "linux-arm64", goos: "linux", goarch: "arm64", file: "diskaudit"},
}

func findPlatform(name string) (platform, bool) {
	for _, one := range platforms {
		if one.name == name {
			return one, true
		}
	}
	return platform{}, false
}

// archive is the name of the zip with the platform's executable.
func (p platform) archive(version string) string {
	return "diskaudit-" + version + "-" + p.name + ".zip"
}
