//go:build unix

package transport

import (
	"os"

	"golang.org/x/sys/unix"
)

// AwaitHangup waits until no process can write to f any more. f must be the
// reading end of a pipe, a socket or a terminal. Unlike a Read, which returns
// io.EOF only after all buffered data, AwaitHangup returns at once. It therefore
// detects that the client has disconnected while its last messages are still
// blocked by an agent that does not read. It does not affect reading from f.
//
// It returns false if the system cannot detect a hangup of f.
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
