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

// A simulation is a client of version 2 and an agent of version 1 that act at random, with a bridge
// between them. It compares the messages to each of them with a model of its expectations.
type simulation struct {
	*rand.Rand
	t    *testing.T
	peer *peer
	log  []string

	nextID     int
	agentEnded bool

	// The model of the client:
	clientRequests  map[string]*clientRequest // the client's pending requests, by id
	clientQuestions map[string]string         // sessions of the requests that the client has not answered, by id
	sessions        map[string]*clientSession
	messages        map[string]bool   // user messages, by session and id
	inserted        map[string]string // message ids of inserted prompts, by session and idempotencyKey
	replayEnds      map[string]int    // ends of replays that no response has followed yet, by session

	// The model of the agent:
	agentRequests  map[string]object // requests that the agent has not answered, by id
	agentQuestions map[string]string // sessions of the agent's pending requests, by id
	agentTurns     map[string]string // ids of the prompts that the agent works on, by session
	agentSessions  map[string]bool
}

// A clientRequest is a pending request of the client.
type clientRequest struct {
	method, session string
	key             string // session and idempotencyKey of a prompt; "" without a key
	isReplay        bool   // the request asks for a replay
	closedBefore    bool   // the session was closed while the request was pending
}

// A clientSession is a session in the model of the client.
type clientSession struct {
	state     string
	prompted  bool // a user message followed the last turn
	cancelled bool // the client has cancelled the turn
	continued bool // the cancelled turn is running again
	closed    bool
}

// newSimulation returns a simulation. If j is not nil, it compares the output with the schemas.
func newSimulation(t *testing.T, seed uint64, j *bridgetest.Judge) *simulation {
	r := rand.New(rand.NewPCG(seed, 1))
	flip := func() bool { return r.IntN(2) == 0 }
	sim := &simulation{
		Rand: r, t: t, peer: newPeer(shapes.V1Agent{Load: flip(), Resume: flip(), List: flip(), Close: flip(), Delete: flip(), Logout: flip()}),
		clientRequests: make(map[string]*clientRequest), clientQuestions: make(map[string]string), sessions: make(map[string]*clientSession),
		messages: make(map[string]bool), inserted: make(map[string]string), replayEnds: make(map[string]int),
		agentRequests: make(map[string]object), agentQuestions: make(map[string]string), agentTurns: make(map[string]string), agentSessions: make(map[string]bool),
	}
	sim.peer.Judge = j
	return sim
}

func (sim *simulation) fail(format string, args ...any) {
	sim.t.Helper()
	sim.t.Fatalf("%s\n%s", strings.Join(sim.log, "\n"), fmt.Sprintf(format, args...))
}

func pick[T any](sim *simulation, of ...T) T { return of[sim.IntN(len(of))] }

// anyKey returns one of the keys, or "".
func anyKey[V any](sim *simulation, of map[string]V) string {
	if len(of) == 0 {
		return ""
	}
	return pick(sim, slices.Sorted(maps.Keys(of))...) // maps have no order, and a seed must determine all
}

// step makes the client or the agent act, or lets time pass.
func (sim *simulation) step() {
	switch n := sim.IntN(10); {
	case n == 0:
		sim.wait(pick(sim, time.Millisecond, lateDelay, ackDelay, closeDelay))
	case n < 4:
		sim.clientActs()
	default:
		sim.agentActs()
	}
}

func (sim *simulation) wait(d time.Duration) {
	if d == closeDelay && slices.ContainsFunc(slices.Collect(maps.Values(sim.agentRequests)), closes) {
		d = lateDelay // this agent closes in time
	}
	output, _, err := sim.peer.Do(wait(d))
	sim.log = append(sim.log, "-- "+d.String())
	sim.receive(output, err)
}

func (sim *simulation) send(from translate.Side, text string) {
	sim.log = append(sim.log, from.String()+"> "+text)
	output, _, err := sim.peer.Send(from, text)
	sim.receive(output, err)
}

