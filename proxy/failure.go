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
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// An opening is the client's initialize until it is answered. If the agent will
// not answer it any more, the proxy does, and says why: editors show that, and
// hide the agent's stderr.
type opening struct {
	hasAsked bool          // the client has sent initialize
	failure  string        // why the agent will not answer; empty as long as it may
	told     chan struct{} // closed when a client that asks after the failure has been told
}

// awaitsInitialize reports whether the client still waits for an answer to
// initialize, or has not asked yet.
func (c *conversation) awaitsInitialize() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.hasAsked || c.initializePending()
}

// initializePending reports whether the client waits for an answer to initialize.
// The caller holds the lock.
func (c *conversation) initializePending() bool {
	for _, a := range c.awaited {
		if a.initialize != nil {
			return true
		}
	}
	return false
}

// hasRequested reports whether the client has sent initialize.
func (c *conversation) hasRequested() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hasAsked
}

// mayBeAnswer takes in the beginning of a line that is not read. If the line may be
// the answer to initialize, the client gets no other.
func (c *conversation) mayBeAnswer(side translate.Side, beginning []byte) {
	if side == translate.Client || !c.initializePending() {
		return
	}
	var m jsonrpc.Message
	c.cursor.Reset(beginning)
	if m.Read(&c.cursor, beginning, nil); m.Method != nil {
		return
	}
	for id, a := range c.awaited {
		a.initialize = nil
		c.awaited[id] = a
	}
}

// agentFailed takes in that the agent will not answer initialize any more, and
// why. The client is told so if it has asked, or else when it does; the channel is
// closed when it has been told.
func (c *conversation) agentFailed(why string) (told <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.setFilters()
	c.failure, c.told = why, make(chan struct{})
	for id, a := range c.awaited {
		if a.initialize != nil {
			delete(c.awaited, id)
			c.tellFailure(a.initialize)
		}
	}
	if c.hasAsked {
		close(c.told)
	}
	return c.told
}

// afterFailure takes in what the client says when the agent has failed.
func (c *conversation) afterFailure(m *reading) outcome {
	if !m.IsRequest() || string(m.Method) != methodInitialize {
		return forward
	}
	c.show(translate.Client, dropped, m.Span.Of(m.Text), nil)
	c.tellFailure(m.ID)
	if !c.hasAsked {
		c.hasAsked = true
		close(c.told)
	}
	return settled
}

func (c *conversation) tellFailure(id []byte) {
	c.send(translate.Client, errorResponse(id, internalError, c.failure))
	c.showOwn()
}

// whyNotStarted says why an agent could not be started, in a sentence for people.
func whyNotStarted(program string, err error) string {
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
	return sentence(program, how+" before it answered initialize", lastLine(stderr))
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
		}, strings.ToValidUTF8(string(withoutEscapes(lines[i])), "\ufffd"))
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// withoutEscapes returns a line without the sequences that set colors, titles and
// the like.
func withoutEscapes(line []byte) []byte {
	const escape, bell = '\x1b', '\a'
	var out []byte
	for len(line) > 0 {
		if line[0] != escape || len(line) == 1 {
			out = append(out, line[0])
			line = line[1:]
			continue
		}
		kind := line[1]
		line = line[2:]
		switch kind {
		case '[': // up to a letter
			end := bytes.IndexFunc(line, func(r rune) bool { return r < ' ' || r > '?' })
			line = behind(line, end)
		case ']', 'P', 'X', '^', '_': // up to its terminator
			end := bytes.IndexAny(line, string([]byte{escape, bell}))
			line = bytes.TrimPrefix(behind(line, end), []byte{'\\'})
		case '(', ')', '*', '+', '#', '%', ' ':
			line = behind(line, 0)
		}
	}
	return out
}

// behind returns what is behind line[i]; nothing if i is not in line.
func behind(line []byte, i int) []byte {
	if i < 0 || i >= len(line) {
		return nil
	}
	return line[i+1:]
}
