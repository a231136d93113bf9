package storage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"diskaudit/core/contract"
)

// Volumes are the volumes of this computer, with or without a drive letter, each asked on its own
// for a limited time. What could not be told of one stands in its own problems; problems of the
// whole are returned. What a volume is to BitLocker, and what BitLocker does with it, is left out.
//
// Drive letters that stand for a share or for a folder are no volumes of this computer and are left
// out. A letter for which Windows has no volume, as RAM disks make it, has its letter for an id.
func (r *Reader) Volumes(ctx context.Context) ([]contract.Volume, []contract.Problem) {
	var problems []contract.Problem
	names, err := answer(ctx, r.limit(ctx)/2, r.system.Volumes)
	if err != nil {
		problems = append(problems, listingProblem(err))
	}
	places := r.places(ctx, names)
	letters, letterProblems := r.looseLetters(ctx, places)
	problems = append(problems, letterProblems...)
	places = adopt(places, letters)

	limit := r.limit(ctx)
	volumes := make([]contract.Volume, 0, len(places))
	gather(len(places), min(orderPatience, limit/2),
		func(index int) contract.Volume { return r.volume(ctx, limit, places[index]) },
		func(_ int, v contract.Volume) { volumes = append(volumes, v) },
		func(int) {})
	// One that hung was put behind those that it kept waiting.
	slices.SortStableFunc(volumes, func(a, b contract.Volume) int {
		return indexOf(places, a.ID) - indexOf(places, b.ID)
	})
	return volumes, problems
}

// place is a volume, or a letter without one, and where it is mounted.
type place struct {
	// root is what is asked about it, with a backslash at the end: a GUID path or a drive letter.
	root string
	// points are its mount points as the document has them.
	points []string
	// target is what a letter without a volume stands for; empty for a volume.
	target string
	// err is why the mount points are not known.
	err error
}

// id is the volume's in the document.
func (p place) id() string {
	if p.isLetter() {
		return strings.TrimSuffix(p.root, `\`)
	}
	return p.root
}

func (p place) isLetter() bool { return p.target != "" }

// device opens the volume.
func (p place) device() string {
	if p.isLetter() {
		return `\\.\` + p.id()
	}
	return strings.TrimSuffix(p.root, `\`)
}

// places asks all volumes where they are mounted.
func (r *Reader) places(ctx context.Context, names []string) []place {
	limit := r.limit(ctx) / 2
	places := make([]place, len(names))
	for i, name := range names {
		places[i] = place{root: name, err: errTimeout}
	}
	gather(len(names), 0,
		func(index int) place {
			points, err := answer(ctx, limit, func() ([]string, error) { return r.system.MountPoints(names[index]) })
			return place{root: names[index], points: mountPoints(points), err: err}
		},
		func(index int, p place) { places[index] = p },
		func(int) {})
	return places
}

// mountPoints are drive letters and folders without the backslash that Windows ends them with, the
// letters first.
func mountPoints(paths []string) []string {
	points := make([]string, 0, len(paths))
	for _, path := range paths {
		if point := strings.TrimSuffix(path, `\`); point != "" && !slices.Contains(points, point) {
			points = append(points, point)
		}
	}
	slices.SortStableFunc(points, func(a, b string) int { return min(len(a), 3) - min(len(b), 3) })
	return points
}

func indexOf(places []place, id string) int {
	return slices.IndexFunc(places, func(p place) bool { return p.id() == id })
}

// volume describes one volume. Its file system and its device are asked side by side, each for at
// most limit: where a file system hangs, the place on the disk can still be known.
func (r *Reader) volume(ctx context.Context, limit time.Duration, p place) contract.Volume {
	onDevice := make(chan positioned, 1)
	go func() { onDevice <- r.position(ctx, limit, p) }()
	inside := r.inside(ctx, limit, p)
	at := <-onDevice

	v := contract.Volume{
		ID: p.id(), MountPoints: p.points, Extents: at.extents,
		Label: inside.label, FileSystem: inside.fileSystem, ClusterBytes: inside.clusterBytes, FreeBytes: inside.freeBytes,
		FileSystemDirty: inside.dirty, SizeBytes: at.sizeBytes,
	}
	if v.SizeBytes == nil && errors.Is(at.err, errUnasked) {
		// What lies on no disk is as large as its file system.
		v.SizeBytes = inside.totalBytes
	}
	v.Problems = explain(p, inside, at)
	return v
}
