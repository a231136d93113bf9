package registry

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"sync"
)

// Store is a registry that can be changed, by one value at a time. What was changed is on the disk
// when a method returns without error. With an error it is not known whether it was changed, except
// with fs.ErrPermission: then it was not.
type Store interface {
	Reader
	// SetNumber writes a REG_DWORD in place of whatever the value was, and makes the key where it is
	// missing.
	SetNumber(key, name string, value uint32) error
	// Delete removes a value; its key stays. A value that is not there is fs.ErrNotExist.
	Delete(key, name string) error
}

// MemoryStore is a Store for tests. It may be used by several goroutines.
type MemoryStore struct {
	mu     sync.RWMutex
	memory Memory
}

// NewStore makes a store with a copy of what is in memory. Where that has an error for a key or a
// value, changing fails with it as reading does.
func NewStore(memory Memory) *MemoryStore {
	copied := Memory{}
	for key, values := range memory {
		copied[key] = maps.Clone(values)
	}
	return &MemoryStore{memory: copied}
}

// Value reads one value.
func (s *MemoryStore) Value(key, name string) (Value, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.Value(key, name)
}

// Subkeys are the names of the keys right below a key.
func (s *MemoryStore) Subkeys(key string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.Subkeys(key)
}

// Names are the names of a key's values.
func (s *MemoryStore) Names(key string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.Names(key)
}

// SetNumber writes a REG_DWORD.
func (s *MemoryStore) SetNumber(key, name string, value uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	values, stored, err := s.find(key, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if values == nil {
		values = map[string]any{}
		s.memory[key] = values
	}
	delete(values, stored)
	values[name] = Value{Type: TypeDWord, Data: binary.LittleEndian.AppendUint32(nil, value)}
	return nil
}

// Delete removes a value.
func (s *MemoryStore) Delete(key, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	values, stored, err := s.find(key, name)
	if err != nil {
		return err
	}
	delete(values, stored)
	return nil
}

// find finds the values of a key, and the name of one among them as it is spelled there. The error
// is fs.ErrNotExist where the value is missing, and then the values are nil where the key is.
func (s *MemoryStore) find(key, name string) (values map[string]any, stored string, err error) {
	values, err = s.memory.key(key)
	if err != nil {
		return nil, "", err
	}
	for spelled, content := range values {
		if strings.EqualFold(spelled, name) {
			failed, _ := content.(error)
			return values, spelled, failed
		}
	}
	return values, "", fs.ErrNotExist
}
