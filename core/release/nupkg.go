package main

import (
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"path"
	"slices"
	"strings"
)

// nupkg packs the module as NuGet packages are: a zip by the Open Packaging Conventions with the
// package's facts in a .nuspec (learn.microsoft.com/nuget/reference/nuspec).
func nupkg(r request, module []file) ([]byte, error) {
	nuspec, err := encodeXML(nuspecOf(r))
	if err != nil {
		return nil, err
	}
	properties, err := encodeXML(corePropertiesOf(r))
	if err != nil {
		return nil, err
	}
	files := slices.Clone(module)
	files = append(files, file{name: moduleName + ".nuspec", data: nuspec})
	// NuGet takes a random name; this one tells the contents.
	sum := sha256.Sum256(properties)
	propertiesName := fmt.Sprintf("package/services/metadata/core-properties/%x.psmdcp", sum[:16])
	files = append(files, file{name: propertiesName, data: properties})
	links, err := encodeXML(relationships{
		Xmlns: "http://schemas.openxmlformats.org/package/2006/relationships",
		Relationships: []relationship{
			{Type: "http://schemas.microsoft.com/packaging/2010/07/manifest", Target: "/" + moduleName + ".nuspec", ID: "R1"},
			{Type: "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties", Target: "/" + propertiesName, ID: "R2"},
		},
	})
	if err != nil {
		return nil, err
	}
	files = append(files, file{name: "_rels/.rels", data: links})
	types, err := encodeXML(contentTypesOf(files))
	if err != nil {
		return nil, err
	}
	return zipped(append(files, file{name: "[Content_Types].xml", data: types}))
}

type nuspec struct {
	XMLName  xml.Name `xml:"package"`
	Xmlns    string   `xml:"xmlns,attr"`
	Metadata struct {
		ID                       string `xml:"id"`
		Version                  string `xml:"version"`
		Authors                  string `xml:"authors"`
		Owners                   string `xml:"owners"`
		RequireLicenseAcceptance bool   `xml:"requireLicenseAcceptance"`
		ProjectURL               string `xml:"projectUrl,omitempty"`
		Description              string `xml:"description"`
		ReleaseNotes             string `xml:"releaseNotes,omitempty"`
		Copyright                string `xml:"copyright"`
		Tags                     string `xml:"tags"`
	} `xml:"metadata"`
}

func nuspecOf(r request) nuspec {
	var n nuspec
	n.Xmlns = "http://schemas.microsoft.com/packaging/2011/08/nuspec.xsd"
	m := &n.Metadata
	m.ID, m.Version = moduleName, r.Version
	m.Authors, m.Owners, m.Copyright = r.Manifest.Author, r.Manifest.Author, r.Manifest.Copyright
	m.Description, m.ReleaseNotes = r.Manifest.Description, r.Manifest.PrivateData.PSData.ReleaseNotes
	if r.ReleaseURL != "" {
		m.ProjectURL = projectURL(r.ReleaseURL)
	}
	m.Tags = strings.Join(packageTags(r.Manifest), " ")
	return n
}

// packageTags are the module's and those by which a gallery finds modules and their commands:
// learn.microsoft.com/powershell/gallery/concepts/package-manifest-affecting-ui
func packageTags(m moduleManifest) []string {
	tags := append(slices.Clone(m.PrivateData.PSData.Tags), "PSModule", "PSIncludes_Function")
	for _, edition := range m.CompatiblePSEditions {
		if tag := "PSEdition_" + edition; !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	for _, function := range m.FunctionsToExport {
		tags = append(tags, "PSFunction_"+function, "PSCommand_"+function)
	}
	return tags
}

type coreProperties struct {
	XMLName        xml.Name `xml:"coreProperties"`
	Xmlns          string   `xml:"xmlns,attr"`
	XmlnsDC        string   `xml:"xmlns:dc,attr"`
	Creator        string   `xml:"dc:creator"`
	Description    string   `xml:"dc:description"`
	Identifier     string   `xml:"dc:identifier"`
	Version        string   `xml:"version"`
	Keywords       string   `xml:"keywords"`
	LastModifiedBy string   `xml:"lastModifiedBy"`
}

func corePropertiesOf(r request) coreProperties {
	return coreProperties{
		Xmlns:   "http://schemas.openxmlformats.org/package/2006/metadata/core-properties",
		XmlnsDC: "http://purl.org/dc/elements/1.1/",
		Creator: r.Manifest.Author, Description: r.Manifest.Description, Identifier: moduleName, Version: r.Version,
		Keywords: strings.Join(packageTags(r.Manifest), " "), LastModifiedBy: "core/release",
	}
}

type relationships struct {
	XMLName       xml.Name       `xml:"Relationships"`
	Xmlns         string         `xml:"xmlns,attr"`
	Relationships []relationship `xml:"Relationship"`
}

type relationship struct {
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
	ID     string `xml:"Id,attr"`
}

type contentTypes struct {
	XMLName   xml.Name       `xml:"Types"`
	Xmlns     string         `xml:"xmlns,attr"`
	Defaults  []typeDefault  `xml:"Default"`
	Overrides []typeOverride `xml:"Override"`
}

type typeDefault struct {
	Extension   string `xml:"Extension,attr"`
	ContentType string `xml:"ContentType,attr"`
}

type typeOverride struct {
	PartName    string `xml:"PartName,attr"`
	ContentType string `xml:"ContentType,attr"`
}

// contentTypesOf gives every file of the package a type, as the Open Packaging Conventions want it:
// by its ending or, without one, by its name.
func contentTypesOf(files []file) contentTypes {
	known := map[string]string{
		"rels":   "application/vnd.openxmlformats-package.relationships+xml",
		"psmdcp": "application/vnd.openxmlformats-package.core-properties+xml",
	}
	types := contentTypes{Xmlns: "http://schemas.openxmlformats.org/package/2006/content-types"}
	seen := map[string]bool{}
	for _, one := range files {
		ending := strings.ToLower(strings.TrimPrefix(path.Ext(one.name), "."))
		if ending == "" {
			types.Overrides = append(types.Overrides, typeOverride{"/" + one.name, "application/octet-stream"})
			continue
		}
		if seen[ending] {
			continue
		}
		seen[ending] = true
		kind := known[ending]
		if kind == "" {
			kind = "application/octet-stream"
		}
		types.Defaults = append(types.Defaults, typeDefault{ending, kind})
	}
	return types
}

func encodeXML(value any) ([]byte, error) {
	data, err := xml.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(data, '\n')...), nil
}
