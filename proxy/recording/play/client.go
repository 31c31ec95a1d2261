package play

import (
	"fmt"
	"slices"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A client is the part of a player that only a client needs: it decides when to send, chooses
// the responses to requests of the agent, and compares the results.
type client struct {
	*player
	timeout   time.Duration                // for a response, and for the end of a turn
	dir       func(recorded string) string // maps a working directory
	agentAsks bool                         // the client is about to answer a request of the agent
	gaveUp    bool                         // a response is late, or initialize failed
}

// readyAt returns when the client can send a message, as far as is known now. A prompt waits for the
// end of the previous turn. A message during a turn has the recorded delay after the prompt or, in
// version 2, after the response to the prompt: the number of messages that an agent sends is not
// known. If the message was recorded during a request of the agent, it is sent at the next request
// of the agent.
func (c *client) readyAt(s *step) time.Duration {
	t := s.turn
	switch {
	case t == s.call && t != nil:
		isBefore := func(o *call) bool { return o.From == c.us && o.isPrompt() && o.Session == s.Session && !o.isOver() }
		if find(c.active, isBefore) != nil {
			return never
		}
	case t == nil, t.isOver(), c.agentAsks && find(c.theirs, func(o *call) bool { return o.turn == t && o.wasPending(s) }) != nil:
	default:
		return t.lastChange + min(s.time()-t.time(), c.timeout/2)
	}
	return 0
}

// receiveMessage processes a request or a notification of the agent.
func (c *client) receiveMessage(m *recording.Message) {
	if m.Stop != "" {
		m.Turn.Prompt.Note.(*call).turnOver = true
	}
	if m.Type == trace.Request {
		c.agentAsks = true
		c.run(c.now) // the recorded client may cancel the turn before it answers
		c.agentAsks = false
		c.answer(m)
	}
}

// deadline returns the time by which requests must be answered and turns must end.
func (c *client) deadline() time.Duration {
	until := never
	for _, o := range c.active {
		if o.From == c.us && (o.isPending() || o.answered && o.isPrompt() && !o.turnOver) {
			until = min(until, o.lastChange+c.timeout)
		}
	}
	return until
}

// answer answers a request of the agent with the recorded response to a similar one.
func (c *client) answer(m *recording.Message) {
	recorded := c.mostSimilar(m)
	if recorded == nil {
		c.log.Info("the recording has no response to such a request", "method", m.Method)
		c.dismiss(m)
		return
	}
	c.unmatched = slices.DeleteFunc(c.unmatched, func(o *call) bool { return o == recorded })
	if m.Method != "session/request_permission" || recorded.reply.IsError {
		c.out = append(append(c.out, withIDs(c.names.Apply("", recorded.reply.Append(nil)), m.ID, nil)...), '\n')
	} else if id := similarOption(m.Params, recorded.Params, rawjson.StringAt(recorded.reply.Payload, "outcome", "optionId")); id != "" {
		c.respond(m.ID, `{"outcome":{"outcome":"selected","optionId":`+string(rawjson.AppendQuoted(nil, id))+`}}`)
	} else {
		c.dismiss(m)
	}
}

// mostSimilar returns the unmatched recorded request that is most like a request of the agent: it has
// the same method, a tool call of the same kind, and if possible the same title. If the agent reads a
// file, the path must be the same.
func (c *client) mostSimilar(m *recording.Message) (best *call) {
	kind, title := toolCallIn(m.Params)
	for _, recorded := range c.unmatched {
		if recorded.reply == nil || recorded.Method != m.Method {
			continue
		}
		recordedKind, recordedTitle := toolCallIn(recorded.Params)
		path := c.names.Apply("", rawjson.AppendQuoted(nil, rawjson.StringAt(recorded.Params, "path")))
		switch {
		case recordedKind != "" && kind != "" && recordedKind != kind:
		case m.Method == "fs/read_text_file" && string(rawjson.Unquote(path)) != rawjson.StringAt(m.Params, "path"):
		case recordedTitle == title:
			return recorded
		case best == nil:
			best = recorded
		}
	}
	return best
}

// toolCallIn returns the kind of the tool call in a request, and the title of the request.
func toolCallIn(params []byte) (kind, title string) {
	title, call := recording.ReadPermission(params)
	return rawjson.StringAt(call, "kind"), title
}

// similarOption returns the id of the option to choose in a request: the option that was chosen in the
// recorded request, or else the first option of the same kind.
func similarOption(request, recorded []byte, chosen string) (similar string) {
	kinds := make(map[string]string)
	for o := range rawjson.Objects(rawjson.Get(recorded, "options"), nil) {
		kinds[o.String("optionId")] = o.String("kind")
	}
	kind := kinds[chosen]
	for o := range rawjson.Objects(rawjson.Get(request, "options"), nil) {
		id, isAlike := o.String("optionId"), kind != "" && o.String("kind") == kind
		if id == chosen && (kind == "" || isAlike) {
			return id
		}
		if similar == "" && isAlike {
			similar = id
		}
	}
	return similar
}

// dismiss answers a request of the agent without a choice.
func (c *client) dismiss(m *recording.Message) {
	switch m.Method {
	case "session/request_permission":
		c.respond(m.ID, `{"outcome":{"outcome":"cancelled"}}`)
	case "elicitation/create":
		c.respond(m.ID, `{"action":"cancel"}`)
	default:
		c.refuse(m.ID, jsonrpc.MethodNotFound, "the recording that this client plays has no answer to "+m.Method)
	}
}

// result describes the conversation, which err may have ended.
func (c *client) result(err error) (r Result) {
	for _, o := range c.ours {
		if o.reply == nil {
			continue
		}
		r.Recorded++
		isComplete := o.answered && (o.turnOver || !o.isPrompt() || !c.gaveUp)
		if isComplete && (o.failure == nil || o.reply.IsError) {
			r.Answered++
		}
	}
	isLate := func(o *call) bool { return o.From == c.us && o.lastChange+c.timeout <= c.now && !c.isSettled(o) }
	if o := find(c.active, isLate); o != nil {
		missing := "no response"
		if o.answered {
			missing = "its turn did not end"
		}
		r.Late = fmt.Sprintf("#%d %s: %s within %v (see --timeout)", o.Line, o.Method, missing, c.timeout)
	}
	if err != nil || r.Late != "" || r.Answered < r.Recorded {
		r.Status = 1
	}
	return r
}
