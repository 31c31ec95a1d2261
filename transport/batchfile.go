package transport

import (
	"fmt"
	"strings"
)

// batchCommandLine returns a command line with which cmd.exe, the command
// interpreter of Windows, runs a batch file (.cmd, .bat). It quotes the arguments
// so that cmd.exe passes them unchanged and executes no part of them.
//
// Windows always runs batch files with cmd.exe, which parses its command line
// like interactive input: given the argument x&y it would run y, and it expands
// %PATH%. The usual quoting does not prevent this, because cmd.exe does not
// support the escape \".
//
// It returns an error for an argument with a line break, which would end the
// command, or a NUL.
//
// Batch files such as npm's pass their arguments on as %*. The arguments remain
// intact for programs that read two quotes in a quoted argument as one, as
// programs built with Microsoft's C runtime do.
func batchCommandLine(file string, args []string) (string, error) {
	var line strings.Builder
	// /d disables commands from the registry, /e:on and /v:off are required by
	// the escapes of % and !, and /s makes cmd.exe strip only the first and the
	// last quote of the rest.
	line.WriteString(`cmd.exe /d /e:on /v:off /s /c "`)
	writeQuoted(&line, file)
	for i, arg := range args {
		if strings.ContainsAny(arg, "\x00\r\n") {
			return "", fmt.Errorf("%s is a batch file, it cannot get argument %d, %.60q: a line break or a NUL cannot be passed to it", file, i+1, arg)
		}
		line.WriteByte(' ')
		if needsQuotes(arg) {
			writeQuoted(&line, arg)
		} else {
			line.WriteString(arg)
		}
	}
	line.WriteByte('"')
	return line.String(), nil
}

// needsQuotes reports whether arg is empty or contains a character that may be
// special in cmd.exe. A backslash at the end is special because it would escape
// a quote that a batch file appends.
func needsQuotes(arg string) bool {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@+\\"
	return arg == "" || strings.HasSuffix(arg, `\`) || strings.Trim(arg, plain) != ""
}

// writeQuoted writes arg in quotes. Within quotes, cmd.exe interprets only
// quotes and variables.
func writeQuoted(line *strings.Builder, arg string) {
	line.WriteByte('"')
	backslashes := 0
	for _, c := range []byte(arg) {
		switch c {
		case '"':
			// A quote is written twice, so that cmd.exe is still within quotes
			// afterwards. Backslashes before a quote are doubled.
			line.WriteString(strings.Repeat(`\`, backslashes) + `""`)
		case '%':
			// A % has no escape, but cmd.exe keeps a % that does not begin a
			// variable's name. Here %cd:~,% follows, which expands to nothing:
			// the first zero characters of the current directory.
			line.WriteString("%%cd:~,%")
		default:
			line.WriteByte(c)
		}
		if c == '\\' {
			backslashes++
		} else {
			backslashes = 0
		}
	}
	line.WriteString(strings.Repeat(`\`, backslashes) + `"`)
}
