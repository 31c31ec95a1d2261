package transport

import "os"

// AwaitHangup returns false: Windows reports that a pipe is closed only after its
// data has been read.
func AwaitHangup(*os.File) bool { return false }
