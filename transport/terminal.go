package transport

import (
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether f is a terminal; on Windows, a console. It reports
// false for other character devices, such as the null device.
func IsTerminal(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	terminal := false
	err = conn.Control(func(fd uintptr) { terminal = term.IsTerminal(int(fd)) })
	return err == nil && terminal
}
