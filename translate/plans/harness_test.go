package plans

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Clients, by the values of --client. opsClient receives plan ids in both members.
var (
	legacyClient = client("legacy", 0, 1)
	opsClient    = client("ops", 0, 1)
	oldClient    = client("ops", capabilities.PlanIDOld, 1)
	newClient    = client("ops", capabilities.PlanIDNew, 1)
	v2Client     = client("v2", 0, 2)
)

func client(shows string, planID capabilities.PlanID, version int) capabilities.Client {
	var s capabilities.Settings
	if err := s.SetClient(shows); err != nil {
		panic(err)
	}
	c := s.Client(capabilities.Request{}, capabilities.Result{Version: version})
	c.PlanID = cmp.Or(planID, c.PlanID)
	return c
}

// defaults returns the options without flags, and without readable plan files.
func defaults() Options {
	return Options{
		SyntheticID: "main",
		Markdown:    MarkdownEntries,
		Files:       FilesRead,
		ReadFile:    func(string) ([]byte, error) { return nil, errors.New("no such file") },
	}
}

// with returns the default options after a change.
func with(change func(*Options)) *Options {
	o := defaults()
	change(&o)
	return &o
}

// A testCase is a script of the messages of an agent and the expected output of a Stage. Its name
// states the tested rule. A line of the script is an event:
//
//	> UPDATE    the agent sends an update in the session s
//	x> UPDATE   the same in the session x
//	load        the client sends session/load
//	fails       the agent responds to it with an error
//	turn        the client sends a prompt, and the agent responds
//	ends        the agent exits
//	asks        the agent sends a permission request
//	close       the client closes a session without plans, and then the session s
//	negotiate   the client is negotiated again, which resets all sessions
//
// The lines after an event are the expected output, in order and complete:
//
//	< UPDATE    the client receives this update
//	< =         the client receives the agent's line unchanged
//	! TEXT      the log contains a warning with this text
//
// An UPDATE is JSON or a short form:
//
//	plan ENTRIES                a legacy plan
//	items ID: ENTRIES           a plan_update
//	markdown ID PATH: TEXT      a plan_update; PATH is optional
//	file ID: URI                a plan_update
//	custom MEMBERS              a plan_update of plan p, with a type that no draft defines
//	removed ID                  a plan_removed
//	chat TEXT                   an agent_message_chunk, TEXT between empty lines
//
// Before the ID, the word id or both selects the member id in place of planId, or both members.
//
// ENTRIES are separated by " | ". Each is JSON, or the content of a pending entry. Its status is
// completed or in_progress if the content ends with " (completed)" or " (in_progress)". After
// " (done)" it is completed, with the priority low.
type testCase struct {
	name    string
	client  capabilities.Client // if zero, the argument of runCases
	options *Options            // defaults() if nil
	talk    string
}

// An outcome is the output for one event.
type outcome struct {
	Action   Action
	Updates  []string // the updates to the client, without an unchanged one
	Warnings warnings
}

// runCases runs each case with a new Stage, for the client usual unless the case has its own.
func runCases(t *testing.T, usual capabilities.Client, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.client == (capabilities.Client{}) {
				c.client = usual
			}
			if c.options == nil {
				c.options = with(func(*Options) {})
			}
			newPeer(*c.options, c.client).talk(t, c.talk)
		})
	}
}

// talk runs a script, see testCase.
func (p *peer) talk(t *testing.T, script string) {
	t.Helper()
	var replay func(failed bool) []string
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(script), "\t", ""), "\n")
	for len(lines) > 0 {
		line := lines[0]
		lines = lines[1:]
		mark, update, _ := strings.Cut(line, " ")
		session, sends := strings.CutSuffix(mark, ">")
		want := outcome{Action: Drop}
		for ; len(lines) > 0 && (lines[0][0] == '<' || lines[0][0] == '!'); lines = lines[1:] {
			switch mark, text := lines[0][:2], lines[0][2:]; {
			case mark == "! ":
				want.Warnings = append(want.Warnings, text)
			case text == "=":
				want.Action = Forward
			default:
				want.Action, want.Updates = Rewrite, append(want.Updates, here(inFull(text)))
			}
		}
		var got outcome
		var err error
		switch {
		case sends:
			got, err = p.send(cmp.Or(session, "s"), here(inFull(update)))
		case line == "load":
			replay = p.load("s")
		case line == "fails":
			got = received(replay(true))
		case line == "turn":
			got = received(p.turn("s"))
		case line == "ends":
			got = received(p.ends())
		case line == "asks":
			got = received(p.from(translate.Agent, `{"id":7,"method":"session/request_permission","params":{"sessionId":"s"}}`))
			got.Updates = got.Updates[:len(got.Updates)-1] // the request itself
		case line == "close":
			p.close("another")
			p.close("s")
		case line == "negotiate":
			p.Negotiated(p.client)
		default:
			t.Fatalf("unknown event %q", line)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got.Action = cmp.Or(got.Action, Drop)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: (-want +got)\n%s", line, diff)
		}
	}
}

