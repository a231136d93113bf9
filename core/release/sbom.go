package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// billOfMaterials reads what cyclonedx-gomod wrote of an executable, without the hashes of
// cyclonedx-gomod itself: they differ between the computers that build, and say nothing of the executable.
func billOfMaterials(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the bill of materials: %w", err)
	}
	var bom map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&bom); err != nil {
		return nil, fmt.Errorf("reading the bill of materials %s: %w", path, err)
	}
	metadata, _ := bom["metadata"].(map[string]any)
	tools, _ := metadata["tools"].([]any)
	components, _ := bom["components"].([]any)
	if bom["bomFormat"] != "CycloneDX" || len(tools) == 0 || len(components) == 0 {
		return nil, fmt.Errorf("%s is no CycloneDX bill of materials that names its tool and its components", path)
	}
	for _, tool := range tools {
		if one, ok := tool.(map[string]any); ok {
			delete(one, "hashes")
		}
	}
	return indented(bom)
}

// indented is a value as JSON for people and programs to read.
func indented(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
