package v1agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/shapes"
)

// A world is a client of version 2 and an agent of version 1 that act at random, with a bridge
// between them. It compares the messages to each of them with a model of its expectations.
type world struct {
	*rand.Rand
	t    *testing.T
	peer *peer
	log  []string

	nextID   int
	waiting  map[string]string         // the client's requests without an answer, by id: the method
	of       map[string]string         // the sessions of these
	sessions map[string]*clientSession // as the client sees them
	asked    map[string]string         // pending requests at the client, by id: the session
	ids      map[string]bool           // of user messages
	keys     map[string]string         // of the client's prompts without an answer, by id: the session and the key
	taken    map[string]string         // the messages of prompts that were inserted, by session and key
	replays  map[string]bool           // the client's requests for a replay, by id
	replayed map[string]int            // the ends of replays that no answer followed yet, by session

	closedBefore map[string]bool // requests for a session that was closed before they were answered, by id

	work  map[string]object // pending requests at the agent, by id
	asks  map[string]string // the agent's requests without an answer, by id: the session
	turns map[string]string // the prompts that the agent works on, by session: the id
	knows map[string]bool   // sessions of the agent
	dead  bool
}

// A clientSession is a session in the model of the client.
type clientSession struct {
	state     string
	prompted  bool // a user message came after the last turn
	cancelled bool // the turn was cancelled by the client
	wentOn    bool // and ran on
	closed    bool
}

// newWorld returns a world. If j is not nil, it compares the output with the schemas.
func newWorld(t *testing.T, seed uint64, j *bridgetest.Judge) *world {
	r := rand.New(rand.NewPCG(seed, 1))
	flip := func() bool { return r.IntN(2) == 0 }
	w := &world{
		Rand: r, t: t, peer: newPeer(shapes.V1Agent{Load: flip(), Resume: flip(), List: flip(), Close: flip(), Delete: flip(), Logout: flip()}),
		waiting: make(map[string]string), of: make(map[string]string), sessions: make(map[string]*clientSession), asked: make(map[string]string),
		ids: make(map[string]bool), keys: make(map[string]string), taken: make(map[string]string), replays: make(map[string]bool),
		replayed: make(map[string]int), closedBefore: make(map[string]bool), work: make(map[string]object), asks: make(map[string]string),
		turns: make(map[string]string), knows: make(map[string]bool),
	}
	w.peer.Judge = j
	return w
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\n%s", strings.Join(w.log, "\n"), fmt.Sprintf(format, args...))
}

func pick[T any](w *world, of ...T) T { return of[w.IntN(len(of))] }

// key returns one of the keys, or "".
func key[V any](w *world, of map[string]V) string {
	if len(of) == 0 {
		return ""
	}
	return pick(w, slices.Sorted(maps.Keys(of))...) // maps have no order, and a seed must determine all
}

// step makes the client or the agent act, or lets time pass.
func (w *world) step() {
	switch n := w.IntN(10); {
	case n == 0:
		w.passes(pick(w, time.Millisecond, lateDelay, ackDelay, closeDelay))
	case n < 4:
		w.client()
	default:
		w.agent()
	}
}

func (w *world) passes(d time.Duration) {
	if d == closeDelay && slices.ContainsFunc(slices.Collect(maps.Values(w.work)), closes) {
		d = lateDelay // this agent closes in time
	}
	left, _, err := w.peer.Do(wait(d))
	w.log = append(w.log, "-- "+d.String())
	w.take(left, err)
}

func (w *world) send(from translate.Side, text string) {
	w.log = append(w.log, from.String()+"> "+text)
	left, _, err := w.peer.Send(from, text)
	w.take(left, err)
}

