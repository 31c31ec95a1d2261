package oldclient

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
)

func TestMessages(t *testing.T) {
	whole := func(kind, id, content string) string {
		return `{"sessionUpdate":"` + kind + `","messageId":"` + id + `","content":` + content + `,"_meta":{"k":1}}`
	}
	part := func(kind, id, content string) string {
		return shows(`{"sessionUpdate":"` + kind + `_chunk","messageId":"` + id + `","_meta":{"k":1},"content":` + content + `}`)
	}
	const picture = `{"type":"image","data":"AA==","mimeType":"image/png"}`
	cut := func(id, text string) step {
		return tells(chunk("agent_message", id, text), shows(chunk("agent_message", id, text)))
	}
	long := strings.Repeat("m", 5000)
	longDigest := fmt.Sprintf("%x", sha256.Sum256([]byte(long)))
	cases := []testCase{
		{name: "a final message after its chunks is nothing new", steps: []step{
			tells(chunk("agent_message", "m", "Hel"), shows(chunk("agent_message", "m", "Hel"))),
			tells(chunk("agent_message", "m", "lo"), shows(chunk("agent_message", "m", "lo"))),
			tells(whole("agent_message", "m", `[`+block("Hello")+`]`)),
			tells(whole("agent_message", "m", `[`+block("Hel")+`,`+block("lo")+`]`)),
			tells(whole("agent_message", "m", `[`+block("Hello, you")+`,`+block("!")+`]`),
				part("agent_message", "m", block(", you")), part("agent_message", "m", block("!"))),
			tells(chunk("agent_message", "m", "?"), shows(chunk("agent_message", "m", "?"))),
			tells(whole("agent_message", "m", `[`+block("Hello, you!?")+`]`)),
		}},
		{name: "a character that the end of a chunk cuts does not make the final message another one", steps: []step{
			cut("m", `see \ud83d`), cut("m", `\ude00 there`), tells(whole("agent_message", "m", `[`+block("see 😀 there")+`]`)),
			cut("u", `\uD83D`), cut("u", `\uDE00\uD83D`), cut("u", `\uDE00`), cut("u", `\ud83c`), cut("u", `\udf89!`),
			tells(whole("agent_message", "u", `[`+block("😀😀🎉!")+`]`)),
			tells(whole("agent_message", "u", `[`+block(`\uD83D`)+`,`+block(`\uDE00\uD83D`)+`,`+block(`\uDE00`)+`,`+block(`\ud83c`)+`,`+block(`\udf89!`)+`]`)),
			cut("r", "a\uFFFD"), cut("r", "\uFFFD\uFFFDé"), tells(whole("agent_message", "r", `[`+block("a😀é")+`]`)),
			tells(whole("agent_message", "r", `[`+block("a")+`,`+block("😀")+`,`+block("é, and more")+`]`), part("agent_message", "r", block(", and more"))),
			cut("b", "a\xf0\x9f"), cut("b", "\x98\x80b"), tells(whole("agent_message", "b", `[`+block("a😀b")+`]`)),
			cut("e", `a\ud83d`), tells(whole("agent_message", "e", `[`+block("a😀b")+`]`), part("agent_message", "e", block("b"))),
			tells(whole("agent_message", "e", `[`+block("a😀bc")+`]`), part("agent_message", "e", block("c"))),
			cut("f", "a\xf0\x9f"), tells(whole("agent_message", "f", `[`+block("a😀b")+`]`), part("agent_message", "f", block("b"))),
			tells(whole("agent_message", "f", `[`+block("a😀bc")+`]`), part("agent_message", "f", block("c"))),
			cut("g", "a\uFFFD"), cut("g", "b"), tells(whole("agent_message", "g", `[`+block("a\uFFFDb")+`]`)),
			cut("h", `a\ud83d`), cut("h", `\ude00b`), tells(whole("agent_message", "h", `[`+block("axb")+`]`), part("agent_message", "h~2", block("axb"))).losing("replaced message"),
		}},
		{name: "a message that is replaced is another message", steps: []step{
			tells(chunk("agent_message", "m", "Hello"), shows(chunk("agent_message", "m", "Hello"))),
			tells(whole("agent_message", "m", `[`+block("Bye")+`]`), part("agent_message", "m~2", block("Bye"))).losing("replaced message"),
			tells(chunk("agent_message", "m", "!"), shows(chunk("agent_message", "m~2", "!"))),
			tells(whole("agent_message", "m", `[`+block("Bye!")+`]`)),
			tells(whole("agent_message", "m", `null`)).losing("cleared message"),
			tells(chunk("agent_message", "m", "Again"), shows(chunk("agent_message", "m~3", "Again"))),
		}},
		{name: "a message with a long id", steps: []step{
			tells(chunk("agent_message", long, "Hello"), shows(chunk("agent_message", long, "Hello"))),
			tells(whole("agent_message", long, `[`+block("Hello")+`]`)),
			tells(whole("agent_message", long+"1", `[`+block("Hello")+`]`), part("agent_message", long+"1", block("Hello"))),
			tells(whole("agent_message", long, `[`+block("Bye")+`]`), part("agent_message", longDigest+"~2", block("Bye"))).losing("replaced message"),
		}},
		{name: "nothing is sent for what has no content", steps: []step{
			tells(whole("agent_message", "m", `[]`)), tells(whole("agent_message", "m", `null`)),
			tells(`{"sessionUpdate":"agent_message","messageId":"m","_meta":{}}`),
			tells(`{"sessionUpdate":"agent_message","content":[` + block("no id") + `]}`).losing("unreadable update"),
			tells(chunk("agent_message", "m", "a"), shows(chunk("agent_message", "m", "a"))),
		}},
		{name: "a message that is empty, or changes its _meta alone, says nothing", steps: []step{
			begin, tells(contentChunk(textItem("a"))),
			tells(whole("agent_message", "m", `[]`)), tells(whole("agent_message", "m", `5`)), tells(`{"sessionUpdate":"agent_message","messageId":"m","_meta":{}}`),
			wait(time.Second, shows(call(`,"content":[`+textItem("a")+`]`))),
		}},
		{name: "a message that begins with an image, and one whose text is empty", steps: []step{
			tells(whole("agent_message", "m", `[`+picture+`,`+block("x")+`]`), part("agent_message", "m", picture), part("agent_message", "m", block("x"))),
			tells(whole("agent_message", "m", `[`+picture+`,`+block("xy")+`]`), part("agent_message", "m", block("y"))),
			tells(whole("agent_message", "m", `[`+block("z")+`]`), part("agent_message", "m~2", block("z"))).losing("replaced message"),
			tells(whole("agent_message", "m", `[`+picture+`]`), part("agent_message", "m~3", picture)).losing("replaced message"),
			tells(whole("agent_message", "n", `[`+block("")+`]`), part("agent_message", "n", block(""))),
			tells(whole("agent_message", "n", `[`+block("x")+`]`), part("agent_message", "n", block("x"))),
			tells(whole("agent_message", "n", `[`+picture+`]`), part("agent_message", "n~2", picture)).losing("replaced message"),
		}},
		{name: "a text in a block of another type is another text", steps: []step{
			tells(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"_x","text":"a"}}`, shows(chunk("agent_message", "m", "a"))).losing("content block"),
			tells(whole("agent_message", "m", `[`+block("a")+`]`), part("agent_message", "m~2", block("a"))).losing("replaced message"),
		}},
		{name: "blocks that cannot be read, and a message that was replaced with its members", steps: []step{
			tells(`{"sessionUpdate":"agent_thought","messageId":"m","more":[1],"_meta":5,"content":[5,`+block("x")+`]}`,
				shows(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","more":[1],"content":{"type":"text","text":"[unreadable]"}}`),
				shows(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","more":[1],"content":`+block("x")+`}`)),
			tells(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":5}`).losing("unreadable update"),
			tells(`{"sessionUpdate":"agent_thought_chunk","messageId":5,"content":`+block("x")+`}`, shows(`{"sessionUpdate":"agent_thought_chunk","content":`+block("x")+`}`)),
			tells(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text"}}`, shows(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":`+block("[text]")+`}`)).losing("content block"),
			tells(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text","text":5}}`, shows(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":`+block("[text]")+`}`)).losing("content block"),
			tells(`{"sessionUpdate":"agent_thought_chunk","messageId":null,"content":{"text":"x","type":"text","annotations":null},"_meta":null}`,
				shows(`{"sessionUpdate":"agent_thought_chunk","messageId":null,"content":{"text":"x","type":"text","annotations":null},"_meta":null}`)),
		}},
		{name: "images and texts", steps: []step{
			tells(whole("agent_message", "m", `[`+block("see")+`,{"type":"image","data":"AA==","mimeType":"image/png"}]`),
				part("agent_message", "m", block("see")), part("agent_message", "m", `{"type":"image","data":"AA==","mimeType":"image/png"}`)),
			tells(whole("agent_message", "m", `[`+block("see")+`,{"type":"image","data":"AA==","mimeType":"image/png"},`+block("!")+`]`),
				part("agent_message", "m", block("!"))),
			tells(whole("agent_message", "m", `[`+block("see")+`,{"type":"image","data":"BB==","mimeType":"image/png"}]`),
				part("agent_message", "m~2", block("see")), part("agent_message", "m~2", `{"type":"image","data":"BB==","mimeType":"image/png"}`)).losing("replaced message"),
		}},
		{name: "ids of different kinds are unrelated", steps: []step{
			tells(chunk("agent_message", "m", "a"), shows(chunk("agent_message", "m", "a"))),
			tells(whole("agent_thought", "m", `[`+block("a")+`]`), part("agent_thought", "m", block("a"))),
		}},
		{name: "chunks pass as they are", steps: []step{
			tells(chunk("agent_thought", "m", `\u00e9 1.0`), shows(chunk("agent_thought", "m", `\u00e9 1.0`))),
			tells(`{"sessionUpdate":"agent_message_chunk","content":`+block("no id")+`}`, shows(`{"sessionUpdate":"agent_message_chunk","content":`+block("no id")+`}`)),
			tells(`{"sessionUpdate":"agent_message_chunk","messageId":"m"}`).losing("unreadable update"),
		}},
		{name: "content blocks that version 1 lacks", steps: []step{
			tells(`{"sessionUpdate":"agent_message_chunk","content":{"type":"_chart","name":"C"}}`, shows(`{"sessionUpdate":"agent_message_chunk","content":`+block("C")+`}`)).losing("content block"),
			tells(`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"n","uri":"u:x","icons":[{}],"annotations":{"audience":["user","_x"]}}}`,
				shows(`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"n","uri":"u:x","annotations":{"audience":["user"]}}}`)).losing("role in an audience", "icons of a resource link"),
			tells(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"t","annotations":{"audience":["_x"]}}}`,
				shows(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"t","annotations":{}}}`)).losing("role in an audience"),
		}},
		{name: "a message with more blocks than the client has", steps: []step{
			tells(whole("user_message", "m", `[`+block("hello")+`,`+block("world")+`]`), part("user_message", "m", block("hello")), part("user_message", "m", block("world"))),
		}},
	}
	runCases(t, cases)
}