// inFull expands the short form of an update.
func inFull(update string) string {
	kind, rest, _ := strings.Cut(update, " ")
	head, value, _ := strings.Cut(rest, ":")
	value = strings.TrimPrefix(value, " ")
	names := append(strings.Fields(head), "", "", "")
	members := names[0]
	if members == "id" || members == "both" {
		names = names[1:]
	}
	id, path := names[0], names[1]
	switch {
	case kind == "plan":
		return legacyPlan(entriesOf(rest)...)
	case kind == "chat":
		return `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\n` + rest + `\n\n"}}`
	case kind == "custom":
		return custom(rest)
	case kind == "items":
		update = items(id, entriesOf(value)...)
	case kind == "markdown" && path != "":
		update = pathUpdate(id, value, path)
	case kind == "markdown":
		update = markdownUpdate(id, value)
	case kind == "file":
		update = fileUpdate(id, value)
	case kind == "removed":
		update = removed(id)
	}
	switch members {
	case "id":
		return withOld(update)
	case "both":
		return withBoth(update, id)
	}
	return update
}

// entriesOf expands ENTRIES of a script.
func entriesOf(list string) (entries []string) {
	if list == "" {
		return nil
	}
	for e := range strings.SplitSeq(list, " | ") {
		if content, ok := strings.CutSuffix(e, " (done)"); ok {
			e = done(content)
		} else if content, ok := strings.CutSuffix(e, " (completed)"); ok {
			e = strings.Replace(todo(content), "pending", "completed", 1)
		} else if content, ok := strings.CutSuffix(e, " (in_progress)"); ok {
			e = strings.Replace(todo(content), "pending", "in_progress", 1)
		} else if e[0] != '{' {
			e = todo(e)
		}
		entries = append(entries, e)
	}
	return entries
}

// here replaces the absolute paths in an update, which are all in /t, with paths of this system.
func here(update string) string {
	if filepath.IsAbs("/t") {
		return update
	}
	return strings.NewReplacer(`"path":"/t/`, `"path":"C:\\t\\`, ` /t/`, ` C:\\t\\`, "file:///t", "file:///C:/t", "localhost/", "localhost/C:/", `"/t/`, `"C:/t/`, `"\/t/`, `"C:\/t/`).Replace(update)
}

// warnings are the warnings for an event. Expected ones are substrings of the actual ones.
type warnings []string

// Equal implements the equality that cmp uses.
func (w warnings) Equal(got warnings) bool {
	return slices.EqualFunc(w, got, func(a, b string) bool {
		return strings.Contains(a, b) || strings.Contains(b, a)
	})
}

// A peer is the client and the agent of a Stage.
type peer struct {
	*Stage
	reason       string // of the last decision
	requestCount int    // number of the client's requests
	forgetCount  int    // number of calls of Hooks.Forget

	// The current message:
	cursor rawjson.Cursor
	params Params
	out    translate.Out
}

func newPeer(o Options, c capabilities.Client) *peer {
	p := new(peer)
	p.Stage = NewStage(o, Hooks{
		Decided: func(_ *jsonrpc.Message, _ string, _ bool, r *Result) { p.reason = r.Reason },
		Forget:  func([]byte) { p.forgetCount++ },
		Resumed: func([]byte) {},
	})
	p.Negotiated(c)
	return p
}

// read reads a message.
func (p *peer) read(text string) *jsonrpc.Message {
	m := new(jsonrpc.Message)
	p.params.Reset()
	p.cursor.Reset([]byte(text))
	m.Read(&p.cursor, []byte(text), &p.params)
	return m
}

// from passes a message from a side to the Stage, and returns the output.
func (p *peer) from(side translate.Side, text string) (outputs []string) {
	m := p.read(text)
	p.out.Reset(side, m)
	p.Receive(side, m, time.Time{}, &p.out)
	return p.outputs()
}

func (p *peer) outputs() (outputs []string) {
	for _, l := range p.out.Outputs() {
		outputs = append(outputs, string(p.out.Text(l)))
	}
	return outputs
}

// asks sends a request of the client for a session. answer sends the agent's response, and returns
// the output before the response.
func (p *peer) asks(method, session string) (answer func(failed bool) []string) {
	p.requestCount++
	id := fmt.Sprint(p.requestCount)
	p.from(translate.Client, `{"id":`+id+`,"method":"`+method+`","params":{"sessionId":"`+session+`"}}`)
	return func(failed bool) []string {
		result := `"result":{}`
		if failed {
			result = `"error":{"code":1}`
		}
		outputs := p.from(translate.Agent, `{"id":`+id+`,`+result+`}`)
		return outputs[:len(outputs)-1]
	}
}

func (p *peer) load(session string) (answer func(failed bool) []string) {
	return p.asks("session/load", session)
}

func (p *peer) close(session string) { p.asks("session/close", session)(false) }

// turn sends a prompt and its response, and returns the output before the response.
func (p *peer) turn(session string) []string { return p.asks("session/prompt", session)(false) }

