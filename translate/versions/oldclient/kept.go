package oldclient

import "acp-plan-proxy/translate"

// All of what sessions keep is counted and bounded in all: contents, outputs of
// terminals, the ids and titles of tool calls and terminals, what the client has of
// messages, options, the end of the last turn.

const maxKept = 64 << 20 // bytes of what is kept of sessions

// A tally adds what is kept to the counts that it is a part of.
type tally []*int

func (t tally) add(n int) {
	for _, count := range t {
		*count += n
	}
}

// account counts what is kept of the session besides tool calls and terminals, which
// count by themselves.
func (t *sessions) account(s *session) {
	if s.closed {
		return
	}
	beside := s.besideTools()
	tally{&s.kept, &t.kept}.add(beside - s.counted)
	s.counted = beside
}

// makeRoom has old sessions lose what is kept of them if that is too much in all, and
// the current one last: first contents, then all, so that the client is shown as new
// what it has been shown before. The current one may be nil.
func (t *sessions) makeRoom(current *session) {
	t.forgetOld(current, (*session).contents, (*session).forgetContents,
		translate.LossTooMuchContents, "forgot that of an old session; what is added takes its place")
	t.forgetOld(current, (*session).size, (*session).forgetKnown,
		translate.LossTooManyNames, "forgot which tool calls, messages and options an old session has")
}

// forgetOld has sessions forget something that has a size, as long as too much is kept.
func (t *sessions) forgetOld(current *session, size func(*session) int, forget func(*session), kind translate.LossKind, detail string) {
	of := func(s *session) {
		if s != nil && t.kept > maxKept && size(s) > 0 {
			s.toolCalls.flush()
			forget(s)
			t.account(s)
			t.link.Lose(kind, detail)
		}
	}
	for _, s := range t.all.All() {
		if s != current {
			of(s)
		}
	}
	of(current)
}

func (s *session) contents() int { return s.toolCalls.size + s.terminals.size }

func (s *session) size() int {
	return s.contents() + s.toolCalls.named + s.terminals.named + s.besideTools()
}

func (s *session) besideTools() int {
	return s.messages.size + s.options.size + s.turns.size()
}

// forgetContents forgets contents and outputs.
func (s *session) forgetContents() {
	s.toolCalls.forgetContents()
	s.terminals.forgetOutputs()
}

// forgetKnown forgets what the client has been shown of the session, and can choose.
// What still waits for an answer may refer to a tool call of it.
func (s *session) forgetKnown() {
	s.forgetContents() // also of the tool calls that something still refers to
	s.toolCalls.forget()
	s.terminals.forget()
	s.messages.forget()
	s.options = options{}
	s.turns.forgetEnd()
}
