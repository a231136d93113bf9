package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sysfs makes the folders and files of block devices as the kernel shows them: a name that ends in
// "/" is a folder, a text that begins with "->" a link.
func sysfs(t *testing.T, files map[string]string) string {
	t.Helper()
	root := testFolder(t)
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, ok := strings.CutPrefix(text, "->"); ok {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(text+"\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Facts about what lies below, from the folders of sysfs. nil is unknown.
func TestLayersBelow(t *testing.T) {
	yes, no := true, false
	files := map[string]string{
		"sda/dev": "8:0", "sda/sda1/partition": "1", "sda/sda1/dev": "8:1",
		"zram5/dev": "252:5", "ram0/dev": "1:0", "nullb0/dev": "250:0", "nbd3/dev": "43:3",
		"session7/sdb/dev": "8:16", "nvme1n1/device/transport": "tcp", "nvme0n1/device/transport": "pcie",
		"dm-0/slaves/sda1": "->../../sda/sda1", "dm-0/dm/uuid": "CRYPT-LUKS2-1",
		"dm-1/slaves/dm-0": "->../../dm-0", "dm-1/slaves/zram5": "->../../zram5",
		"dm-2/slaves/sda1": "->../../sda/sda1", "dm-2/slaves/gone": "->../../nothing",
		"dm-3/slaves/dm-3": "->../../dm-3",
		"dm-4/slaves/sda1": "->../../sda/sda1", "dm-4/dm/uuid": "VDO-1",
		"loop0/loop/backing_file": "/nowhere/file (deleted)", "loop0/loop/dio": "1",
		"loop1/loop/backing_file": "/nowhere/file", "loop1/loop/dio": "0",
	}
	root := sysfs(t, files)
	for name, want := range map[string]struct{ memory, remote, compressed, cached *bool }{
		"sda":          {memory: &no, remote: &no},
		"sda/sda1":     {memory: &no, remote: &no},
		"zram5":        {memory: &yes, compressed: &yes},
		"ram0":         {memory: &yes},
		"nullb0":       {memory: &yes},
		"nbd3":         {remote: &yes},
		"session7/sdb": {memory: &no, remote: &yes},
		"nvme1n1":      {memory: &no, remote: &yes},
		"nvme0n1":      {memory: &no, remote: &no},
		"dm-0":         {memory: &no, remote: &no},
		"dm-1":         {memory: &yes, remote: &no, compressed: &yes},
		"dm-2":         {remote: &no},
		"dm-3":         {},
		"dm-4":         {memory: &no, remote: &no, compressed: &yes},
		"loop0":        {},
		"loop1":        {cached: &yes},
	} {
		s := &site{}
		s.examineFolder(filepath.Join(root, name))
		for fact, pair := range map[Fact][2]*bool{
			FactInMemory: {s.facts.InMemory, want.memory}, FactRemote: {s.facts.Remote, want.remote},
			FactCompressed: {s.facts.Compressed, want.compressed}, FactCached: {s.facts.Cached, want.cached},
		} {
			if got, want := pair[0], pair[1]; (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Errorf("%s is %s: %s, want %s (%s)", name, fact, told(got), told(want), s.facts.Evidence(fact))
			}
		}
		if s.facts.Evidence(FactInMemory) == "" && s.facts.Remote == nil {
			t.Errorf("%s: nothing says why it is not known", name)
		}
	}
}

func told(value *bool) string {
	switch {
	case value == nil:
		return "unknown"
	case *value:
		return "yes"
	}
	return "no"
}

// What lies on a disk: its partitions, and what is mapped on them.
func TestDevicesAbove(t *testing.T) {
	root := sysfs(t, map[string]string{
		"sda/dev": "8:0", "sda/sda1/dev": "8:1", "sda/sda1/partition": "1",
		"sda/sda2/dev": "8:2", "sda/sda2/partition": "2", "sda/sda2/holders/dm-0": "->../../../dm-0",
		"dm-0/dev": "253:0", "dm-0/holders/dm-0": "->../../dm-0", "sdb/dev": "8:16",
		"sda/queue/logical_block_size": "512",
	})
	above := map[string]string{}
	collectAbove(filepath.Join(root, "sda"), above, 0)
	want := map[string]string{"8:0": "sda", "8:1": "sda1", "8:2": "sda2", "253:0": "dm-0"}
	for number, name := range want {
		if above[number] != name {
			t.Errorf("%s is %q, want %s", number, above[number], name)
		}
	}
	if len(above) != len(want) {
		t.Errorf("%v, want %v", above, want)
	}
}
