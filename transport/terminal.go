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

// TerminalWidth returns how many characters a line of f has. It returns unknown if f is
// not a terminal or does not say.
func TerminalWidth(f *os.File, unknown int) int {
	conn, err := f.SyscallConn()
	if err != nil {
		return unknown
	}
	width := 0
	err = conn.Control(func(fd uintptr) { width, _, _ = term.GetSize(int(fd)) })
	if err != nil || width <= 0 {
		return unknown
	}
	return width
}