// client makes the client act.
func (w *world) client() {
	if w.dead {
		return
	}
	session := key(w, w.sessions)
	if s := w.sessions[session]; s != nil && s.closed && w.IntN(4) > 0 {
		session = ""
	} else if s != nil {
		s.closed = false // the client continues to use it
	}
	quoted := strconv.Quote(session)
	switch n := w.IntN(12); {
	case len(w.asked) > 0 && n < 3:
		id := key(w, w.asked)
		delete(w.asked, id)
		w.send(translate.Client,
			`{"jsonrpc":"2.0","id":`+id+`,`+pick(w, `"result":{"outcome":{"outcome":"selected","optionId":"y"}}`,
				`"result":{"outcome":{"outcome":"cancelled"}}`,
				`"result":{"action":"accept","content":{}}`, `"error":{"code":-32603,"message":"no"}`)+`}`)
	case session == "" || n == 3:
		w.request("session/new", "", `{"cwd":"/p"}`)
	case n < 7:
		params := `{"sessionId":` + quoted + `,"prompt":[{"type":"text","text":"` + pick(w, "0", "1", "12", "21") + `"}]`
		if k := pick(w, "", "a", "b", "c"); k != "" { // _meta reaches the agent
			w.keys[w.id(w.nextID+1)] = session + " " + k
			params += `,"idempotencyKey":"` + k + `","_meta":{"key":"` + k + `"}`
		}
		w.request("session/prompt", session, params+`}`)
	case n == 7:
		w.sessions[session].cancelled = w.sessions[session].state != "idle"
		w.send(translate.Client, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":`+quoted+`}}`)
	case n == 8 && len(w.waiting) > 0:
		w.send(translate.Client, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`+key(w, w.waiting)+`}}`)
	case n == 9:
		w.request(pick(w, "session/close", "session/delete"), session, `{"sessionId":`+quoted+`}`)
	case n == 10:
		from := pick(w, "", `,"replayFrom":{"type":"start"}`)
		w.replays[w.id(w.nextID+1)] = from != ""
		w.request("session/resume", session, `{"sessionId":`+quoted+`,"cwd":"/p"`+from+`}`)
	default:
		w.request(pick(w, "session/list", "_other", "auth/login", "auth/logout"), "", `{"methodId":"k"}`)
	}
}

// id returns the nth id of a request. Some are strings.
func (w *world) id(n int) string {
	id := strconv.Itoa(n)
	if n%3 == 0 {
		id = `"` + id + `"`
	}
	return id
}

func (w *world) request(method, session, params string) {
	w.nextID++
	id := w.id(w.nextID)
	w.waiting[id], w.of[id] = method, session
	w.send(translate.Client, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":`+params+`}`)
}

// updates are updates of an agent of version 1.
var updates = []string{
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`,
	`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}}`,
	`{"sessionUpdate":"agent_thought_chunk","content":{"type":"resource_link","uri":"a","name":"n"}}`,
	`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"1"}}`,
	`{"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"2"}}`,
	`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"in_progress","locations":[{"path":"x","line":0}]}`,
	`{"sessionUpdate":"tool_call","toolCallId":"u","title":"U","content":[{"type":"diff","path":"a","oldText":"a\nb","newText":"c\nb"}]}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","title":null,"content":[{"type":"terminal","terminalId":"x"}]}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_info":{"terminal_id":"x"},"terminal_output":{"terminal_id":"x","data":"a"}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_exit":{"terminal_id":"x","exit_code":1,"signal":null}}}`,
	`{"sessionUpdate":"current_mode_update","currentModeId":"code"}`,
	`{"sessionUpdate":"config_option_update","configOptions":[{"id":"o","name":"O","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}]}`,
	`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"c","description":"C","input":null}]}`,
	`{"sessionUpdate":"session_info_update","title":"T","updatedAt":"yesterday"}`,
	`{"sessionUpdate":"usage_update","used":1,"size":2}`,
	`{"sessionUpdate":"subagent_update","sessionId":"kid"}`,
	`{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"resource_link","uri":"a","name":"n"}}`,
	`{"sessionUpdate":"_turn_completed"}`,
}

// agent makes the agent act.
func (w *world) agent() {
	if w.dead {
		return
	}
	session := key(w, w.knows)
	switch n := w.IntN(10); {
	case len(w.work) > 0 && n < 4:
		w.work1(key(w, w.work))
	case session == "":
	case n < 8:
		w.send(translate.Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`+session+`","update":`+pick(w, updates...)+`}}`)
	case n == 8 && len(w.asks) > 0:
		w.send(translate.Agent, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`+key(w, w.asks)+`}}`)
	default:
		w.nextID++
		id := strconv.Itoa(w.nextID)
		w.asks[id] = session
		w.send(translate.Agent, `{"jsonrpc":"2.0","id":`+id+pick(w,
			`,"method":"session/request_permission","params":{"sessionId":"`+session+`","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}`,
			`,"method":"elicitation/create","params":{"sessionId":"`+session+`","mode":"form","message":"m","requestedSchema":{}}}`,
			`,"method":"fs/read_text_file","params":{"sessionId":"`+session+`","path":"/p"}}`))
	}
}

