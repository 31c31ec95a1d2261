package v1agent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A prompt is a prompt of the client with its repetitions. A client of version 2 may repeat a prompt
// with the same idempotencyKey if it does not know whether the first one has arrived. Version 1 has
// no such keys, so the bridge forwards the first prompt with a key, and answers the other prompts
// with the key like the first one. If the prompt fails, the key can be used again.
type prompt struct {
	session   *session
	key       string   // the idempotencyKey; "" if there is none
	messageID string   // "" until the prompt is inserted
	repeats   [][]byte // raw ids of the prompts with the same key, until the insertion
}

// prompt forwards session/prompt. Its turn is in turns.go.
func (b *Bridge) prompt(m *jsonrpc.Message) {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], calls.ParamsOf(m))
	key, _ := o.Text("idempotencyKey")
	if s := b.sessions.Find(m.Session); s != nil {
		if s.closing != nil {
			b.refuse(m, noSession(m.Session))
			return
		}
		if p := s.prompts.Find(key); p != nil {
			p.repeat(m.ID)
			return
		}
	}
	if kind, ok := unsupportedBlock(o); !ok {
		e := calls.InvalidParams("no content that the agent can be given")
		if kind != "" {
			e = unknownTypeError(kind, "a content block that the agent cannot be given")
		}
		b.refuse(m, e)
		return
	}
	s := b.session(m.Session)
	p := &prompt{session: s, key: string(key)}
	if p.key != "" {
		s.prompts.Put(p.key, p)
	}
	switch {
	case s.turn == nil:
		b.start(s, m, p)
	case !b.enqueue(s, m, p):
		b.refuseWithRepeats(m.ID, p, errTooMany.Raw())
	}
}

// repeat answers a prompt whose key was used before: at once if the first prompt is inserted, otherwise
// together with the first prompt. It refuses the prompt if the budget has no room for its id.
func (p *prompt) repeat(id []byte) {
	switch {
	case p.messageID != "":
		p.answer(id)
	case p.session.bridge.share.Reserve(queuedCost + len(id)):
		p.repeats = append(p.repeats, bytes.Clone(id))
	default:
		p.session.link.Refuse(translate.Client, id, errTooMany)
	}
}

// unsupportedBlock reports whether version 1 has all content blocks of a prompt. If not, kind is the
// type of the first one that it lacks, or "" if the prompt has no content.
func unsupportedBlock(params rawjson.Object) (kind string, ok bool) {
	var elements [8][]byte
	blocks, _ := rawjson.ReadArray(elements[:0], params.Get("prompt"))
	var w shapes.Writer
	i := slices.IndexFunc(blocks, func(block []byte) bool { return !w.ToV1(shapes.Block, block) })
	if i >= 0 {
		kind = rawjson.StringAt(blocks[i], "type")
	}
	return kind, i < 0 && len(blocks) > 0
}

// start sends a prompt to the agent, which begins a turn.
func (b *Bridge) start(s *session, m *jsonrpc.Message, p *prompt) {
	if r := s.replay; r != nil && r.sessions[0] != s {
		s.endReplay(r.requested) // further updates belong to the turn
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], calls.ParamsOf(m))
	t := &turn{session: s, prompt: p}
	s.turn = t
	s.turnCount++
	s.message.end()
	t.timer.Fire = func() {
		t.insert()
		t.endLingering()
	}
	b.timers.Set(&t.timer, b.link.After(ackDelay))

	w := b.link.Scratch()
	shapes.Prompt.ToV1(w, o)
	b.link.ReportIn([]byte(s.id), w.Losses...)
	t.call = b.link.Ask(translate.Agent, m, "", w.Out, calls.Request{OnResponse: t.onResponse, Tag: t})
	t.content = o.Get("prompt")
	if s.share.Reserve(len(t.content)) {
		t.content = bytes.Clone(t.content)
	} else { // the content cannot be kept until the insertion
		t.insert()
		t.content = nil
	}
}
