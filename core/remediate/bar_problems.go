package remediate

import (
	"slices"
	"strings"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// Codes of a volume's problems by which it is judged.
const (
	codeLocked  = "volume-locked"
	codeCluster = "cluster-volume"
)

// clusterResults are the answers of BitLocker about a volume of a cluster
// (learn.microsoft.com/windows/win32/com/com-error-codes-9).
var clusterResults = []bitlocker.HResult{
	bitlocker.FVE_E_CLUSTERING_NOT_SUPPORTED, bitlocker.FVE_E_NOT_ALLOWED_ON_CSV_STACK, bitlocker.FVE_E_NOT_ALLOWED_ON_CLUSTER,
}

// besideCodes are of level error and cost a fact on which no change of a volume rests, or one that a
// guard of its own asks for.
var besideCodes = map[string]string{
	"percent-unknown":           "only progress is told by it, unless the volume is said to be decrypted",
	"protection-reason-unknown": "protection ends with any decryption, whatever the reason",
	"suspend-count-unknown":     "so does the count of restarts",
	"type-unknown":              "the type itself is asked for",
	"type-unrecognized":         "the type itself is asked for",
	"extents-unknown":           "the guard about the disks says so",
}

// unsettling tells whether a problem leaves in doubt what a volume is. A volume that is not touched,
// because it was told positively that there is nothing to do, is in doubt only where that is.
func unsettling(problem contract.Problem, plain, touched bool) bool {
	if bitlocker.Unsettles(problem.Code) {
		return true
	}
	if problem.Code == "percent-unknown" && plain {
		return true
	}
	_, beside := besideCodes[problem.Code]
	return touched && !beside && problem.Level.OrError() == contract.LevelError
}

func hasProblem(volume contract.Volume, code string, result bitlocker.HResult) bool {
	return slices.ContainsFunc(volume.Problems, func(problem contract.Problem) bool {
		return problem.Code == code || hasResult(problem, result)
	})
}

func hasResult(problem contract.Problem, result bitlocker.HResult) bool {
	return problem.HResult != nil && strings.EqualFold(*problem.HResult, result.String())
}