// ends reports the end of the agent to the Stage, and returns the output.
func (p *peer) ends() []string {
	p.out.Reset(translate.Agent, nil)
	p.PeerClosed(translate.Agent, time.Time{}, &p.out)
	return p.outputs()
}

// The text of the agent's messages, around the session and the update.
const (
	textBefore = "{\"jsonrpc\" : \"2.0\",\t\"method\":\"session/update\",\"params\":{\"_meta\":{\"n\":1.0e0},\"sessionId\":\""
	middle     = "\",\"update\": "
	behind     = " ,\"more\":[ ]}}"
)

// send passes an update of the agent to the Stage. It returns an error if a message to the client
// is not JSON or has other text around the update, or if the state is inconsistent.
func (p *peer) send(session, update string) (got outcome, err error) {
	before := textBefore + session + middle
	message := before + update + behind
	p.reason = "no plan"
	outputs := p.from(translate.Agent, message)
	if !p.cursor.End() {
		return outcome{}, fmt.Errorf("not JSON: %w", p.cursor.Err())
	}
	if start, end := p.params.update.Start, p.params.update.End; message[:start] != before || message[start:end] != update {
		return outcome{}, fmt.Errorf("the update was found at %d to %d", start, end)
	}
	for _, l := range p.out.Losses() {
		got.Warnings = append(got.Warnings, l.Detail)
		if l.Session != session {
			return got, fmt.Errorf("a loss in session %q", l.Session)
		}
	}
	switch {
	case p.reason == "":
		return got, errors.New("a decision without a reason")
	case len(outputs) == 0:
		got.Action = Drop
	case p.out.Outputs()[len(outputs)-1].Same:
		got = outcome{Forward, received(outputs[:len(outputs)-1]).Updates, got.Warnings}
	default:
		got = outcome{Rewrite, received(outputs).Updates, got.Warnings}
	}
	for _, text := range outputs {
		isCopy := strings.HasPrefix(text, before) && strings.HasSuffix(text, behind)
		if valid := json.Valid([]byte(text)); !isCopy && !strings.HasPrefix(text, ownMessage) || !valid && json.Valid([]byte(message)) {
			return got, fmt.Errorf("invalid output: %s", text)
		}
	}
	return got, p.check()
}

// ownMessage is the beginning of the stage's own messages.
const ownMessage = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`

// received returns the outcome with the updates of messages to the client.
func received(messages []string) (got outcome) {
	for _, m := range messages {
		_, u, _ := strings.Cut(m, `"update":`)
		if strings.HasPrefix(m, ownMessage) {
			u = strings.TrimSuffix(u, "}}")
		} else {
			u = strings.TrimSuffix(strings.TrimPrefix(u, " "), behind)
		}
		got.Action, got.Updates = Rewrite, append(got.Updates, u)
	}
	return got
}

// check returns an error if the state is inconsistent.
func (p *peer) check() error {
	for id, sess := range p.live.sessions.All() {
		if sess.id != id {
			return fmt.Errorf("session %q has the key %q", sess.id, id)
		}
		if err := sess.check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) check() error {
	for i, p := range s.plans {
		for _, q := range s.plans[:i] {
			if p.id == q.id {
				return fmt.Errorf("two plans with one id: %+v and %+v", p, q)
			}
		}
		entries := &p.entries
		for _, at := range entries.contentStarts {
			if entries.text[at-1] != '"' {
				return fmt.Errorf("no content at %d of %s", at, entries.text)
			}
		}
	}
	return nil
}

// The updates of the drafts. Plan operations have the member planId; withOld and withBoth change
// it.

func legacyPlan(entries ...string) string {
	return `{"sessionUpdate":"plan","entries":[` + strings.Join(entries, ",") + `]}`
}

func items(id string, entries ...string) string {
	return `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"` + id + `","entries":[` + strings.Join(entries, ",") + `]}}`
}

func markdownUpdate(id, content string) string {
	return `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"` + id + `","content":"` + content + `"}}`
}

func pathUpdate(id, content, path string) string {
	return strings.TrimSuffix(markdownUpdate(id, content), "}}") + `,"path":"` + path + `"}}`
}

func fileUpdate(id, uri string) string {
	return `{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"` + id + `","uri":"` + uri + `"}}`
}

func removed(id string) string {
	return `{"sessionUpdate":"plan_removed","planId":"` + id + `"}`
}

// withBoth adds the member id to an update, withOld replaces planId with it.
func withBoth(update, id string) string {
	return strings.Replace(update, `"planId":"`+id+`"`, `"planId":"`+id+`","id":"`+id+`"`, 1)
}

func withOld(update string) string { return strings.Replace(update, `"planId"`, `"id"`, 1) }

// todo returns a pending entry.
func todo(content string) string {
	return `{"content":"` + content + `","priority":"medium","status":"pending"}`
}

// done returns a completed entry of low priority.
func done(content string) string {
	return `{"content":"` + content + `","priority":"low","status":"completed"}`
}
