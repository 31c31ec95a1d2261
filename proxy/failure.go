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
	cause := cmp.Or(errors.Unwrap(err), err)
	fault, reason := "cannot be started", cause.Error()
	isMissing := transport.ExitStatus(err) == 127
	var pathErr *fs.PathError
	switch cause.(type) {
	case *exec.Error, *fs.PathError:
		fault, reason = "cannot be executed", errors.Unwrap(cause).Error()
		if isMissing {
			fault = "not found"
		}
	default:
		if errors.As(cause, &pathErr) { // transport.Start has put an explanation in front of it
			reason = strings.TrimSuffix(reason, ": "+pathErr.Error())
			if !isMissing { // otherwise another file than the program is missing
				fault = "cannot be executed"
			}
		}
	}
	return sentence(program, fault, reason)
}

// WhyUnanswered returns the reason for a missing initialize response. fault completes a sentence that
// begins with the agent; stderr is the end of its stderr.
func WhyUnanswered(program, fault string, stderr []byte) string {
	return sentence(program, fault, lastLine(stderr))
}

// sentence returns a fault of the agent with that program, and the reason unless that is empty.
func sentence(program, fault, reason string) string {
	text := fmt.Sprintf(`agent "%s" %s`, logging.Clean(program), fault)
	if reason != "" {
		text += ": " + logging.Clean(reason)
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