// work1 makes the agent answer a request.
func (w *world) work1(id string) {
	m := w.work[id]
	delete(w.work, id)
	params, _ := m["params"].(object)
	session, _ := params["sessionId"].(string)
	result := "{}"
	switch m["method"] {
	case "session/prompt":
		delete(w.turns, session)
		result = pick(w, `{"stopReason":"end_turn"}`, `{"stopReason":"cancelled"}`, `{"stopReason":"refusal","usage":null}`)
	case "session/new":
		session = "s" + id
		w.knows[session] = true
		result = `{"sessionId":"` + session + `"` + pick(w, "", `,"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}`, `,"configOptions":[]`) + `}`
	case "session/list":
		result = `{"sessions":[]}`
	case "session/set_mode", "session/load", "session/close":
		result = pick(w, "{}", "null")
	}
	if w.IntN(5) == 0 {
		w.send(translate.Agent, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":`+pick(w, "-32603", "-32800", "-32002", "-32000")+`,"message":"no"}}`)
		return
	}
	w.send(translate.Agent, `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`)
}

// take checks a message of the bridge.
func (w *world) take(left []string, err error) {
	w.t.Helper()
	if err != nil {
		w.fail("%v", err)
	}
	for _, l := range left {
		w.log = append(w.log, "  "+l)
	}
	for _, l := range left {
		to, text := bridgetest.ParseOutput(l)
		var m object
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&m); err != nil {
			w.fail("%v", err)
		}
		id := ""
		if m["id"] != nil {
			raw, _ := json.Marshal(m["id"])
			id = string(raw)
		}
		if to == translate.Client {
			w.clientGets(id, m)
		} else {
			w.agentGets(id, m)
		}
	}
	w.consistent()
}

func (w *world) clientGets(id string, m object) {
	params, _ := m["params"].(object)
	session, _ := params["sessionId"].(string)
	switch method := m["method"]; {
	case method == nil:
		asked, ok := w.waiting[id]
		if !ok {
			w.fail("an answer to %s, which does not wait", id)
		}
		w.replayAnswered(id, m)
		w.clientAnswered(asked, w.of[id], w.keys[id], m)
		delete(w.waiting, id)
	case id != "":
		if _, ok := w.asked[id]; ok {
			w.fail("two questions are %s", id)
		}
		w.asked[id] = session
	case method == "session/update":
		w.reported(session, params["update"].(object))
	}
}

// replayAnswered checks that a replay ends once, before the response to its request.
func (w *world) replayAnswered(id string, m object) {
	session := w.of[id]
	switch n := w.replayed[session]; {
	case w.waiting[id] != "session/resume":
		return
	case n > 1 || n == 1 && (!w.replays[id] || m["result"] == nil):
		w.fail("%d replays of %s have ended", n, session)
	case n == 0 && w.replays[id] && m["result"] != nil && !w.closedBefore[id]:
		w.fail("the replay of %s has not ended", session)
	}
	w.replayed[session] = 0
}

func (w *world) clientAnswered(method, session, key string, m object) {
	result, _ := m["result"].(object)
	s := w.sessions[session]
	switch {
	case result == nil:
	case method == "session/new":
		id, _ := result["sessionId"].(string)
		w.sessions[id] = &clientSession{state: "idle"}
	case method == "session/close" || method == "session/delete":
		if s.state != "idle" {
			w.fail("%s was closed when it was %s", session, s.state)
		}
		s.closed = true
		for id := range w.waiting {
			w.closedBefore[id] = w.closedBefore[id] || w.of[id] == session
		}
		delete(w.turns, session) // the agent may continue, but the turn is over for the client
		// An agent may use the ids of its messages again.
		maps.DeleteFunc(w.ids, func(message string, _ bool) bool { return strings.HasPrefix(message, session+" ") })
		maps.DeleteFunc(w.taken, func(key, _ string) bool { return strings.HasPrefix(key, session+" ") })
	case method == "session/resume":
		s.closed = false
	case method == "session/prompt":
		id, _ := result["messageId"].(string)
		if !w.ids[session+" "+id] {
			w.fail("the prompt was inserted as %v, which is no message", result["messageId"])
		}
		if key != "" {
			if before := w.taken[key]; before != "" && before != id {
				w.fail("the prompt %s is %s and %s", key, before, id)
			}
			w.taken[key] = id
		}
	}
}

// reported checks a session update. Its states must follow the diagram in turns.go.
func (w *world) reported(session string, update object) {
	s := w.sessions[session]
	if s == nil {
		return // the session's own result is later
	}
	resuming := false
	for id, method := range w.waiting {
		resuming = resuming || method == "session/resume" && w.of[id] == session
	}
	if s.closed && !resuming {
		w.fail("an update of %s, which is closed", session)
	}
	switch update["sessionUpdate"] {
	case "user_message":
		id, _ := update["messageId"].(string)
		if resuming && update["content"] != nil && len(update["content"].([]any)) == 0 {
			return
		}
		if w.ids[session+" "+id] {
			w.fail("two messages are %s", id)
		}
		w.ids[session+" "+id] = true
		s.prompted = true
	case "replay_complete":
		w.replayed[session]++
	case "state_update":
		w.state(s, session, update, resuming)
	}
}

