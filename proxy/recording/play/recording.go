package play

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// The methods that mean something to a player.
const (
	methodInitialize = "initialize"
	methodNew        = "session/new"
	methodPrompt     = "session/prompt"
	methodUpdate     = "session/update"
	methodCancel     = "session/cancel"
	methodCancelAny  = "$/cancel_request"
)

// A recording is what the agent did, by what it waited for. A session is a [lane] of
// points, at each of which the agent waits for its client; behind a point is what it
// said before the next.
//
// Only the points are kept in memory. What the agent said is known by where it is in
// the file.
type recording struct {
	source   *source
	lanes    map[string]*lane // by session; "" has what belongs to none
	asks     []*point         // in order
	byMethod map[string][]*point
	answers  map[int64]*point // by the question that each answers
	version  int              // of the protocol, which the agent spoke; 0 if it has not said
	agent    bool             // it has said something
	lines    int              // that have a message
}

// A lane is a session of the recording.
type lane struct {
	session string
	points  []*point
	turn    *point // that is under way, while the recording is read
	lastAsk *point
	play    laneState
}

// A waitsFor is what a point waits for.
type waitsFor uint8

const (
	ask      waitsFor = iota // a request of the client
	cancel                   // that the client cancels the turn
	choice                   // the answer to a question of the agent
	elsewise                 // a request that does not concern the session
)

// A point is a moment at which the agent waits for its client.
type point struct {
	waits   waitsFor
	lane    *lane
	index   int
	at      place // of what the client said then
	time    time.Duration
	method  string     // of a request
	id      jsonrpc.ID // of a request
	answer  place      // of the answer to it
	given   string     // the answer, if that is not in the recording
	within  *point     // the turn that was under way
	asked   *point     // elsewise: that request; nil if there was none before
	besides []*point   // those that wait for this request too
	about   int64      // choice: the question

	// Of a prompt: what ended its turn, and the point in front of that.
	end      place
	endPoint *point

	runs  runs
	state pointState
}

// A runs is a list of stretches of the file, which have lines of the agent: how far
// each is from the one before, and its length.
type runs struct {
	encoded    []byte
	before     int64 // the end of the last one that is encoded
	start, end int64 // of the one that still grows
}

// add adds a line. Lines are added from front to back.
func (r *runs) add(start, end int64) {
	switch {
	case r.end == start && r.end > 0:
		r.end = end
		return
	case r.end > 0:
		r.flush()
	}
	r.start, r.end = start, end
}

func (r *runs) flush() {
	r.encoded = binary.AppendUvarint(r.encoded, uint64(r.start-r.before))
	r.encoded = binary.AppendUvarint(r.encoded, uint64(r.end-r.start))
	r.before = r.end
}

// open reads a recording.
func open(s *source) (*recording, error) {
	r := &recording{
		source: s, lanes: make(map[string]*lane),
		byMethod: make(map[string][]*point), answers: make(map[int64]*point),
	}
	x := newReading(r)
	if err := s.scan(x.line); err != nil {
		return nil, err
	}
	switch {
	case r.lines == 0:
		return nil, errors.New("it has no message of the protocol in it")
	case !r.agent:
		return nil, errors.New("it has no message of an agent in it")
	case len(r.asks) == 0 && x.traced:
		return nil, errors.New("it has no request of the client in it; a recording to play is made with --trace-all")
	case len(r.asks) == 0:
		return openAlone(s, x.guess.complete())
	}
	return r, nil
}

// openAlone reads a recording of what the agent said alone.
func openAlone(s *source, asks []impliedAsk) (*recording, error) {
	r := &recording{
		source: s, lanes: make(map[string]*lane),
		byMethod: make(map[string][]*point), answers: make(map[int64]*point),
	}
	x := newReading(r)
	x.alone, x.implied = true, asks
	x.imply()
	return r, s.scan(x.line)
}

func newReading(r *recording) *reading {
	return &reading{recording: r, open: make(map[jsonrpc.ID]*point), questions: make(map[jsonrpc.ID]*question)}
}

