package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// looseLetter is a drive letter that no volume named as its mount point.
type looseLetter struct {
	root string
	// volume is the GUID path of the volume that is mounted there after all; empty when there is none.
	volume string
	// target is what the letter stands for; empty when it is nothing of this computer.
	target string
}

// folderTarget begins what a letter stands for that subst made
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-definedosdevicew).
const folderTarget = `\??\`

// looseLetters are the drive letters that no volume named, without those of shares and folders.
func (r *Reader) looseLetters(ctx context.Context, places []place) ([]looseLetter, []contract.Problem) {
	limit := r.limit(ctx) / 2
	bits, err := answer(ctx, limit, r.system.Letters)
	if err != nil {
		return nil, []contract.Problem{lettersProblem(err)}
	}
	var roots []string
	for i := range 26 {
		point := string(rune('A'+i)) + ":"
		if bits&(1<<i) != 0 && !slices.ContainsFunc(places, func(p place) bool { return hasPoint(p, point) }) {
			roots = append(roots, point+`\`)
		}
	}
	type asked struct {
		letter looseLetter
		err    error
	}
	var letters []looseLetter
	var problems []contract.Problem
	gather(len(roots), limit,
		func(index int) asked {
			letter, err := r.askLetter(ctx, limit, roots[index])
			return asked{letter, err}
		},
		func(index int, a asked) {
			switch {
			case a.err != nil:
				problems = append(problems, problemOf(machine.StageVolumes, strings.TrimSuffix(roots[index], `\`), a.err))
			case a.letter.volume != "" || a.letter.target != "":
				letters = append(letters, a.letter)
			}
		},
		func(int) {})
	return letters, problems
}

// askLetter finds what a drive letter stands for. A share is recognised before anything is asked of
// it: a server that is gone takes long to not answer.
func (r *Reader) askLetter(ctx context.Context, limit time.Duration, root string) (looseLetter, error) {
	return answer(ctx, limit, func() (looseLetter, error) {
		nothing := looseLetter{root: root}
		if kind := r.system.DriveType(root); kind == DriveRemote || kind == DriveNoRoot {
			return nothing, nil
		}
		targets, err := r.system.DeviceTargets(strings.TrimSuffix(root, `\`))
		if err != nil || len(targets) == 0 || strings.HasPrefix(targets[0], folderTarget) {
			return nothing, nil
		}
		if volume, err := r.system.VolumeAt(root); err == nil && volume != "" {
			return looseLetter{root: root, volume: volume}, nil
		}
		return looseLetter{root: root, target: targets[0]}, nil
	})
}

func hasPoint(p place, point string) bool {
	return slices.ContainsFunc(p.points, func(other string) bool { return strings.EqualFold(other, point) })
}

// adopt gives each letter to its volume, and makes places of those that have none.
func adopt(places []place, letters []looseLetter) []place {
	for _, letter := range letters {
		point := strings.TrimSuffix(letter.root, `\`)
		if letter.volume == "" {
			places = append(places, place{root: letter.root, points: []string{point}, target: letter.target})
			continue
		}
		index := slices.IndexFunc(places, func(p place) bool { return strings.EqualFold(p.root, letter.volume) })
		if index < 0 {
			places = append(places, place{root: letter.volume, points: []string{point}})
			continue
		}
		places[index].points = append([]string{point}, places[index].points...)
	}
	return places
}

// lettersProblem says that letters without a volume may be missing.
func lettersProblem(err error) contract.Problem {
	return withResult(contract.Problem{
		Code: "letters-not-listed", Level: contract.LevelWarning, Stage: machine.StageVolumes, Retryable: true,
		Text: fmt.Sprintf("The drive letters could not be listed (%v). Volumes are listed all the same; a RAM disk that has a letter only may be missing. Run again.", err),
	}, err)
}