func TestUpdates(t *testing.T) {
	pass := func(update string) step { return tells(update, shows(update)) }
	runCases(t, []testCase{
		{name: "updates that are the same", steps: []step{
			pass(`{"sessionUpdate":"session_info_update","title":"T","updatedAt":null}`),
			pass(`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":0.5e-1,"currency":"EUR"}}`),
			pass(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}}`),
			pass(`{"sessionUpdate":"plan_removed","planId":"p"}`),
			pass(`{"sessionUpdate":"_status_badge","x":1}`),
		}},
		{name: "members of a wrong type are left out", steps: []step{
			tells(`{"sessionUpdate":"session_info_update","title":5,"_meta":null,"updatedAt":"x"}`, shows(`{"sessionUpdate":"session_info_update","updatedAt":"x"}`)),
			tells(`{"sessionUpdate":"usage_update","used":-1,"size":2}`).losing("unreadable update"),
		}},
		{name: "updates that version 1 lacks, and values that are not updates", steps: []step{
			tells(`{"sessionUpdate":"` + strings.Repeat("x", 61) + `"}`).losing("session update " + strings.Repeat("x", 60)),
			tells(`{"sessionUpdate":"future_update"}`).losing("session update future_update"), tells(`{"sessionUpdate":""}`).losing("session update"), tells(`{}`).losing("unreadable update"), tells(`5`).losing("unreadable update"),
			agent(`{"method":"session/update"}`).losing("unreadable update"), agent(`{"method":"session/update","params":[]}`).losing("unreadable update"), agent(`{"method":"session/update","params":{"sessionId":5,"update":{"sessionUpdate":"_x"}}}`).losing("unreadable update"),
		}},
		{name: "commands lose their types", steps: []step{
			tells(`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"plan","description":"Plan","input":{"type":"text","hint":"what"}},{"type":"_macro","name":"m","description":"d","input":{"type":"_x"}},{"type":"command","description":"no name"}]}`,
				shows(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"plan","description":"Plan","input":{"hint":"what"}},{"name":"m","description":"d"}]}`)),
		}},
		{name: "a message whose surroundings cannot stay", steps: []step{
			agent(`{"method":"session/update","params":{"sessionId":"s","_meta":5,"update":{"sessionUpdate":"_x"}}}`, shows(`{"sessionUpdate":"_x"}`)),
			agent(`{"method":"session/update","params":{"sessionId":"s","_meta":{"a":1},"update":`+chunk("agent_message", "m", "x")+`}}`,
				`C {"method":"session/update","params":{"sessionId":"s","_meta":{"a":1},"update":`+chunk("agent_message", "m", "x")+`}}`),
		}},
	})
}