// A reading is a recording that is being read.
type reading struct {
	*recording
	sides     sides
	open      map[jsonrpc.ID]*point    // requests of the client that are not answered yet
	questions map[jsonrpc.ID]*question // of the agent, likewise
	traced    bool                     // it is a trace
	alone     bool                     // the client's side is not there
	guess     implied                  // what the agent was asked, if that is not there
	implied   []impliedAsk             // of that, what is not behind
}

// A question is a request of the agent.
type question struct {
	key  int64
	lane *lane
}

// line handles the messages of a line. A batch belongs where its first message does.
func (r *reading) line(found []message) {
	for i := range found {
		m := &found[i]
		r.lines++
		if r.sides.tell(m); m.sided {
			r.traced = r.traced || m.event != nil
		}
		if m.client {
			r.clientSaid(m)
		} else {
			r.agentSaid(m, i == 0)
		}
	}
}

func (r *reading) lane(session []byte) *lane {
	l := r.lanes[string(session)]
	if l == nil {
		l = &lane{session: string(session)}
		r.lanes[l.session] = l
	}
	return l
}

// add adds a point to a lane.
func (l *lane) add(p *point) *point {
	p.lane, p.index, p.within = l, len(l.points), l.turn
	l.points = append(l.points, p)
	return p
}

func (l *lane) last() *point {
	if len(l.points) == 0 {
		return nil
	}
	return l.points[len(l.points)-1]
}

func (r *reading) clientSaid(m *message) {
	switch m.kind {
	case request:
		r.clientAsked(m)
	case answer:
		id := jsonrpc.IDOf(m.id)
		if q := r.questions[id]; q != nil {
			delete(r.questions, id)
			r.answers[q.key] = q.lane.add(&point{waits: choice, at: m.at, time: m.time, about: q.key})
		}
	case notification:
		if p := r.cancelled(m); p != nil {
			p.lane.add(&point{waits: cancel, at: m.at, time: m.time})
		}
	}
}

// cancelled returns the turn that a notification cancels, nil if it cancels none.
func (r *reading) cancelled(m *message) *point {
	switch string(m.method) {
	case methodCancel:
		return r.lane(m.session).turn
	case methodCancelAny:
		if p := r.open[jsonrpc.IDOf(rawjson.Get(m.params, "requestId"))]; p != nil && p.lane.turn == p {
			return p
		}
	}
	return nil
}

func (r *reading) clientAsked(m *message) {
	l := r.lane(m.session)
	r.asked(l.add(&point{waits: ask, at: m.at, time: m.time, method: strings.Clone(string(m.method)), id: jsonrpc.IDOf(m.id)}))
}

// asked notes a request of the client.
func (r *reading) asked(p *point) {
	p.lane.lastAsk = p
	if p.method == methodPrompt {
		p.lane.turn = p
	}
	r.asks = append(r.asks, p)
	r.byMethod[p.method] = append(r.byMethod[p.method], p)
	r.open[p.id] = p
}

// agentSaid handles what the agent said: first is set for the message that its line
// belongs to.
func (r *reading) agentSaid(m *message, first bool) {
	r.agent = true
	if len(r.asks) == 0 {
		r.guess.hear(m)
	}
	owner := r.owner(m)
	if first {
		owner.runs.add(m.at.start, m.at.end())
	}
	if turn := owner.lane.turn; turn != nil && r.endsTurn(m, turn, r.open[jsonrpc.IDOf(m.id)]) {
		turn.end, turn.endPoint = m.at, owner
		owner.lane.turn = nil
	}
	switch m.kind {
	case request:
		q := &question{m.at.key(), owner.lane}
		r.questions[jsonrpc.IDOf(m.id)] = q
		if r.alone { // it has waited for the answer, which is not there
			r.answers[q.key] = q.lane.add(&point{waits: choice, time: m.time, about: q.key})
		}
	case answer:
		id := jsonrpc.IDOf(m.id)
		if p := r.open[id]; p != nil {
			p.answer = m.at
			delete(r.open, id)
			if p.method == methodInitialize && !m.failed {
				r.version = versionOf(m.result)
			}
			r.imply()
		}
	}
}

