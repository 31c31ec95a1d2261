package v1client

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/versions/bridgetest"
)

func TestMessages(t *testing.T) {
	whole := func(kind, id, content string) string {
		return `{"sessionUpdate":"` + kind + `","messageId":"` + id + `","content":` + content + `,"_meta":{"k":1}}`
	}
	part := func(kind, id, content string) string {
		return toC(`{"sessionUpdate":"` + kind + `_chunk","messageId":"` + id + `","_meta":{"k":1},"content":` + content + `}`)
	}
	const picture = `{"type":"image","data":"AA==","mimeType":"image/png"}`
	cut := func(id, text string) step {
		return agent(chunk("agent_message", id, text), toC(chunk("agent_message", id, text)))
	}
	long := strings.Repeat("m", 5000)
	longDigest := fmt.Sprintf("%x", sha256.Sum256([]byte(long)))
	cases := []testCase{
		{name: "a final message after its chunks is nothing new", steps: []step{
			agent(chunk("agent_message", "m", "Hel"), toC(chunk("agent_message", "m", "Hel"))),
			agent(chunk("agent_message", "m", "lo"), toC(chunk("agent_message", "m", "lo"))),
			agent(whole("agent_message", "m", `[`+block("Hello")+`]`)),
			agent(whole("agent_message", "m", `[`+block("Hel")+`,`+block("lo")+`]`)),
			agent(whole("agent_message", "m", `[`+block("Hello, you")+`,`+block("!")+`]`),
				part("agent_message", "m", block(", you")), part("agent_message", "m", block("!"))),
			agent(chunk("agent_message", "m", "?"), toC(chunk("agent_message", "m", "?"))),
			agent(whole("agent_message", "m", `[`+block("Hello, you!?")+`]`)),
		}},
		{name: "a character that the end of a chunk cuts does not make the final message another one", steps: []step{
			cut("m", `see \ud83d`), cut("m", `\ude00 there`), agent(whole("agent_message", "m", `[`+block("see 😀 there")+`]`)),
			cut("u", `\uD83D`), cut("u", `\uDE00\uD83D`), cut("u", `\uDE00`), cut("u", `\ud83c`), cut("u", `\udf89!`),
			agent(whole("agent_message", "u", `[`+block(`\uD83D`)+`,`+block(`\uDE00\uD83D`)+`,`+block(`\uDE00`)+`,`+block(`\ud83c`)+`,`+block(`\udf89!`)+`]`)),
			agent(whole("agent_message", "u", `[`+block("😀😀🎉!")+`]`)),
			cut("r", "a\uFFFD"), cut("r", "\uFFFDé"), agent(whole("agent_message", "r", `[`+block("a😀é")+`]`)),
			agent(whole("agent_message", "r", `[`+block("a")+`,`+block("😀")+`,`+block("é, and more")+`]`), part("agent_message", "r", block(", and more"))),
			cut("e", `a\ud83d`), agent(whole("agent_message", "e", `[`+block("a😀b")+`]`), part("agent_message", "e", block("b"))),
			agent(whole("agent_message", "e", `[`+block("a😀bc")+`]`), part("agent_message", "e", block("c"))),
			cut("g", "a\uFFFD"), cut("g", "b"), agent(whole("agent_message", "g", `[`+block("a\uFFFDb")+`]`)),
			cut("h", `a\ud83d`), cut("h", `\ude00b`), agent(whole("agent_message", "h", `[`+block("axb")+`]`), part("agent_message", "h~2", block("axb"))).
				Losing("replaced message"),
		}},
		{name: "a message that is replaced is another message", steps: []step{
			agent(chunk("agent_message", "m", "Hello"), toC(chunk("agent_message", "m", "Hello"))),
			agent(whole("agent_message", "m", `[`+block("Bye")+`]`), part("agent_message", "m~2", block("Bye"))).Losing("replaced message"),
			agent(chunk("agent_message", "m", "!"), toC(chunk("agent_message", "m~2", "!"))),
			agent(whole("agent_message", "m", `[`+block("Bye!")+`]`)),
			agent(whole("agent_message", "m", `null`)).Losing("cleared message"),
			agent(chunk("agent_message", "m", "Again"), toC(chunk("agent_message", "m~3", "Again"))),
		}},
		{name: "a message with a long id", steps: []step{
			agent(chunk("agent_message", long, "Hello"), toC(chunk("agent_message", long, "Hello"))),
			agent(whole("agent_message", long, `[`+block("Hello")+`]`)),
			agent(whole("agent_message", long+"1", `[`+block("Hello")+`]`), part("agent_message", long+"1", block("Hello"))),
			agent(whole("agent_message", long, `[`+block("Bye")+`]`), part("agent_message", longDigest+"~2", block("Bye"))).Losing("replaced message"),
		}},
		{name: "nothing is sent for what has no content", steps: []step{
			agent(whole("agent_message", "m", `[]`)), agent(whole("agent_message", "m", `null`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m","_meta":{}}`),
			agent(`{"sessionUpdate":"agent_message","content":[` + block("no id") + `]}`).Losing("unreadable update"),
			agent(chunk("agent_message", "m", "a"), toC(chunk("agent_message", "m", "a"))),
		}},
		{name: "a message that is empty, or changes its _meta alone, says nothing", steps: []step{
			begin, agent(contentChunk(textItem("a"))),
			agent(whole("agent_message", "m", `[]`)), agent(whole("agent_message", "m", `5`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m","_meta":{}}`),
			wait(time.Second, toC(call(`,"content":[`+textItem("a")+`]`))),
		}},
		{name: "a message that begins with an image, and one whose text is empty", steps: []step{
			agent(whole("agent_message", "m", `[`+picture+`,`+block("x")+`]`), part("agent_message", "m", picture), part("agent_message", "m", block("x"))),
			agent(whole("agent_message", "m", `[`+picture+`,`+block("xy")+`]`), part("agent_message", "m", block("y"))),
			agent(whole("agent_message", "m", `[`+block("z")+`]`), part("agent_message", "m~2", block("z"))).Losing("replaced message"),
			agent(whole("agent_message", "m", `[`+picture+`]`), part("agent_message", "m~3", picture)).Losing("replaced message"),
			agent(whole("agent_message", "n", `[`+block("")+`]`), part("agent_message", "n", block(""))),
			agent(whole("agent_message", "n", `[`+block("x")+`]`), part("agent_message", "n", block("x"))),
			agent(whole("agent_message", "n", `[`+picture+`]`), part("agent_message", "n~2", picture)).Losing("replaced message"),
		}},
		{name: "a text in a block of another type is another text", steps: []step{
			agent(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"_x","text":"a"}}`, toC(chunk("agent_message", "m", "a"))).
				Losing("content block"),
			agent(whole("agent_message", "m", `[`+block("a")+`]`), part("agent_message", "m~2", block("a"))).Losing("replaced message"),
		}},
		{name: "blocks that cannot be read, and a message that was replaced with its members", steps: []step{
			agent(`{"sessionUpdate":"agent_thought","messageId":"m","more":[1],"_meta":5,"content":[5,`+block("x")+`]}`,
				toC(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","more":[1],"content":{"type":"text","text":"[unreadable]"}}`),
				toC(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","more":[1],"content":`+block("x")+`}`)),
			agent(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":5}`).Losing("unreadable update"),
			agent(`{"sessionUpdate":"agent_thought_chunk","messageId":5,"content":`+block("x")+`}`,
				toC(`{"sessionUpdate":"agent_thought_chunk","content":`+block("x")+`}`)),
			agent(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text"}}`,
				toC(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":`+block("[text]")+`}`)).Losing("content block"),
			agent(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text","text":5}}`,
				toC(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":`+block("[text]")+`}`)).Losing("content block"),
			agent(`{"sessionUpdate":"agent_thought_chunk","messageId":null,"content":{"text":"x","type":"text","annotations":null},"_meta":null}`,
				toC(`{"sessionUpdate":"agent_thought_chunk","messageId":null,"content":{"text":"x","type":"text","annotations":null},"_meta":null}`)),
		}},
		{name: "ids of different kinds are unrelated", steps: []step{
			agent(chunk("agent_message", "m", "a"), toC(chunk("agent_message", "m", "a"))),
			agent(whole("agent_thought", "m", `[`+block("a")+`]`), part("agent_thought", "m", block("a"))),
		}},
		{name: "a message with more blocks than the client has", steps: []step{
			agent(whole("user_message", "m", `[`+block("hello")+`,`+block("world")+`]`), part("user_message", "m", block("hello")),
				part("user_message", "m", block("world"))),
		}},
	}
	runCases(t, cases)
}

func TestUpdates(t *testing.T) {
	pass := func(update string) step { return agent(update, toC(update)) }
	runCases(t, []testCase{
		{name: "updates that are the same", steps: []step{
			pass(`{"sessionUpdate":"session_info_update","title":"T","updatedAt":null}`),
			pass(`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":0.5e-1,"currency":"EUR"}}`),
			pass(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}}`),
			pass(`{"sessionUpdate":"plan_removed","planId":"p"}`),
		}},
		{name: "members of a wrong type are left out", steps: []step{
			agent(`{"sessionUpdate":"session_info_update","title":5,"_meta":null,"updatedAt":"x"}`,
				toC(`{"sessionUpdate":"session_info_update","updatedAt":"x"}`)),
			agent(`{"sessionUpdate":"usage_update","used":-1,"size":2}`).Losing("unreadable update"),
		}},
		{name: "updates that version 1 lacks, and values that are not updates", steps: []step{
			agent(`{"sessionUpdate":"` + strings.Repeat("x", 61) + `"}`).Losing("session update " + strings.Repeat("x", 60)),
			agent(`{"sessionUpdate":"cursor_update","cursorId":"k"}`), agent(`{"sessionUpdate":"prompt_suggestions_update","suggestions":[]}`),
			agent(`{"sessionUpdate":"future_update"}`).Losing("session update future_update"), agent(`{"sessionUpdate":""}`).Losing("session update"),
			agent(`{"sessionUpdate":"_own","a":1}`).Losing("session update _own"),
			agent(in("s", `{}`)).Losing("unreadable update"), agent(in("s", `5`)).Losing("unreadable update"),
			agent(`session/update`).Losing("unreadable update"), agent(`session/update []`).Losing("unreadable update"),
			agent(`session/update {"sessionId":5,"update":{"sessionUpdate":"_x"}}`).Losing("unreadable update"),
		}},
		{name: "a message whose surroundings cannot stay", steps: []step{
			agent(`session/update {"sessionId":"s","_meta":5,"update":{"sessionUpdate":"plan_removed","planId":"p"}}`, toC(`{"sessionUpdate":"plan_removed","planId":"p"}`)),
			agent(`session/update {"sessionId":"s","_meta":{"a":1},"update":`+chunk("agent_message", "m", "x")+`}`,
				toC(`session/update {"sessionId":"s","_meta":{"a":1},"update":`+chunk("agent_message", "m", "x")+`}`)),
		}},
	})
}

// TestReadByPlans has updates that the plan translation has read before.
func TestReadByPlans(t *testing.T) {
	p := newPeer(Options{})
	p.Reader = new(plans.Params)
	for _, c := range []struct{ update, shown string }{
		{chunk("agent_message", "m", "Hel"), chunk("agent_message", "m", "Hel")},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[` + block("Hello") + `]}`,
			`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + block("lo") + `}`},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"_chart","name":"C"}}`,
			`{"sessionUpdate":"agent_message_chunk","content":` + block("C") + `}`},
		{`{"sessionUpdate":"plan_removed","planId":"p"}`, `{"sessionUpdate":"plan_removed","planId":"p"}`},
	} {
		got, _, err := p.Do(agent(c.update))
		if want := []string{toC(full(in("s", c.shown)))}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s became %q, %v", c.update, got, err)
		}
	}
}

// TestNoPlan pins which updates the plan translation need not look at again: all
// that do not concern a plan.
func TestNoPlan(t *testing.T) {
	p := newPeer(Options{})
	for _, update := range []string{
		chunk("agent_message", "m", "x"), call(`,"title":"T","status":"cancelled"`), `{"sessionUpdate":"plan_removed","planId":"p"}`, contentChunk(textItem("a")),
		`{"sessionUpdate":"notice","title":"N"}`, `{"sessionUpdate":"plan","entries":[]}`, `{"sessionUpdate":"plan_update"}`,
		`{"sessionUpdate":"plan_removed"}`,
	} {
		for _, s := range []step{agent(update), wait(time.Hour)} { // what was collected leaves last
			p.Must(t, s)
			for _, l := range p.Out.Leaves() {
				if text := string(p.Out.Text(l)); l.To != translate.Client || l.NoPlan != bridgetest.IsPlanless(text) {
					t.Errorf("%s: no plan: %v", text, l.NoPlan)
				}
			}
		}
	}
}

// TestForwarded pins which messages of the agent go on without a copy: most of a
// stream is of this kind.
func TestForwarded(t *testing.T) {
	for line, want := range map[string]bool{
		in("s", hello): true,
		in("s", `{"sessionUpdate":"agent_thought_chunk","content":`+block("x")+`}`): true,
		in("s", `{"sessionUpdate":"plan_removed","planId":"p"}`):                    true,
		`{"method":"_x"}`: true,
		in("s", `{"sessionUpdate":"agent_message_chunk","messageId":null,"content":`+block("x")+`}`):                                    false,
		in("s", `{"sessionUpdate":"agent_message_chunk","messageId":"m","messageId":"m","content":`+block("x")+`}`):                     false,
		in("s", `{"sessionUpdate":"agent_message_chunk","_meta":{},"content":`+block("x")+`}`):                                          false,
		in("s", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","_meta":{}}}`):                              false,
		`{"method":"session/update","params":{"sessionId":"s","_meta":5,"update":{"sessionUpdate":"plan_removed","planId":"p"}}}`:       false,
		`{"method":"session/update","params":{"sessionId":"s","_meta":{"a":1},"update":{"sessionUpdate":"plan_removed","planId":"p"}}}`: true,
		`{"method":"session/update","params":{"sessionId":"s","_meta":null,"update":{"sessionUpdate":"plan_removed","planId":"p"}}}`:    true,
	} {
		p := newPeer(Options{})
		p.Must(t, agent(line))
		leaves := p.Out.Leaves()
		if len(leaves) != 1 || leaves[0].Same != want {
			t.Errorf("%s: %d messages leave, forwarded: %v", line, len(leaves), len(leaves) == 1 && leaves[0].Same)
		}
	}
	p := newPeer(Options{}) // a message without a version, and one with the version behind
	line := `{"method":"session/update","params":{"sessionId":"s","update":` + hello + `}`
	for end, want := range map[string]bool{`}`: false, `,"jsonrpc":"2.0"}`: true} {
		if _, _, err := p.Send(translate.Agent, line+end); err != nil || p.Out.Leaves()[0].Same != want {
			t.Errorf("%s%s: %v, forwarded: %v", line, end, err, p.Out.Leaves()[0].Same)
		}
	}
}
