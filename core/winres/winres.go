// Package winres holds what becomes the resources of diskaudit.exe: winres.json the version
// information, diskaudit.manifest the application manifest.
//
// # The object files
//
// go build links core/rsrc_windows_amd64.syso and rsrc_windows_arm64.syso into the executable.
// They are generated from this folder, and committed: Windows treats a program without a manifest
// as one made for Windows Vista, so every build, a plain go build or go run too, has to have it
// for what is developed and tested to be what is released. A test makes them anew and compares.
// The committed ones carry the version of a development build. build.ps1 stamps the version that
// it builds, and puts the committed ones back.
//
// # The manifest
//
// supportedOS names Windows 10, which stands for all later ones and for Server 2016 and later:
// without it GetVersionEx answers Windows 8, and GetOverlappedResult keeps a race of Windows Vista
// (learn.microsoft.com/windows/win32/sysinfo/targeting-your-application-at-windows-8-1,
// learn.microsoft.com/windows/win32/win7appqual/compatibility---application-manifest).
//
// asInvoker: a standard user gets an answer, too, so elevation is never asked for.
//
// longPathAware: paths longer than 260 characters, where the computer's LongPathsEnabled allows
// them (learn.microsoft.com/windows/win32/fileio/maximum-file-path-limitation). Go's runtime asks
// for the same by itself, but in a way that is not documented.
//
// Not set is what would have no effect. activeCodePage changes what the ANSI functions of Windows
// take and give (learn.microsoft.com/windows/apps/design/globalizing/use-utf8-code-page): the
// program calls the Unicode ones, and writes ASCII. The others of
// learn.microsoft.com/windows/win32/sbscs/application-manifests concern windows, printing and
// packages.
//
// # The version information
//
// The strings are those of learn.microsoft.com/windows/win32/menurc/versioninfo-resource.
// CompanyName is left out: no company makes this program. FileVersion is the version's three
// numbers and a zero; ProductVersion is the whole version, such as 1.2.3-rc.1. There is no icon:
// a console program is not started from one.
package winres

//go:generate go tool go-winres make --in winres.json --out ../rsrc --arch amd64,arm64
