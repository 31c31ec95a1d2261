package transport

import "os"

// AwaitHangup reports false: Windows does not tell of a pipe that was closed
// before its data has been read.
func AwaitHangup(*os.File) bool { return false }
