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
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// An opening answers initialize in the place of an agent that will not answer it any
// more, and says why: editors show that, and hide the agent's stderr.
type opening struct {
	failure string        // why the agent will not answer; empty as long as it may
	told    chan struct{} // closed when a client that asks after the failure has been told; nil once it is
}

// failed reports whether the agent has failed.
func (o *opening) failed() bool { return o.failure != "" }

// fail notes that the agent has failed, and why. ids are the raw ids of the initialize
// requests that it has not answered.
func (o *opening) fail(why string, ids [][]byte) (e []effect) {
	o.failure, o.told = why, make(chan struct{})
	for _, id := range ids {
		e = append(e, o.answer(id))
	}
	return e
}

// clientSpeaks handles what the client says when the agent has failed.
func (o *opening) clientSpeaks(m *jsonrpc.Message) []effect {
	if !m.IsRequest() || string(m.Method) != methodInitialize {
		return []effect{pass{}}
	}
	return append([]effect{showDropped{translate.Client, m.Span.Of(m.Text)}, o.answer(m.ID)}, o.noteTold()...)
}

func (o *opening) answer(id []byte) effect {
	return send{to: translate.Client, text: errorResponse(id, link.InternalError, o.failure)}
}

// noteTold notes that the client has been told: who waits for that goes on.
func (o *opening) noteTold() (e []effect) {
	if o.told != nil {
		e = append(e, release{o.told})
	}
	o.told = nil
	return e
}

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
