// Package asking asks the user of a client: to approve something, or to choose. It
// knows nothing of who wants to know, and of the client only its [capabilities.Manner].
//
//	questions ──> a message, unless the client shows what there is to read anyway
//	              a tool_call, if the question is about none
//	              permission requests, one after the other
//	              the update that ends the tool call
//	          ──> a Result
//
// A valid permission request can still be a wrong button. For a client that has one
// button for several options, each choice is a request of its own, with one yes and one
// no.
//
// A Result never has a choice that the user has not made. An option that was not offered
// is a no. An answer without an option cancels, and so does an error.
package asking

import (
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An Asker asks the user of one client. It must not be used by two goroutines at once.
// The zero value is ready for use; nothing is known of the client then.
type Asker struct {
	// Name, which is optional, is in the ids of its requests: those of two Askers of a
	// connection must differ.
	Name string

	// Version is that of the protocol that is spoken to the client; 0 is 1.
	Version int

	client capabilities.Manner
	number int            // counts requests
	said   int            // counts messages
	open   []*Asking      // in the order in which they have begun
	later  []*Asking      // that wait for these, see capabilities.Manner.OneOpen
	out    *translate.Out // of the message at hand
}

// An Asking is something that the client is asked, or will be.
type Asking struct {
	session  string
	begin    func()
	id       []byte // raw, of the request that is open; nil if none is
	answered func(m *jsonrpc.Message)
	takeBack func() // says that nothing waits for an answer any more
}

// The ids of our own requests begin so: they must be those of nobody else. Agents and clients count, or take UUIDs.
const ownID = "acp-plan-proxy/"

// SetClient sets how the client is. What it is asked stays as it is.
func (a *Asker) SetClient(m capabilities.Manner) { a.client = m }

// IsOwn reports whether an id is that of a request of the Asker.
func (a *Asker) IsOwn(id jsonrpc.ID) bool {
	number, is := strings.CutPrefix(string(id), `"`+ownID+a.Name)
	_, err := strconv.Atoi(number)
	return is && err == nil
}

// Waiting returns how many askings have not ended.
func (a *Asker) Waiting() int { return len(a.open) + len(a.later) }

// HasAsked reports whether there was a request at all, which may be answered late.
func (a *Asker) HasAsked() bool { return a.number > 0 }

// Request asks the client by a request of any method. write writes the members of its
// params behind the session.
func (a *Asker) Request(out *translate.Out, session, method string, write func(*rawjson.Builder), answered func(*jsonrpc.Message)) *Asking {
	x := &Asking{session: session, answered: answered}
	x.begin = func() {
		a.nextID(x)
		a.send(x, method, write)
	}
	a.out = out
	a.begin(x)
	return x
}

// begin begins an asking, as soon as the client has room for it.
func (a *Asker) begin(x *Asking) {
	if a.client.OneOpen && len(a.open) > 0 {
		a.later = append(a.later, x)
		return
	}
	a.open = append(a.open, x)
	x.begin()
	a.sweep()
}

// sweep forgets what has ended, and begins what has waited for it.
func (a *Asker) sweep() {
	a.open = slices.DeleteFunc(a.open, func(x *Asking) bool { return x.id == nil })
	if len(a.open) == 0 && len(a.later) > 0 {
		x := a.later[0]
		a.later = a.later[1:]
		a.begin(x)
	}
}

// nextID gives an asking the id of a new request.
func (a *Asker) nextID(x *Asking) string {
	a.number++
	id := ownID + a.Name + strconv.Itoa(a.number)
	x.id = rawjson.AppendQuoted(nil, id)
	return id
}

func (a *Asker) send(x *Asking, method string, write func(*rawjson.Builder)) {
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0"`)
	b.Member("id", x.id)
	b.StringMember("method", []byte(method))
	b.Name("params")
	b.Object()
	b.StringMember("sessionId", []byte(x.session))
	write(&b)
	b.EndObject()
	b.EndObject()
	a.out.Send(translate.Client, b.Out)
}

// Answer handles an answer of the client. It reports whether the answer is to a request
// of the Asker. One that comes too late changes nothing.
func (a *Asker) Answer(out *translate.Out, m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(m.ID)
	for _, x := range a.open {
		if jsonrpc.IDOf(x.id) == id {
			a.out = out
			x.id = nil
			x.answered(m)
			a.sweep()
			return true
		}
	}
	return a.IsOwn(id)
}

// TakeBack takes back what the client was asked. closed: the client knows the session no
// more.
func (a *Asker) TakeBack(out *translate.Out, closed bool, askings ...*Asking) {
	a.out = out
	a.later = slices.DeleteFunc(a.later, func(x *Asking) bool { return slices.Contains(askings, x) })
	for _, x := range askings {
		if x.id == nil {
			continue
		}
		var b rawjson.Builder
		b.JSON(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{`)
		b.Member("requestId", x.id)
		b.EndObject()
		b.EndObject()
		out.Send(translate.Client, b.Out)
		if x.takeBack != nil && !closed {
			x.takeBack()
		}
		x.id = nil
	}
	a.sweep()
}

// update sends the client a session update that concerns no plan, see [translate.Update].
func (a *Asker) update(session, kind string, write func(*rawjson.Builder)) {
	a.out.Send(translate.Client, translate.Update(session, kind, write))
	a.out.NoPlan()
}

// Say says a text as a message of the agent, apart from those around it.
func (a *Asker) Say(out *translate.Out, session, text string) {
	a.out = out
	a.said++
	a.update(session, "agent_message_chunk", func(b *rawjson.Builder) {
		if a.Version >= 2 {
			b.StringMember("messageId", []byte(ownID+a.Name+"message-"+strconv.Itoa(a.said)))
		}
		b.Name("content")
		b.JSON(`{"type":"text"`)
		b.StringMember("text", []byte("\n\n"+strings.Trim(text, "\n")+"\n\n"))
		b.EndObject()
	})
}