// TestReadByPlans has updates that the plan translation has read before.
func TestReadByPlans(t *testing.T) {
	p := newPeer(Options{})
	p.reader = planReader{}
	for _, c := range []struct{ update, shown string }{
		{chunk("agent_message", "m", "Hel"), chunk("agent_message", "m", "Hel")},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[` + block("Hello") + `]}`, `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + block("lo") + `}`},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"_chart","name":"C"}}`, `{"sessionUpdate":"agent_message_chunk","content":` + block("C") + `}`},
		{`{"sessionUpdate":"plan_removed","planId":"p"}`, `{"sessionUpdate":"plan_removed","planId":"p"}`},
	} {
		got, err := p.step(tells(c.update))
		if want := []string{"C " + complete(in("s", c.shown))}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s became %q, %v", c.update, got, err)
		}
	}
}

// TestNoPlan pins which updates the plan translation need not look at again: all
// that do not concern a plan.
func TestNoPlan(t *testing.T) {
	p := newPeer(Options{})
	for _, update := range []string{
		chunk("agent_message", "m", "x"), call(`,"title":"T","status":"cancelled"`), `{"sessionUpdate":"_x"}`, contentChunk(textItem("a")),
		`{"sessionUpdate":"notice","title":"N"}`, `{"sessionUpdate":"plan","entries":[]}`, `{"sessionUpdate":"plan_update"}`, `{"sessionUpdate":"plan_removed"}`,
	} {
		for _, s := range []step{tells(update), wait(time.Hour)} { // what was collected leaves last
			if _, err := p.step(s); err != nil {
				t.Fatal(err)
			}
			for _, l := range p.out.Leaves() {
				if text := string(p.out.Text(l)); l.To != translate.Client || l.NoPlan != isPlanless(text) {
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
		in("s", `{"sessionUpdate":"_x","a":1}`):                                     true,
		in("s", `{"sessionUpdate":"plan_removed","planId":"p"}`):                    true,
		`{"method":"_x"}`: true,
		in("s", `{"sessionUpdate":"agent_message_chunk","messageId":null,"content":`+block("x")+`}`):                false,
		in("s", `{"sessionUpdate":"agent_message_chunk","messageId":"m","messageId":"m","content":`+block("x")+`}`): false,
		in("s", `{"sessionUpdate":"agent_message_chunk","_meta":{},"content":`+block("x")+`}`):                      false,
		in("s", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","_meta":{}}}`):          false,
		`{"method":"session/update","params":{"sessionId":"s","_meta":5,"update":{"sessionUpdate":"_x"}}}`:          false,
		`{"method":"session/update","params":{"sessionId":"s","_meta":{"a":1},"update":{"sessionUpdate":"_x"}}}`:    true,
		`{"method":"session/update","params":{"sessionId":"s","_meta":null,"update":{"sessionUpdate":"_x"}}}`:       true,
	} {
		p := newPeer(Options{})
		if _, err := p.step(agent(line)); err != nil {
			t.Fatal(err)
		}
		leaves := p.out.Leaves()
		if len(leaves) != 1 || leaves[0].Same != want {
			t.Errorf("%s: %d messages leave, forwarded: %v", line, len(leaves), len(leaves) == 1 && leaves[0].Same)
		}
	}
	p := newPeer(Options{}) // a message without a version, and one with the version behind
	for line, want := range map[string]bool{in("s", hello): false, `{"method":"session/update","params":{"sessionId":"s","update":` + hello + `},"jsonrpc":"2.0"}`: true} {
		if _, err := p.send(translate.Agent, line); err != nil || p.out.Leaves()[0].Same != want {
			t.Errorf("%s: %v, forwarded: %v", line, err, p.out.Leaves()[0].Same)
		}
	}
}
