// Package scan selects the messages that translations need. A [Scanner] matches a line against
// a [Filter] while the line arrives, usually by its first bytes. A [Head] collects the members
// that identify the message of a line which is not read whole.
package scan

import (
	"slices"

	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// A Filter selects messages of one direction. A Scanner matches it against a line from the
// line's first bytes. Names have 1 to 32 bytes. A Filter that a Scanner uses must not
// be changed.
type Filter struct {
	All       bool // every line
	Responses bool // the heads of responses

	// Methods are methods of requests and notifications. One that ends in a slash matches
	// all methods with that prefix, up to a length of 192 bytes with escapes.
	Methods []string

	// Heads are methods of requests that are selected by their head alone, id and session: a long
	// request, such as a prompt with an image, is not buffered and parsed whole.
	Heads []string

	// Updates are kinds of session update. If Updates, Tools or HeadUpdates has an element, a
	// session/update matches by these three only.
	Updates []string

	// Tools are parts of tool names, in lower case and without blanks, _ and -. A session
	// update tool_call matches if a title, name or _meta in the first 4 KiB of the line
	// contains one, regardless of case, blanks, _ and -. Escaped names do not match.
	Tools []string

	// HeadUpdates are kinds of session update that are likewise selected by their head alone:
	// session, tool call and status.
	HeadUpdates []string
}

// selectsUpdates reports whether the filter selects session updates by their kind.
func (f *Filter) selectsUpdates() bool { return len(f.Updates)+len(f.Tools)+len(f.HeadUpdates) > 0 }

// Add adds the messages that another filter selects. other may be nil.
func (f *Filter) Add(other *Filter) {
	if other == nil {
		return
	}
	f.All, f.Responses = f.All || other.All, f.Responses || other.Responses
	add := func(to *[]string, names []string) {
		if *to == nil {
			*to = slices.Clip(names) // so that a later append copies it
			return
		}
		for _, name := range names {
			if !slices.Contains(*to, name) {
				*to = append(*to, name)
			}
		}
	}
	add(&f.Methods, other.Methods)
	add(&f.Heads, other.Heads)
	add(&f.Updates, other.Updates)
	add(&f.Tools, other.Tools)
	add(&f.HeadUpdates, other.HeadUpdates)
}

// Matches reports whether the filter may select a line, which is complete.
func (f *Filter) Matches(line []byte) bool {
	s := Scanner{filter: f}
	return f.All || s.decide(line) != transport.Pass
}

// A Topic is the part of a message that filters read, except for Tools: the method of a request or
// notification, the kind of a session update, or Response. A message whose Topic is nil has to be
// scanned.
type Topic []byte

// Response is the topic of responses.
var Response = Topic("result")

// TopicOf returns the topic of a message. It is valid as long as the message is.
func TopicOf(m *jsonrpc.Message) Topic {
	switch {
	case m.Ambiguous:
		return nil
	case m.Method == nil:
		return Response
	case m.Update.Present() && string(m.Method) == "session/update":
		if kind, ok := m.Members.Text("sessionUpdate"); ok {
			return kind
		}
	}
	return m.Method
}

// MatchesTopic reports whether the filter may select a message with that topic. It may report
// true for a message that Matches rejects.
func (f *Filter) MatchesTopic(topic Topic) bool {
	switch {
	case f.All:
		return true
	case string(topic) == string(Response):
		return f.Responses
	}
	return isOneOf(f.Updates, topic) || isOneOf(f.Methods, topic) || isOneOf(f.Heads, topic) ||
		isOneOf(f.HeadUpdates, topic) || len(f.Tools) > 0 && string(topic) == "tool_call"
}

// A Cache keeps the filters of a stage while the state that they depend on stays the same.
type Cache[State comparable] struct {
	state   State
	built   bool
	filters [2]*Filter
}

// Filters returns the filters for a state. It calls build if the state has changed.
func (c *Cache[State]) Filters(now State, build func(State) [2]*Filter) [2]*Filter {
	if now != c.state || !c.built {
		c.state, c.built, c.filters = now, true, build(now)
	}
	return c.filters
}
