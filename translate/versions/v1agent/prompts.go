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
		if k := s.keys.Find(key); k != nil {
			k.repeat(m.ID)
			return
		}
	}
	if kind, ok := unsupportedBlock(o); !ok {
		e := invalid("no content that the agent can be given")
		if kind != "" {
			e = unknownTypeError([]byte(kind), "a content block that the agent cannot be given")
		}
		b.refuse(m, e)
		return
	}
	s := b.session(m.Session)
	k := &promptKey{session: s, key: string(key)}
	if k.key != "" {
		s.keys.Put(k.key, k)
	}
	switch {
	case s.turn == nil:
		b.start(s, m, k)
	case !b.enqueue(s, m, k):
		b.refuseWithRepeats(m.ID, k, errTooMany.Raw())
	}
}

// repeat answers a prompt whose key was used before: now, or together with the first prompt.
func (p *promptKey) repeat(id []byte) {
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
		text, _ := rawjson.TextOf(rawjson.Get(blocks[i], "type"))
		kind = string(text)
	}
	return kind, i < 0 && len(blocks) > 0
}

// start sends a prompt to the agent, which begins a turn.
func (b *Bridge) start(s *session, m *jsonrpc.Message, k *promptKey) {
	if r := s.replay; r != nil && r.sessions[0] != s {
		s.endReplay(r.requested) // further updates belong to the turn
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], calls.ParamsOf(m))
	t := &turn{session: s, key: k}
	s.turn = t
	s.turns++
	s.message.end()
	t.timer.Fire = func() {
		t.insert()
		s.turn.endLingering()
	}
	b.timers.Set(&t.timer, b.link.After(ackDelay))

	w := b.link.Scratch()
	shapes.Prompt.ToV1(w, o)
	b.link.LoseAllOf([]byte(s.id), w.Losses)
	t.call = b.link.Ask(translate.Agent, m, "", w.Out, calls.Request{OnResponse: t.onResponse, Tag: t})
	if t.prompt = o.Get("prompt"); s.share.Reserve(len(t.prompt)) {
		t.prompt = bytes.Clone(t.prompt)
	} else {
		t.insert()
		t.prompt = nil
	}
}
