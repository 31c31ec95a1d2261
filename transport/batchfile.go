package transport

import (
	"fmt"
	"strings"
)

// batchCommandLine returns the command line that has cmd.exe, the command
// interpreter of Windows, run a batch file (.cmd, .bat) with these arguments.
// Each arrives as it is, and none can make cmd.exe run anything else.
//
// Windows runs batch files by cmd.exe in any case. But its command line is
// read like a line that somebody types: of the argument x&y it would run y, and
// %PATH% becomes the value of the variable. The quoting that all other programs
// understand does not prevent this, since cmd.exe does not know \".
//
// An argument that cannot be written so that it arrives is refused: with a line
// break, which ends the command, or a NUL.
//
// What the batch file does with its arguments is its own affair. Passing them
// on as %*, as npm's do, keeps them intact for programs that read two quotes in
// a quoted argument as one, as those built with Microsoft's C runtime do.
func batchCommandLine(file string, args []string) (string, error) {
	var line strings.Builder
	// /d leaves out commands that the registry adds, /e:on and /v:off are what
	// the spelling of % and ! relies on, and /s makes cmd.exe drop the first and
	// the last quote of the rest and nothing else.
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

// needsQuotes reports whether arg has a character that may mean something to
// cmd.exe, or is empty. A backslash at the end would meet the quote that a
// batch file may write behind it.
func needsQuotes(arg string) bool {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@+\\"
	return arg == "" || strings.HasSuffix(arg, `\`) || strings.Trim(arg, plain) != ""
}

// writeQuoted writes arg in quotes. Between them, cmd.exe looks for nothing but
// the next quote and for variables.
func writeQuoted(line *strings.Builder, arg string) {
	line.WriteByte('"')
	backslashes := 0
	for _, c := range []byte(arg) {
		switch c {
		case '"':
			// Backslashes count double before a quote. Two quotes leave cmd.exe
			// where it was, between quotes.
			line.WriteString(strings.Repeat(`\`, backslashes) + `""`)
		case '%':
			// A % has no escape. But cmd.exe leaves a % that does not begin a
			// variable's name, and %cd:~,% is empty: it is the first zero
			// characters of the current directory.
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
