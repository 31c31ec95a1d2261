//go:build unix

package transport

import (
	"os"

	"golang.org/x/sys/unix"
)

// AwaitHangup returns when nobody can write to f any more, which must be the
// reading end of a pipe, a socket or a terminal. Unlike the end of input it is
// seen at once, while there is still data that was not read; so it tells that
// a client has gone although an agent that does not read keeps its last
// messages from being delivered. Reading f is not affected.
//
// It reports false if the system cannot tell.
func AwaitHangup(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	hungUp := false
	err = conn.Control(func(fd uintptr) {
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
	return err == nil && hungUp
}
