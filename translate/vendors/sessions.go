package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// Past a limit of package keep a plan may not be shown; the traffic goes on.
const (
	maxNoted = 1 << 10   // tool calls whose session is known
	maxTodos = 256 << 10 // bytes of a list of todos that is read
	callCost = 128       // bytes of a tool call with todos besides its list
)

// A session is what is known of a session.
type session struct {
	id       string
	calls    map[string]*todoCall // tool calls with todos that are not over, by id
	list     *list                // the todos that were said last; nil if there were none
	shown    []byte               // these as entries of a plan
	listSize int                  // bytes of both, and of the lists before
	unsure   bool                 // the client may not have got these
	ownPlans bool                 // the agent has plans of the protocol: its todos say the same
	plan     *vendorPlan          // the vendor's plan whose text is shown; nil if none is
	drafts   map[string]*draft    // plan files by path, see proposals.go
	over     bool                 // it has begun again, or has ended
	kept     *keep.Share
	known    *keep.Entry // all of this, which goes together
	size     int         // bytes of these, see keeps
}

// A vendorPlan is a vendor's plan with a text.
type vendorPlan struct {
	id       string
	size     int  // bytes of the text as JSON
	approved bool // by the user
}

// showsApproved reports whether the text of an approved plan of a vendor is shown.
func (s *session) showsApproved() bool { return s.plan != nil && s.plan.approved }

// sessions are the sessions of a connection.
type sessions struct {
	all       keep.Map[*session]
	last      string           // the session that was used last
	several   bool             // another one was used before
	running   keep.Map[prompt] // that the agent has not answered, by their ids
	clock     int              // counts prompts and tool calls with todos
	openCalls int              // in all of them
	noted     keep.Map[string] // the sessions of tool calls, by their ids, of each the one that began last
	forgot    bool             // one was forgotten because there are too many
	budget    *keep.Budget
	beside    *keep.Share // what is kept beside sessions
}

// reset forgets all sessions.
func (ss *sessions) reset() {
	for id := range ss.all.All() {
		ss.forget(id)
	}
	ss.running.Clear()
	ss.noted.Clear()
	*ss = sessions{budget: ss.budget, beside: ss.beside}
}

// A prompt is one that the agent has not answered.
type prompt struct {
	session string
	began   int // by the clock
}

// session returns a session, a new one if nothing is known of it.
func (t *Translator) session(id []byte) *session {
	s := t.sessions.all.Find(id)
	if s == nil {
		s = &session{id: string(id)}
		t.sessions.put(s)
	}
	return s
}

// put adds a session.
func (ss *sessions) put(s *session) {
	goes := func() {
		ss.forget(s.id)
		ss.forgot = true
	}
	ss.all.Put(s.id, s)
	s.kept = ss.budget.Open(len(s.id), goes)
	s.known = s.kept.Add(0, goes)
	s.keeps(0)
}

// keeps notes that a session keeps n bytes more, or fewer.
func (s *session) keeps(n int) {
	s.size += n
	s.known.Count(s.size)
}

// forget forgets a session.
func (ss *sessions) forget(id string) {
	found := ss.all.Get(id)
	if found == nil {
		return
	}
	ss.openCalls -= len(found.calls)
	found.kept.Close()
	ss.all.Delete(id)
}

// use notes that a session is used.
func (ss *sessions) use(id []byte) {
	if ss.last != string(id) {
		ss.several = ss.last != ""
		ss.last = string(id)
	}
}

// promptBegins notes a prompt.
func (ss *sessions) promptBegins(id, session []byte) {
	if id == nil || session == nil {
		return
	}
	ss.use(session)
	ss.clock++
	ss.running.Keep(ss.beside, string(jsonrpc.IDOf(id)), prompt{ss.last, ss.clock}, nil).Count(len(ss.last))
}

// promptEnds notes that the agent has answered a request, which may be a prompt. A tool
// call that was open when the prompt began will not be completed any more.
func (ss *sessions) promptEnds(id []byte) {
	ended := string(jsonrpc.IDOf(id))
	p := ss.running.Get(ended)
	ss.running.Delete(ended)
	if s := ss.all.Get(p.session); s != nil {
		for id, c := range s.calls {
			if c.began < p.began {
				ss.endCall(s, []byte(id), c)
			}
		}
	}
}

// of returns the session of a request that names none: that of its tool call, or the only
// one with a running prompt, or the one that was used last.
func (ss *sessions) of(call string) string {
	if session := ss.noted.Get(call); session != "" {
		return session
	}
	only := ""
	for _, p := range ss.running.All() {
		if only != "" && p.session != only {
			return ss.last
		}
		only = p.session
	}
	return or(only, ss.last)
}

// note notes the session of a tool call. A request is about one of the last calls.
func (ss *sessions) note(id, session []byte) {
	in := ss.last // without memory of its own
	if in != string(session) {
		in = string(session)
	}
	ss.noted.Keep(ss.beside, string(id), in, nil).Count(len(session))
	ss.noted.Trim(maxNoted)
}

// Forget forgets a session: the agent is about to replay it, or has closed it.
func (t *Translator) Forget(id []byte) {
	if s := t.sessions.all.Find(id); s != nil {
		s.over = true
		t.sessions.forget(s.id)
	}
}

// Resumed notes that the client may not have got what was said of a session.
func (t *Translator) Resumed(id []byte) {
	if s := t.sessions.all.Find(id); s != nil {
		s.unsure = true
	}
}

func (t *Translator) lose(session string, kind translate.LossKind, detail string) {
	t.out.Lose(translate.Loss{Kind: kind, Session: session, Detail: detail})
}