// versionOf returns the version that an answer to initialize is of. One that has
// nothing of version 2 is of version 1, whatever it says.
func versionOf(result []byte) int {
	if string(rawjson.Get(result, "protocolVersion")) != "1" && (rawjson.Get(result, "info") != nil || rawjson.Get(result, "capabilities") != nil) {
		return 2
	}
	return 1
}

// owner returns the point in front of a message.
func (r *reading) owner(m *message) *point {
	if m.kind == answer {
		p := r.open[jsonrpc.IDOf(m.id)]
		switch {
		case p == nil:
		case p.method == methodPrompt || p.lane.lastAsk == p:
			return p.lane.last()
		default:
			// The answer waits for no other request that was under way.
			return p
		}
	}
	var latest *point
	if len(r.asks) > 0 {
		latest = r.asks[len(r.asks)-1]
	}
	l := r.lane(m.session)
	if m.session == nil && latest != nil {
		l = latest.lane
	}
	p := l.last()
	if p == nil || l.turn == nil && latest != nil && l != latest.lane && l.lastAsked() != latest {
		p = l.add(&point{waits: elsewise, time: m.time, asked: latest})
		if latest != nil {
			latest.besides = append(latest.besides, p)
			p.time = latest.time
		}
	}
	return p
}

// lastAsked returns the latest request that the lane has waited for.
func (l *lane) lastAsked() *point {
	for _, p := range slices.Backward(l.points) {
		switch p.waits {
		case ask:
			return p
		case elsewise:
			return p.asked
		}
	}
	return nil
}

// endsTurn reports whether a message ends the turn: in version 1 the answer to its
// prompt, which is to, in version 2 a state.
func (r *reading) endsTurn(m *message, turn, to *point) bool {
	if m.kind == answer {
		return to == turn && (r.version == 1 || m.failed || rawjson.Get(m.result, "stopReason") != nil)
	}
	return isIdle(m)
}

func isIdle(m *message) bool {
	if m.kind != notification || string(m.method) != methodUpdate || !bytes.Contains(m.params, []byte(`"idle"`)) {
		return false
	}
	update := rawjson.Get(m.params, "update")
	return string(textOf(update, "sessionUpdate")) == "state_update" && string(textOf(update, "state")) == "idle"
}

// sides tells who said the lines of a recording that does not have that.
type sides struct {
	asked [2]map[jsonrpc.ID]bool // by the client, by the agent
}

// tell sets who said a message.
func (s *sides) tell(m *message) {
	if m.sided {
		return
	}
	if s.asked[0] == nil {
		s.asked[0], s.asked[1] = make(map[jsonrpc.ID]bool), make(map[jsonrpc.ID]bool)
	}
	id := jsonrpc.IDOf(m.id)
	switch m.kind {
	case answer:
		m.client = s.answered(m, id)
		if m.client {
			delete(s.asked[1], id)
		} else {
			delete(s.asked[0], id)
		}
	case request:
		if m.client = isClients(string(m.method)); m.client {
			s.asked[0][id] = true
		} else {
			s.asked[1][id] = true
		}
	case notification:
		m.client = isClients(string(m.method))
	}
}

// answered reports whether the client says an answer. If both have asked with its id,
// or nobody has, what it says decides.
func (s *sides) answered(m *message, id jsonrpc.ID) bool {
	if client, agent := s.asked[0][id], s.asked[1][id]; client != agent {
		return agent
	}
	if m.failed {
		return false
	}
	o, _ := rawjson.ReadObject(nil, m.result)
	for _, name := range []string{"outcome", "action", "content", "terminalId", "exitStatus"} {
		if o.Get(name) != nil {
			return true
		}
	}
	return false
}

// isClients reports whether a method is one that clients call.
func isClients(method string) bool {
	switch method {
	case methodUpdate, "session/request_permission":
		return false
	case methodInitialize, "authenticate", "logout", methodCancelAny:
		return true
	}
	for _, family := range []string{"session/", "auth/", "providers/", "nes/", "document/"} {
		if strings.HasPrefix(method, family) {
			return method != "auth/status_update"
		}
	}
	return false
}

// The views of the two ends.
const (
	agentsView  view = view(trace.Agent)
	clientsView view = view(trace.Client)
)
