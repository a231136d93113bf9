package cli_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

// truth is what another tool reads from a volume, cryptsetup's bitlkDump, with method and
// protectors in the words of Microsoft's PowerShell.
type truth struct {
	SectorBytes, VolumeBytes uint64
	GUID, Method             string
	Protectors               []string
	Description              string
	Created                  time.Time
}

// realVolumes unpacks the volumes that Windows made, and returns their truth by path.
func realVolumes(t testing.TB) map[string]truth {
	t.Helper()
	archive := require.Shared(t, "bitlocker-images", "data/bitlocker-images.tar.xz")
	table, err := os.Open(require.Shared(t, "bitlocker-images", "data/bitlocker-images.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	reader := csv.NewReader(table)
	reader.Comma = '\t'
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	require.Tool(t, "xz")
	dir, err := unpacked(archive)
	if err != nil {
		t.Fatal(err)
	}
	volumes := map[string]truth{}
	for _, row := range rows[1:] {
		number := func(text string) uint64 {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		created, err := time.Parse(time.RFC3339, row[7])
		if err != nil {
			t.Fatal(err)
		}
		volumes[filepath.Join(dir, row[0])] = truth{
			SectorBytes: number(row[1]), VolumeBytes: number(row[2]), GUID: row[3], Method: row[4],
			Protectors: strings.Split(row[5], ","), Description: row[6], Created: created,
		}
	}
	return volumes
}

// unpackedDir is removed by TestMain.
var unpackedDir string

var unpackOnce sync.Mutex

func unpacked(archive string) (string, error) {
	unpackOnce.Lock()
	defer unpackOnce.Unlock()
	if unpackedDir != "" {
		return unpackedDir, nil
	}
	dir, err := os.MkdirTemp("", "bitlocker-images")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("tar", "-xJSf", archive, "-C", dir).CombinedOutput()
	if err != nil {
		os.RemoveAll(dir)
		return "", &exec.Error{Name: "tar: " + string(out), Err: err}
	}
	unpackedDir = dir
	return dir, nil
}

// status runs "diskaudit status" in this process and returns its document.
func status(t testing.TB, wantExit int, args ...string) contract.Status {
	t.Helper()
	var stdout, stderr bytes.Buffer
	exit := command.Run(context.Background(), append([]string{"diskaudit", "status"}, args...), &stdout, &stderr)
	if exit != wantExit || stderr.Len() > 0 {
		t.Fatalf("status %q: exit %d, want %d; stderr %q; stdout %s", args, exit, wantExit, stderr.String(), stdout.String())
	}
	var document contract.Status
	decoder := json.NewDecoder(&stdout)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		t.Fatalf("status %q: %v", args, err)
	}
	return document
}

func answer(volume contract.Volume) truth {
	var got truth
	e := volume.Encryption
	if e.SectorBytes != nil {
		got.SectorBytes = *e.SectorBytes
	}
	if volume.SizeBytes != nil {
		got.VolumeBytes = *volume.SizeBytes
	}
	if e.VolumeGUID != nil {
		got.GUID = *e.VolumeGUID
	}
	if e.Method != nil {
		got.Method = e.Method.String()
	}
	for _, protector := range e.Protectors {
		got.Protectors = append(got.Protectors, protector.Type.String())
	}
	if e.Description != nil {
		got.Description = *e.Description
	}
	if e.CreatedAt != nil {
		got.Created = *e.CreatedAt
	}
	return got
}

func TestRealVolumesAsAnotherToolReadsThem(t *testing.T) {
	volumes := realVolumes(t)
	equal := 0
	for path, want := range volumes {
		document := status(t, 0, "--image", path)
		if len(document.Volumes) != 1 {
			t.Errorf("%s: %d volumes", path, len(document.Volumes))
			continue
		}
		volume := document.Volumes[0]
		if diff := cmp.Diff(want, answer(volume)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filepath.Base(path), diff)
			continue
		}
		equal++
		if volume.Encryption.Conversion == nil || *volume.Encryption.Conversion != contract.FullyEncrypted {
			t.Errorf("%s: conversion %v", path, volume.Encryption.Conversion)
		}
		usedSpaceOnly := strings.Contains(path, "-eow") || strings.Contains(path, "partially-encrypted")
		if volume.Encryption.UsedSpaceOnly == nil || *volume.Encryption.UsedSpaceOnly != usedSpaceOnly {
			t.Errorf("%s: used space only %v", path, volume.Encryption.UsedSpaceOnly)
		}
		clear := strings.Contains(strings.Join(want.Protectors, " "), "ClearKey")
		if *volume.Encryption.ClearKey != clear || (*volume.Encryption.Protection == contract.ProtectionOff) != clear {
			t.Errorf("%s: clear key %v, protection %v", path, *volume.Encryption.ClearKey, *volume.Encryption.Protection)
		}
	}
	t.Logf("%d of %d volumes equal to their truth", equal, len(volumes))
	for _, kind := range []string{"Aes128Diffuser", "XtsAes256", "Aes256", "ClearKey", "ExternalKey", "PublicKey", "togo"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(volumes)), func(path string) bool {
			return strings.Contains(path, kind) || volumes[path].Method == kind || slices.Contains(volumes[path].Protectors, kind)
		}) {
			t.Errorf("no volume of kind %s was tried", kind)
		}
	}
	if len(volumes) != 14 {
		t.Errorf("%d volumes instead of 14", len(volumes))
	}
}