func (w *world) state(s *clientSession, session string, update object, resuming bool) {
	to, _ := update["state"].(string)
	_, stopped := update["stopReason"]
	switch {
	case resuming && to == s.state && !stopped:
		// known to the client
	case to == "idle" && s.state == "idle":
		w.fail("%s was idle", session)
	case to == "idle" && update["stopReason"] == "cancelled" && s.wentOn:
		w.fail("%s went on after it was cancelled", session)
	case to == "idle":
		s.cancelled, s.wentOn = false, false
	case s.state == "idle" && (to != "running" || !s.prompted):
		w.fail("%s became %s out of nothing", session, to)
	case s.state == "idle":
		s.prompted = false
	case s.state == to:
		w.fail("%s was %s", session, to)
	case to == "running":
		s.wentOn = s.cancelled
	}
	s.state = to
}

func (w *world) agentGets(id string, m object) {
	params, _ := m["params"].(object)
	session, _ := params["sessionId"].(string)
	switch method := m["method"]; {
	case method == nil:
		if _, ok := w.asks[id]; !ok {
			w.fail("an answer to the agent's %s, which does not wait", id)
		}
		delete(w.asks, id)
	case id != "":
		if w.work[id] != nil {
			w.fail("two requests are %s", id)
		}
		for _, open := range w.work {
			if closes(open) && session != "" && open["params"].(object)["sessionId"] == session {
				w.fail("%v of %s, which is being closed", method, session)
			}
		}
		w.work[id] = m
		if method == "session/prompt" {
			w.agentPrompted(session, params)
			if w.turns[session] != "" && w.work[w.turns[session]] != nil {
				w.fail("two turns in %s", session)
			}
			w.turns[session] = id
		}
	}
}

// agentPrompted checks that the agent does not receive a prompt that was inserted before.
func (w *world) agentPrompted(session string, params object) {
	if params["idempotencyKey"] != nil {
		w.fail("the agent is told a key")
	}
	if meta, ok := params["_meta"].(object); ok && w.taken[fmt.Sprint(session, " ", meta["key"])] != "" {
		w.fail("the prompt %v of %s is repeated", meta["key"], session)
	}
}

// closes reports whether a request closes or deletes a session.
func closes(m object) bool { return m["method"] == "session/close" || m["method"] == "session/delete" }

// consistent checks the invariants between any two steps.
func (w *world) consistent() {
	for _, s := range w.peer.bridge.sessions.All() {
		seen := w.sessions[s.id]
		if seen == nil || s.turn == nil || s.turn.isCancelled() {
			continue
		}
		waits := slices.ContainsFunc(s.questions, func(q *question) bool { return q.turn == s.turn })
		if waits != (s.state == requiresAction) && s.turn.isInserted() {
			w.fail("%s is %s with %d questions", s.id, s.state, len(s.questions))
		}
	}
}

// settle makes both sides finish their work.
func (w *world) settle() {
	for range 1000 {
		switch {
		case len(w.asked) > 0:
			id := key(w, w.asked)
			delete(w.asked, id)
			w.send(translate.Client, `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"cancel"}}`)
		case len(w.work) > 0:
			w.work1(key(w, w.work))
		default:
			w.passes(closeDelay)
			if len(w.work) == 0 {
				if len(w.waiting) > 0 {
					w.fail("the client still waits for %v", w.waiting)
				}
				if len(w.asks) > 0 {
					w.fail("the agent still waits for %v", w.asks)
				}
				return
			}
		}
	}
	w.fail("it never settles")
}

// die ends the agent.
func (w *world) die() {
	w.dead = true
	w.log = append(w.log, "-- gone")
	left, _, err := w.peer.Do(gone())
	w.take(left, err)
	if len(w.waiting) > 0 {
		w.fail("the client still waits for %v", w.waiting)
	}
	for id, s := range w.sessions {
		if s.state != "idle" {
			w.fail("%s stays %s", id, s.state)
		}
	}
	if next := w.peer.bridge.NextWake(); !next.IsZero() {
		w.fail("wants to be woken at %v", next)
	}
}

// TestProperties lets clients and agents act at random: each request has one response, states
// are well-formed, and the agent may end at any time. All output is valid, which the schemas
// check.
func TestProperties(t *testing.T) {
	runs := 400
	if n, err := strconv.Atoi(os.Getenv("ACP_PROPERTY_RUNS")); err == nil {
		runs = n
	}
	for seed := range uint64(runs) {
		var j *bridgetest.Judge
		if seed%20 == 0 {
			j = bridgetest.NewJudge(t, 2)
		}
		w := newWorld(t, seed, j)
		for range w.IntN(200) {
			w.step()
		}
		if seed%2 == 0 {
			w.settle()
		}
		w.die()
	}
}

// TestRandomConversations sends messages of both sides in random order, with members of wrong
// types here and there. Each request of the client has exactly one response.
func TestRandomConversations(t *testing.T) {
	lines := strings.Split(strings.Join(seeds(), "\n"), "\n")
	bridgetest.PlayRandom(t, lines, func(seed uint64) *bridgetest.Peer {
		return newPeer([]shapes.V1Agent{able, {}}[seed%2]).Peer
	})
}
