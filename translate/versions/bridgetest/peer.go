package bridgetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Peer sends messages to a Bridge like package proxy, and checks its invariants.
type Peer struct {
	Bridge versions.Bridge
	Now    time.Time
	Out    translate.Out        // of the last step
	Reader jsonrpc.ParamsReader // may be nil
	Judge  *Judge               // nil if output is not judged
	Losses []string             // in all steps

	check        func() error
	checksRarely bool
	steps        int
	cursor       rawjson.Cursor
	message      jsonrpc.Message
	text         []byte // of the message
}

// NewPeer returns a peer of b. check reports an inconsistency in the state of b.
func NewPeer(b versions.Bridge, check func() error) *Peer {
	return &Peer{Bridge: b, Now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), check: check}
}

// CheckRarely makes the peer check the state after every thousandth step only. Use it for large states.
func (p *Peer) CheckRarely() { p.checksRarely = true }

// play plays the steps of a conversation, and compares their output and losses.
func (p *Peer) play(t *testing.T, steps []Step) {
	t.Helper()
	for i, s := range steps {
		got, lost, err := p.Do(s)
		if err != nil {
			t.Fatalf("step %d, %s: %v", i+1, s, err)
		}
		var want []string
		for _, w := range s.Want {
			to, message := ParseOutput(w)
			want = append(want, To(to, Full(message)))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("step %d, %s: (-want +got)\n%s", i+1, s, diff)
		}
		if !slices.Equal(s.Losses, lost) {
			t.Fatalf("step %d, %s: lost %q, want %q", i+1, s, lost, s.Losses)
		}
	}
}

// String is the step in a failure.
func (s Step) String() string {
	if s.AgentEnds {
		return "gone"
	}
	return Script(s)
}

// Do plays a step. It returns the output and the losses.
func (p *Peer) Do(s Step) (output, lost []string, err error) {
	switch {
	case s.AgentEnds:
		return p.Call(func(out *translate.Out) { p.Bridge.PeerClosed(translate.Agent, p.Now, out) })
	case s.Message == "":
		if err := p.pass(s.Wait); err != nil {
			return nil, nil, err
		}
	default:
		if err := p.deliver(s.From, Full(s.Message)); err != nil {
			return nil, nil, err
		}
	}
	return p.outcome(s.foreign)
}

// Call calls do, which calls the Bridge. It returns the output and the losses.
func (p *Peer) Call(do func(out *translate.Out)) (output, lost []string, err error) {
	p.Out.Reset(translate.Agent, nil)
	do(&p.Out)
	return p.outcome(false)
}

// Must is Do, but fails the test on an error.
func (p *Peer) Must(t testing.TB, s Step) (output, lost []string) {
	t.Helper()
	output, lost, err := p.Do(s)
	if err != nil {
		t.Fatalf("%.300s: %v", s, err)
	}
	return output, lost
}

// Send sends the Bridge a message. It returns the output and the losses.
func (p *Peer) Send(from translate.Side, text string) (output, lost []string, err error) {
	if err := p.deliver(from, text); err != nil {
		return nil, nil, err
	}
	return p.outcome(false)
}

func (p *Peer) deliver(from translate.Side, line string) error {
	p.text = append(p.text[:0], line...) // invalidates the previous message
	p.cursor.Reset(p.text)
	p.message.Read(&p.cursor, p.text, p.Reader)
	if !p.cursor.End() {
		return fmt.Errorf("no JSON: %w: %s", p.cursor.Err(), line)
	}
	if p.Judge != nil {
		p.Judge.RecordRequest(from, line)
	}
	p.Out.Reset(from, &p.message)
	p.Bridge.Receive(from, &p.message, p.Now, &p.Out)
	return nil
}

// pass lets time pass.
func (p *Peer) pass(d time.Duration) error {
	p.Now = p.Now.Add(d)
	p.Out.Reset(translate.Agent, nil)
	if p.isDue() {
		p.Bridge.Wake(p.Now, &p.Out)
	}
	if p.isDue() {
		return fmt.Errorf("after Wake, NextWake is still due: %v", p.Bridge.NextWake())
	}
	return nil
}

func (p *Peer) isDue() bool {
	next := p.Bridge.NextWake()
	return !next.IsZero() && !next.After(p.Now)
}

// outcome checks the output and the state, and returns the output and the losses. If foreign is set,
// the Judge must find a fault.
func (p *Peer) outcome(foreign bool) (lines, lost []string, err error) {
	var objection error
	for _, l := range p.Out.Outputs() {
		text := string(p.Out.Text(l))
		if !json.Valid([]byte(text)) || strings.Contains(text, "\n") {
			return lines, nil, fmt.Errorf("output is not a line of JSON: %s", text)
		}
		m := jsonrpc.MessageOf([]byte(text))
		topic := scan.TopicOf(&m)
		if string(l.Topic) != string(topic) && (l.Topic != nil || !l.Same && m.Update.Present()) {
			return lines, nil, fmt.Errorf("the topic of %s is %q, not %q", text, topic, l.Topic)
		}
		lines = append(lines, To(l.To, text))
		if p.Judge != nil {
			objection = errors.Join(objection, p.Judge.Check(l.To, text))
		}
	}
	if foreign != (objection != nil) {
		return lines, nil, fmt.Errorf("a foreign output line is expected: %t, but the objection is: %v", foreign, objection)
	}
	for _, l := range p.Out.Losses() {
		if l.Kind == "" || l.Detail == "" || strings.HasSuffix(l.Detail, ".") {
			return lines, nil, fmt.Errorf("a loss without a kind or a clause as its detail: %+v", l)
		}
		lost = append(lost, strings.TrimSpace(string(l.Kind)+" "+l.Name))
	}
	p.Losses = append(p.Losses, lost...)
	p.steps++
	if p.checksRarely && p.steps%1000 != 0 {
		return lines, lost, nil
	}
	return lines, lost, p.check()
}
