package host

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// admx is a setting that device management hands over as in a policy template: enabled or disabled,
// and data by id (learn.microsoft.com/windows/client-management/understanding-admx-backed-policies).
type admx struct {
	enabled bool
	data    map[string]string
}

const (
	// admxLimit is how many bytes of such a text are read.
	admxLimit = 64 << 10
	// admxData is how many pieces of data one may have.
	admxData = 256
)

// parseADMX reads a text such as <enabled/><data id="Name" value="1"/>. It is a sequence of
// elements without a root; what is unknown in it is an error.
func parseADMX(text string) (admx, error) {
	parsed := admx{data: map[string]string{}}
	if len(text) > admxLimit {
		return parsed, fmt.Errorf("it has %d bytes, more than such a setting can have", len(text))
	}
	decoder := xml.NewDecoder(strings.NewReader("<setting>" + text + "</setting>"))
	states, depth, rooted := 0, 0, false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			// The error of the package quotes what it met, which is an administrator's own text.
			return parsed, errors.New("it is not well-formed XML")
		}
		switch element := token.(type) {
		case xml.StartElement:
			depth++
			switch name := element.Name.Local; {
			case depth == 1 && !rooted:
				rooted = true
			case depth == 2 && (name == "enabled" || name == "disabled"):
				states++
				parsed.enabled = name == "enabled"
			case depth == 2 && name == "data":
				id, value := attribute(element, "id"), attribute(element, "value")
				if _, twice := parsed.data[id]; twice || id == "" || len(parsed.data) == admxData {
					return parsed, errors.New("its data has no id, twice the same one, or is too much")
				}
				parsed.data[id] = value
			default:
				return parsed, errors.New("it has an element that such a setting does not have")
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if strings.TrimSpace(string(element)) != "" {
				return parsed, errors.New("it has text outside of elements")
			}
		}
	}
	if states != 1 {
		return parsed, errors.New("it is neither enabled nor disabled")
	}
	return parsed, nil
}

func attribute(element xml.StartElement, name string) string {
	for _, attribute := range element.Attr {
		if attribute.Name.Local == name {
			return attribute.Value
		}
	}
	return ""
}
