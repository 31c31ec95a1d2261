package transport

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// IsTerminal reports whether f is a terminal; on Windows, a console. It reports
// false for other character devices, such as the null device.
func IsTerminal(f *os.File) bool {
	terminal := false
	control(f, func(fd uintptr) { terminal = term.IsTerminal(int(fd)) })
	return terminal
}

// TerminalWidth returns the width for text on f in characters: COLUMNS of the environment, or the
// width of the terminal f. It returns unknown if there is neither.
func TerminalWidth(f *os.File, unknown int) int {
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	width := 0
	control(f, func(fd uintptr) { width, _, _ = term.GetSize(int(fd)) })
	if width <= 0 {
		return unknown
	}
	return width
}

// control calls do with the descriptor of f, which remains open during the call. It does
// nothing if f is closed.
func control(f *os.File, do func(fd uintptr)) {
	if conn, err := f.SyscallConn(); err == nil {
		conn.Control(do)
	}
}
