package storage

import (
	"errors"
	"testing"
)

// Wine's disks have no cache setting: that is said, and nothing is sent to be set.
func TestLiveCacheUnderWine(t *testing.T) {
	underWine(t)
	cache := NewCache(Live())
	_, err := cache.Flushing("PhysicalDrive0")
	var failed *CacheError
	if !errors.As(err, &failed) {
		t.Fatalf("reading: %v", err)
	}
	if p := CacheProblem("PhysicalDrive0", err); p.Code != "cache-not-changeable" {
		t.Errorf("reading: %+v", p)
	}
	if err := cache.SetFlushing("PhysicalDrive0", false); !errors.As(err, &failed) || failed.Begun {
		t.Errorf("setting: %v", err)
	}
	_, err = cache.Flushing("PhysicalDrive77")
	if p := CacheProblem("PhysicalDrive77", err); p.Code != CodeVanished {
		t.Errorf("a disk that is not there: %+v", p)
	}
}
