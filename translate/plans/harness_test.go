package plans

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// Clients, as --client and --plan-id name them. A client of
// plan operations that advertises "plan" gets both spellings of the id.
var (
	legacyClient = client("legacy", "auto", 1)
	opsClient    = client("ops", "auto", 1)
	oldClient    = client("ops", "id", 1)
	newClient    = client("ops", "planId", 1)
	v2Client     = client("v2", "auto", 2)
)

func client(shows, planID string, version int) capabilities.Client {
	var s capabilities.Settings
	if err := errors.Join(s.SetClient(shows), s.SetPlanID(planID)); err != nil {
		panic(err)
	}
	return s.Client(capabilities.Request{}, capabilities.Answer{Version: version})
}

// defaults are the options without flags; no plan file can be read.
func defaults() Options {
	return Options{
		SyntheticID: "main",
		Merge:       MergeAll,
		Markdown:    MarkdownEntries,
		Files:       FilesRead,
		Empty:       EmptyUpdate,
		ReadFile:    func(string) ([]byte, error) { return nil, errors.New("no such file") },
	}
}

// with returns the default options, changed.
func with(change func(*Options)) *Options {
	o := defaults()
	change(&o)
	return &o
}

// A testCase is a conversation, told as the tables of the package documentation
// do: what the agent sends, and what the client gets. Its name is the sentence it pins.
type testCase struct {
	name    string
	client  capabilities.Client // the test's usual one if zero
	options *Options            // defaults() if nil
	steps   []step
}

type step struct {
	session string
	update  string
	want    outcome
	do      func(*Translator) // in place of an update
}

// An outcome is what the client gets, and of what the user is warned.
type outcome struct {
	Action   Action
	Updates  []string // in place of the one sent, if rewritten
	Warnings warnings
}

var (
	forward = outcome{Action: Forward}
	drop    = outcome{Action: Drop}
)

func rewrite(updates ...string) outcome { return outcome{Action: Rewrite, Updates: updates} }

func (o outcome) warned(parts ...string) outcome {
	o.Warnings = parts
	return o
}

// on is a step in the usual session; in is one in any.
func on(update string, want outcome) step { return in("s", update, want) }

func in(session, update string, want outcome) step {
	return step{session: session, update: update, want: want}
}

func do(f func(*Translator)) step { return step{do: f} }

// load is the client's request to load a session; answer is its answer.
func load(tr *Translator, session string) (answer func(failed bool)) {
	call, matters := tr.FromClient([]byte(methodLoad), []byte(session), false)
	if !matters {
		panic("nobody waits for the answer to a load")
	}
	return func(failed bool) { tr.Answered(call, failed) }
}

// closed is the client's request to close a session, and its answer.
func closed(tr *Translator, session string) {
	call, _ := tr.FromClient([]byte(methodClose), []byte(session), false)
	tr.Answered(call, false)
}

// runCases runs each case on a new Translator.
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
			p := newPeer(*c.options, c.client)
			for i, s := range c.steps {
				if s.do != nil {
					s.do(p.translator)
					continue
				}
				s.update = here(s.update)
				for i, update := range s.want.Updates {
					s.want.Updates[i] = here(update)
				}
				got, err := p.send(s.session, s.update)
				if err != nil {
					t.Fatalf("step %d, %s: %v", i+1, s.update, err)
				}
				if diff := cmp.Diff(s.want, got); diff != "" {
					t.Fatalf("step %d, %s: (-want +got)\n%s", i+1, s.update, diff)
				}
			}
		})
	}
}

// here spells the absolute paths of a case, all of them in /t, as this system
// does.
func here(update string) string {
	if filepath.IsAbs("/t") {
		return update
	}
	return strings.NewReplacer(`"path":"/t/`, `"path":"C:\\t\\`, "file:///t", "file:///C:/t", "localhost/", "localhost/C:/", `"/t/`, `"C:/t/`, `"\/t/`, `"C:\/t/`).Replace(update)
}

// warnings are the warnings of a step. In a wanted outcome each is a part of one.
type warnings []string

// Equal is used by cmp.
func (w warnings) Equal(got warnings) bool {
	return slices.EqualFunc(w, got, func(a, b string) bool {
		return strings.Contains(a, b) || strings.Contains(b, a)
	})
}