// clientActs makes the client act.
func (sim *simulation) clientActs() {
	if sim.agentEnded {
		return
	}
	session := anyKey(sim, sim.sessions)
	if s := sim.sessions[session]; s != nil && s.closed && sim.IntN(4) > 0 {
		session = ""
	} else if s != nil {
		s.closed = false // the client continues to use it
	}
	quoted := strconv.Quote(session)
	switch n := sim.IntN(12); {
	case len(sim.clientQuestions) > 0 && n < 3:
		id := anyKey(sim, sim.clientQuestions)
		delete(sim.clientQuestions, id)
		sim.send(translate.Client,
			`{"jsonrpc":"2.0","id":`+id+`,`+pick(sim, `"result":{"outcome":{"outcome":"selected","optionId":"y"}}`,
				`"result":{"outcome":{"outcome":"cancelled"}}`,
				`"result":{"action":"accept","content":{}}`, `"error":{"code":-32603,"message":"no"}`)+`}`)
	case session == "" || n == 3:
		sim.request(&clientRequest{method: "session/new"}, `{"cwd":"/p"}`)
	case n < 7:
		r := &clientRequest{method: "session/prompt", session: session}
		params := `{"sessionId":` + quoted + `,"prompt":[{"type":"text","text":"` + pick(sim, "0", "1", "12", "21") + `"}]`
		if k := pick(sim, "", "a", "b", "c"); k != "" { // _meta reaches the agent
			r.key = session + " " + k
			params += `,"idempotencyKey":"` + k + `","_meta":{"key":"` + k + `"}`
		}
		sim.request(r, params+`}`)
	case n == 7:
		sim.sessions[session].cancelled = sim.sessions[session].state != "idle"
		sim.send(translate.Client, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":`+quoted+`}}`)
	case n == 8 && len(sim.clientRequests) > 0:
		sim.send(translate.Client, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`+anyKey(sim, sim.clientRequests)+`}}`)
	case n == 9:
		sim.request(&clientRequest{method: pick(sim, "session/close", "session/delete"), session: session}, `{"sessionId":`+quoted+`}`)
	case n == 10:
		from := pick(sim, "", `,"replayFrom":{"type":"start"}`)
		sim.request(&clientRequest{method: "session/resume", session: session, isReplay: from != ""}, `{"sessionId":`+quoted+`,"cwd":"/p"`+from+`}`)
	default:
		sim.request(&clientRequest{method: pick(sim, "session/list", "_other", "auth/login", "auth/logout")}, `{"methodId":"k"}`)
	}
}

// request sends a request of the client with raw params. Some ids are strings.
func (sim *simulation) request(r *clientRequest, params string) {
	sim.nextID++
	id := strconv.Itoa(sim.nextID)
	if sim.nextID%3 == 0 {
		id = strconv.Quote(id)
	}
	sim.clientRequests[id] = r
	sim.send(translate.Client, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+r.method+`","params":`+params+`}`)
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

// agentActs makes the agent act.
func (sim *simulation) agentActs() {
	if sim.agentEnded {
		return
	}
	session := anyKey(sim, sim.agentSessions)
	switch n := sim.IntN(10); {
	case len(sim.agentRequests) > 0 && n < 4:
		sim.agentResponds(anyKey(sim, sim.agentRequests))
	case session == "":
	case n < 8:
		sim.send(translate.Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`+session+`","update":`+pick(sim, updates...)+`}}`)
	case n == 8 && len(sim.agentQuestions) > 0:
		sim.send(translate.Agent, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`+anyKey(sim, sim.agentQuestions)+`}}`)
	default:
		sim.nextID++
		id := strconv.Itoa(sim.nextID)
		sim.agentQuestions[id] = session
		sim.send(translate.Agent, `{"jsonrpc":"2.0","id":`+id+pick(sim,
			`,"method":"session/request_permission","params":{"sessionId":"`+session+`","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}`,
			`,"method":"elicitation/create","params":{"sessionId":"`+session+`","mode":"form","message":"m","requestedSchema":{}}}`,
			`,"method":"fs/read_text_file","params":{"sessionId":"`+session+`","path":"/p"}}`))
	}
}

// agentResponds makes the agent answer a request.
func (sim *simulation) agentResponds(id string) {
	m := sim.agentRequests[id]
	delete(sim.agentRequests, id)
	params, _ := m["params"].(object)
	session, _ := params["sessionId"].(string)
	result := "{}"
	switch m["method"] {
	case "session/prompt":
		delete(sim.agentTurns, session)
		result = pick(sim, `{"stopReason":"end_turn"}`, `{"stopReason":"cancelled"}`, `{"stopReason":"refusal","usage":null}`)
	case "session/new":
		session = "s" + id
		sim.agentSessions[session] = true
		result = `{"sessionId":"` + session + `"` + pick(sim, "", `,"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}`, `,"configOptions":[]`) + `}`
	case "session/list":
		result = `{"sessions":[]}`
	case "session/set_mode", "session/load", "session/close":
		result = pick(sim, "{}", "null")
	}
	if sim.IntN(5) == 0 {
		sim.send(translate.Agent, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":`+pick(sim, "-32603", "-32800", "-32002", "-32000")+`,"message":"no"}}`)
		return
	}
	sim.send(translate.Agent, `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`)
}

// receive checks the messages of the bridge.
func (sim *simulation) receive(output []string, err error) {
	sim.t.Helper()
	if err != nil {
		sim.fail("%v", err)
	}
	for _, l := range output {
		sim.log = append(sim.log, "  "+l)
	}
	for _, l := range output {
		to, text := bridgetest.ParseOutput(l)
		var m object
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&m); err != nil {
			sim.fail("%v", err)
		}
		id := ""
		if m["id"] != nil {
			raw, _ := json.Marshal(m["id"])
			id = string(raw)
		}
		if to == translate.Client {
			sim.clientReceives(id, m)
		} else {
			sim.agentReceives(id, m)
		}
	}
	sim.checkQuestions()
}

func (sim *simulation) clientReceives(id string, m object) {
	params, _ := m["params"].(object)
	session, _ := params["sessionId"].(string)
	switch method := m["method"]; {
	case method == nil:
		r := sim.clientRequests[id]
		if r == nil {
			sim.fail("a response to %s, which is not pending", id)
		}
		sim.checkReplay(r, m["result"] != nil)
		sim.clientReceivesResponse(r, m)
		delete(sim.clientRequests, id)
	case id != "":
		if _, ok := sim.clientQuestions[id]; ok {
			sim.fail("two pending questions have the id %s", id)
		}
		sim.clientQuestions[id] = session
	case method == "session/update":
		sim.clientReceivesUpdate(session, params["update"].(object))
	}
}

// checkReplay checks that a replay ends once, before the response to its request.
func (sim *simulation) checkReplay(r *clientRequest, succeeded bool) {
	switch n := sim.replayEnds[r.session]; {
	case r.method != "session/resume":
		return
	case n > 1 || n == 1 && !(r.isReplay && succeeded):
		sim.fail("%d replays of %s have ended", n, r.session)
	case n == 0 && r.isReplay && succeeded && !r.closedBefore:
		sim.fail("the replay of %s has not ended", r.session)
	}
	sim.replayEnds[r.session] = 0
}

func (sim *simulation) clientReceivesResponse(r *clientRequest, m object) {
	session := r.session
	result, _ := m["result"].(object)
	s := sim.sessions[session]
	switch {
	case result == nil:
	case r.method == "session/new":
		id, _ := result["sessionId"].(string)
		sim.sessions[id] = &clientSession{state: "idle"}
	case r.method == "session/close" || r.method == "session/delete":
		if s.state != "idle" {
			sim.fail("%s was closed when it was %s", session, s.state)
		}
		s.closed = true
		for _, other := range sim.clientRequests {
			other.closedBefore = other.closedBefore || other.session == session
		}
		delete(sim.agentTurns, session) // the agent may continue, but the turn is over for the client
		// An agent may use the ids of its messages again.
		maps.DeleteFunc(sim.messages, func(message string, _ bool) bool { return strings.HasPrefix(message, session+" ") })
		maps.DeleteFunc(sim.inserted, func(key, _ string) bool { return strings.HasPrefix(key, session+" ") })
	case r.method == "session/resume":
		s.closed = false
	case r.method == "session/prompt":
		id, _ := result["messageId"].(string)
		if !sim.messages[session+" "+id] {
			sim.fail("the prompt is inserted as %v, which is no message", result["messageId"])
		}
		if r.key != "" {
			if before := sim.inserted[r.key]; before != "" && before != id {
				sim.fail("the prompt %s is inserted as %s and as %s", r.key, before, id)
			}
			sim.inserted[r.key] = id
		}
	}
}

// clientReceivesUpdate checks a session update. Its states must follow the diagram in turns.go.
func (sim *simulation) clientReceivesUpdate(session string, update object) {
	s := sim.sessions[session]
	if s == nil {
		return // the response with the session follows
	}
	resuming := false
	for _, r := range sim.clientRequests {
		resuming = resuming || r.method == "session/resume" && r.session == session
	}
	if s.closed && !resuming {
		sim.fail("an update of %s, which is closed", session)
	}
	switch update["sessionUpdate"] {
	case "user_message":
		id, _ := update["messageId"].(string)
		if resuming && update["content"] != nil && len(update["content"].([]any)) == 0 {
			return
		}
		if sim.messages[session+" "+id] {
			sim.fail("two messages have the id %s", id)
		}
		sim.messages[session+" "+id] = true
		s.prompted = true
	case "replay_complete":
		sim.replayEnds[session]++
	case "state_update":
		sim.checkState(s, session, update, resuming)
	}
}

func (sim *simulation) checkState(s *clientSession, session string, update object, resuming bool) {
	to, _ := update["state"].(string)
	_, stopped := update["stopReason"]
	switch {
	case resuming && to == s.state && !stopped:
		// known to the client
	case to == "idle" && s.state == "idle":
		sim.fail("%s is idle twice", session)
	case to == "idle" && update["stopReason"] == "cancelled" && s.continued:
		sim.fail("%s is cancelled after it has continued", session)
	case to == "idle":
		s.cancelled, s.continued = false, false
	case s.state == "idle" && (to != "running" || !s.prompted):
		sim.fail("%s is %s without a prompt", session, to)
	case s.state == "idle":
		s.prompted = false
	case s.state == to:
		sim.fail("%s is %s twice", session, to)
	case to == "running":
		s.continued = s.cancelled
	}
	s.state = to
}

func (sim *simulation) agentReceives(id string, m object) {
	params, _ := m["params"].(object)
	session, _ := params["sessionId"].(string)
	switch method := m["method"]; {
	case method == nil:
		if _, ok := sim.agentQuestions[id]; !ok {
			sim.fail("a response to %s of the agent, which is not pending", id)
		}
		delete(sim.agentQuestions, id)
	case id != "":
		if sim.agentRequests[id] != nil {
			sim.fail("two pending requests have the id %s", id)
		}
		for _, open := range sim.agentRequests {
			if closes(open) && session != "" && open["params"].(object)["sessionId"] == session {
				sim.fail("%v in %s, which is being closed", method, session)
			}
		}
		sim.agentRequests[id] = m
		if method == "session/prompt" {
			sim.checkPrompt(session, params)
			if sim.agentTurns[session] != "" && sim.agentRequests[sim.agentTurns[session]] != nil {
				sim.fail("two turns in %s", session)
			}
			sim.agentTurns[session] = id
		}
	}
}

// checkPrompt checks that the agent does not receive a prompt that was inserted before.
func (sim *simulation) checkPrompt(session string, params object) {
	if params["idempotencyKey"] != nil {
		sim.fail("the agent receives an idempotencyKey")
	}
	if meta, ok := params["_meta"].(object); ok && sim.inserted[fmt.Sprint(session, " ", meta["key"])] != "" {
		sim.fail("the agent receives the prompt %v of %s again", meta["key"], session)
	}
}

// closes reports whether a request closes or deletes a session.
func closes(m object) bool { return m["method"] == "session/close" || m["method"] == "session/delete" }

// checkQuestions checks the invariants between any two steps.
func (sim *simulation) checkQuestions() {
	for _, s := range sim.peer.bridge.sessions.All() {
		seen := sim.sessions[s.id]
		if seen == nil || s.turn == nil || s.turn.isCancelled() {
			continue
		}
		waits := slices.ContainsFunc(s.questions, func(q *question) bool { return q.turn == s.turn })
		if waits != (s.state == requiresAction) && s.turn.isInserted() {
			sim.fail("%s is %s with %d questions", s.id, s.state, len(s.questions))
		}
	}
}

// settle makes both sides finish their work.
func (sim *simulation) settle() {
	for range 1000 {
		switch {
		case len(sim.clientQuestions) > 0:
			id := anyKey(sim, sim.clientQuestions)
			delete(sim.clientQuestions, id)
			sim.send(translate.Client, `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"cancel"}}`)
		case len(sim.agentRequests) > 0:
			sim.agentResponds(anyKey(sim, sim.agentRequests))
		default:
			sim.wait(closeDelay)
			if len(sim.agentRequests) == 0 {
				if len(sim.clientRequests) > 0 {
					sim.fail("the client still waits for %v", sim.clientRequests)
				}
				if len(sim.agentQuestions) > 0 {
					sim.fail("the agent still waits for %v", sim.agentQuestions)
				}
				return
			}
		}
	}
	sim.fail("requests remain pending")
}

// endAgent ends the agent.
func (sim *simulation) endAgent() {
	sim.agentEnded = true
	sim.log = append(sim.log, "-- the agent ends")
	output, _, err := sim.peer.Do(gone())
	sim.receive(output, err)
	if len(sim.clientRequests) > 0 {
		sim.fail("the client still waits for %v", sim.clientRequests)
	}
	for id, s := range sim.sessions {
		if s.state != "idle" {
			sim.fail("%s remains %s", id, s.state)
		}
	}
	if next := sim.peer.bridge.NextWake(); !next.IsZero() {
		sim.fail("a timer is set for %v", next)
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
		sim := newSimulation(t, seed, j)
		for range sim.IntN(200) {
			sim.step()
		}
		if seed%2 == 0 {
			sim.settle()
		}
		sim.endAgent()
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
