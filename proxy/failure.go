package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"unicode"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// WhyNotStarted says why an agent could not be started, in a sentence for people.
func WhyNotStarted(program string, err error) string {
	reason := errors.Unwrap(err)
	what := "cannot be executed"
	if transport.ExitStatus(err) == 127 {
		what = "not found"
	}
	var failed *fs.PathError
	switch cause := reason.(type) {
	case *exec.Error:
		return sentence(program, what, cause.Err.Error())
	case *fs.PathError:
		return sentence(program, what, cause.Err.Error())
	case nil:
		return sentence(program, "cannot be started", err.Error())
	}
	if !errors.As(reason, &failed) {
		return sentence(program, "cannot be started", reason.Error())
	}
	// transport.Start has said it in plain words, in front of the system's. If
	// something was not found, it is not the program.
	if what == "not found" {
		what = "cannot be started"
	}
	return sentence(program, what, strings.TrimSuffix(reason.Error(), ": "+failed.Error()))
}

// whyEnded says how an agent has ended that has not answered initialize. stderr is
// the end of what it wrote there.
func whyEnded(program, how string, stderr []byte) string {
	return WhyUnanswered(program, how+" before it answered initialize", stderr)
}

// WhyUnanswered says what an agent does instead of an answer to initialize. stderr is the
// end of what it wrote there.
func WhyUnanswered(program, what string, stderr []byte) string {
	return sentence(program, what, lastLine(stderr))
}

func sentence(program, what, why string) string {
	text := fmt.Sprintf(`agent "%s" %s`, logging.Clean(program), what)
	if why != "" {
		text += ": " + logging.Clean(why)
	}
	return text
}

// lastLine returns the last line of a text that says anything, without what only
// a terminal understands.
func lastLine(text []byte) string {
	lines := bytes.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(string(jsonrpc.Visible(lines[i])), "\ufffd"))
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