// A peer hands updates to a Translator in the way package proxy does.
type peer struct {
	translator *Translator
	update     Update
	cursor     rawjson.Cursor
}

func newPeer(o Options, c capabilities.Client) *peer {
	p := &peer{translator: New(o)}
	p.translator.SetClient(c)
	return p
}

// What is around an update in a message of the harness.
const (
	before = "{\"jsonrpc\" : \"2.0\",\t\"method\":\"session/update\",\"params\":{\"_meta\":{\"n\":1.0e0},\"update\": "
	behind = " ,\"sessionId\":\"s\",\"more\":[ ]}}\r\n"
)

// read reads an update in its message. It reports false if that is not JSON.
func (p *peer) read(update string) (message string, ok bool) {
	message = before + update + behind
	c := &p.cursor
	c.Reset([]byte(message))
	for more := c.Object(); more; more = c.NextMember() {
		if string(c.Name()) != "params" {
			c.Skip()
			continue
		}
		for more := c.Object(); more; more = c.NextMember() {
			if string(c.Name()) == "update" {
				p.update.Read(c, []byte(message))
			} else {
				c.Skip()
			}
		}
	}
	return message, c.End()
}

// send translates an update and checks what must hold of every outcome: each
// message that leaves is JSON, and what is kept is consistent.
func (p *peer) send(session, update string) (outcome, error) {
	message, ok := p.read(update)
	if !ok {
		return outcome{}, fmt.Errorf("no JSON: %w", p.cursor.Err())
	}
	if start, end := p.update.Span(); message[:start] != before || message[start:end] != update {
		return outcome{}, fmt.Errorf("the update was found at %d to %d", start, end)
	}
	if p.update.Kind() == "" {
		return forward, nil // package proxy does not ask
	}
	r := p.translator.FromAgent([]byte(session), &p.update)
	got := outcome{Action: r.Action, Warnings: details(r)}
	if wants := r.Action == Rewrite; wants != (len(r.Updates) > 0) {
		return got, fmt.Errorf("%s with %d updates", r.Action, len(r.Updates))
	}
	if r.Reason == "" {
		return got, errors.New("no reason is given")
	}
	for _, u := range r.Updates {
		got.Updates = append(got.Updates, string(u))
		if valid := json.Valid([]byte(before + string(u) + behind)); !valid && json.Valid([]byte(message)) {
			return got, fmt.Errorf("became invalid: %s", u)
		}
	}
	return got, p.translator.check()
}

func details(r *Result) (all warnings) {
	for _, l := range r.Losses {
		all = append(all, l.Detail)
	}
	return all
}

// check reports what is inconsistent in the state of t.
func (t *Translator) check() error {
	for id, s := range t.live.sessions {
		if s.id != id {
			return fmt.Errorf("session %q is kept as %q", s.id, id)
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) check() error {
	for i, p := range s.plans {
		for _, q := range s.plans[:i] {
			if p.state.named() && q.state.named() && p.id == q.id || p.state.legacy() && q.state.legacy() || p.clientID == q.clientID {
				return fmt.Errorf("two plans are one: %+v and %+v", p, q)
			}
		}
		if p.state != ahead && len(p.own.contents) > 0 {
			return fmt.Errorf("state %d with entries of its own: %s", p.state, p.own.text)
		}
		for _, at := range p.entries.contents {
			if p.entries.text[at-1] != '"' {
				return fmt.Errorf("no content at %d of %s", at, p.entries.text)
			}
		}
	}
	return nil
}

// The shapes of the drafts. The shapes of plan operations have planId;
// withBoth and withOld turn them into the shapes of other drafts.

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

// withBoth gives an update both spellings of the id, withOld the earlier one.
func withBoth(update, id string) string {
	return strings.Replace(update, `"planId":"`+id+`"`, `"planId":"`+id+`","id":"`+id+`"`, 1)
}

func withOld(update string) string { return strings.Replace(update, `"planId"`, `"id"`, 1) }

// todo is a pending entry.
func todo(content string) string {
	return `{"content":"` + content + `","priority":"medium","status":"pending"}`
}

// done is a completed one, of another priority.
func done(content string) string {
	return `{"content":"` + content + `","priority":"low","status":"completed"}`
}
