package transport

import "os"

// AwaitHangup reports false: Windows does not say that a pipe was closed before
// its data has been read.
func AwaitHangup(*os.File) bool { return false }
