package proxy

import (
	"bytes"
	"cmp"
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

// WhyNotStarted returns the reason why an agent could not be started, as one sentence.
func WhyNotStarted(program string, err error) string {
	reason := cmp.Or(errors.Unwrap(err), err)
	what, why := "cannot be started", reason.Error()
	isMissing := transport.ExitStatus(err) == 127
	var failed *fs.PathError
	switch reason.(type) {
	case *exec.Error, *fs.PathError:
		what, why = "cannot be executed", errors.Unwrap(reason).Error()
		if isMissing {
			what = "not found"
		}
	default:
		if errors.As(reason, &failed) { // transport.Start has put an explanation in front of it
			why = strings.TrimSuffix(why, ": "+failed.Error())
			if !isMissing { // otherwise another file than the program is missing
				what = "cannot be executed"
			}
		}
	}
	return sentence(program, what, why)
}

// WhyUnanswered returns the reason for a missing initialize response. what completes a sentence that
// begins with the agent; stderr is the end of its stderr.
func WhyUnanswered(program, what string, stderr []byte) string {
	return sentence(program, what, lastLine(stderr))
}

// sentence returns what about the agent with that program, and why unless that is empty.
func sentence(program, what, why string) string {
	text := fmt.Sprintf(`agent "%s" %s`, logging.Clean(program), what)
	if why != "" {
		text += ": " + logging.Clean(why)
	}
	return text
}

// lastLine returns the last visible line of a text, without escape sequences.
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
