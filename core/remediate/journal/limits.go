package journal

// What is read of journals is bounded, so that nothing in the folder can take all memory. The newest win.
const (
	// format is the version of the journals that this program writes, and the newest that it reads.
	format = 1
	// fileLimit is how many journals are read.
	fileLimit = 1000
	// fileBytes bounds one journal. A conversion that is written down once a minute takes a month to fill a
	// half of it; progress lines are left out before it is full.
	fileBytes = 16 << 20
	// fileReserve is kept for lines that are no progress.
	fileReserve = 4 << 20
	// lineBytes bounds a line. The longest is the first, with the plan.
	lineBytes = 1 << 20
	// totalBytes, totalLines and totalParts bound all journals together; parts are steps and guards of plans.
	totalBytes = 64 << 20
	totalLines = 200_000
	totalParts = 50_000
)
