//go:build unix

package transport

import (
	"os"

	"golang.org/x/sys/unix"
)

// AwaitHangup returns when nobody can write to f any more. f must be the reading
// end of a pipe, a socket or a terminal. A hangup is seen at once, the end of
// input only after everything before it was read. So AwaitHangup tells that a
// client has gone even while an agent that does not read holds up the client's
// last messages. It does not affect reading from f.
//
// It reports false if the system cannot tell.
func AwaitHangup(f *os.File) bool {
	hungUp := false
	control(f, func(fd uintptr) {
		poll := []unix.PollFd{{Fd: int32(fd), Events: hangupEvents}}
		for {
			_, err := unix.Poll(poll, -1)
			if err == unix.EINTR {
				continue
			}
			hungUp = err == nil && poll[0].Revents&unix.POLLNVAL == 0
			return
		}
	})
	return hungUp
}
