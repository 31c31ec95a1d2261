package redact

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/schema"
)

// placeholders matches placeholders; shape replaces each by its length, for tables.
var placeholders = regexp.MustCompile(`[cdghjkmpqvwz]{8}x*`)

func shape(text []byte) string {
	return placeholders.ReplaceAllStringFunc(string(text), func(p string) string {
		return "‹" + strings.Repeat("•", len(p)/8) + "›"
	})
}

// A section is a line in testdata/messages.txt, with its redacted form.
type section struct{ name, line, want string }

func sections(t testing.TB) (all []section) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "messages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n== ")[1:] {
		lines := strings.Split(part, "\n")
		all = append(all, section{lines[0], lines[1], lines[2]})
	}
	return all
}

func TestLine(t *testing.T) {
	for _, s := range sections(t) {
		t.Run(s.name, func(t *testing.T) {
			if got := shape(New().Line(nil, []byte(s.line))); got != s.want {
				t.Errorf("got  %s\nwant %s", got, s.want)
			}
		})
	}
}

// TestDrafts: the capabilities of each draft and the members with plan ids are kept.
func TestDrafts(t *testing.T) {
	all := rules()
	for i := range capabilities.PlanIDMembers {
		if name := capabilities.PlanIDMember(i); all["object"].members[name] != all["id"] {
			t.Errorf("%s is hidden", name)
		}
	}
	for _, d := range capabilities.Drafts() {
		if d.Capability != "" && all["able"].members[d.Capability] == nil {
			t.Errorf("%s is hidden", d.Capability)
		}
	}
}

// Equal texts have equal placeholders, and different texts different ones.
func TestMatches(t *testing.T) {
	r := New()
	cwd := string(r.Line(nil, []byte(`{"method":"session/new","params":{"cwd":"/home/bob b"}}`)))
	cwd = cwd[strings.Index(cwd, `"/`)+1 : strings.LastIndex(cwd, `"`)]
	for _, in := range []string{
		`{"method":"fs/read_text_file","params":{"path":"/home/bob b/x"}}`,
		`{"method":"session/update","params":{"update":{"content":{"uri":"file:///home/bob%20b/x"}}}}`,
	} {
		if got := r.Line(nil, []byte(in)); !bytes.Contains(got, []byte(cwd+"/")) {
			t.Errorf("%s is not below %s", got, cwd)
		}
	}
	field := string(r.Line(nil, []byte(`{"method":"elicitation/create","params":{"requestedSchema":{"required":["f"],"properties":{"f":{"enum":["yes","no"]}}}}}`)))
	found := placeholders.FindAllString(field, -1)
	answer := string(r.Line(nil, []byte(`{"result":{"action":"accept","content":{"f":"yes"}}}`)))
	if len(found) != 4 || found[0] != found[1] || found[2] == found[3] || !strings.Contains(answer, found[1]+`":"`+found[2]) {
		t.Errorf("%s is not the answer to %s", answer, field)
	}
	if again := string(New().Line(nil, []byte(`{"result":{"action":"accept","content":{"f":"yes"}}}`))); again == answer {
		t.Error("two Redactors have the same key")
	}
}

// Nesting costs no stack, and nothing deep is copied.
func TestDeep(t *testing.T) {
	deep := strings.Repeat(`{"result":[`, 1<<20) + `"secret"` + strings.Repeat("]}", 1<<20)
	got := New().Line(nil, []byte(deep))
	if !json.Valid(got) || bytes.Contains(got, []byte("secret")) {
		t.Errorf("%.300s", got)
	}
}

// The redacted captures of agents contain no sentence, path or address.
func TestCaptures(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "protocol/captures"), "*.jsonl"))
	if len(files) == 0 {
		t.Fatal("there are no captures")
	}
	r := New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var recorded struct{ Line string }
			if err := json.Unmarshal(line, &recorded); err != nil {
				t.Fatal(err)
			}
			in := []byte(recorded.Line)
			checkRedacted(t, in, r.Line(nil, in))
		}
	}
}

// checkRedacted compares a message with its redacted form.
func checkRedacted(t *testing.T, in, out []byte) {
	t.Helper()
	if !json.Valid(in) {
		return
	}
	var before, after any
	if json.Unmarshal(in, &before) != nil {
		return // such as a number that no float64 is
	}
	if err := json.Unmarshal(out, &after); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sameShape(t, before, after, 0)
	for _, text := range texts(before, nil) {
		for word := range strings.FieldsSeq(text) {
			// No rule keeps a sentence, a path or an address.
			if strings.Contains(text, " ") && len(word) > 12 && !hasOnlyMarks([]byte(word)) && bytes.Contains(out, []byte(word)) && !strings.Contains(string(out), `ersion":"`+text) {
				t.Errorf("%q is still in %s", word, out)
			}
		}
		if strings.HasPrefix(text, "/") && len(text) > 5 && bytes.Contains(out, []byte(text)) {
			t.Errorf("%q is still in %s", text, out)
		}
	}
}

func texts(v any, all []string) []string {
	switch v := v.(type) {
	case string:
		return append(all, v)
	case []any:
		for _, e := range v {
			all = texts(e, all)
		}
	case map[string]any:
		for _, e := range v {
			all = texts(e, all)
		}
	}
	return all
}

// sameShape compares types, and the numbers of elements and members.
func sameShape(t *testing.T, before, after any, depth int) {
	t.Helper()
	if depth >= maxDepth-1 {
		return
	}
	ok := false
	switch b := before.(type) {
	case map[string]any:
		var a map[string]any
		if a, ok = after.(map[string]any); ok {
			ok = len(a) == len(b)
			for name, value := range b {
				if kept, there := a[name]; there {
					sameShape(t, value, kept, depth+1)
				}
			}
		}
	case []any:
		var a []any
		if a, ok = after.([]any); ok {
			if ok = len(a) == len(b); ok {
				for i := range b {
					sameShape(t, b[i], a[i], depth+1)
				}
			}
		}
	case string:
		var a string
		a, ok = after.(string)
		ok = ok && (a == "") == (b == "")
	case float64:
		_, ok = after.(float64)
	case bool:
		_, ok = after.(bool)
	default:
		ok = after == nil
	}
	if !ok {
		t.Fatalf("%v has become %v", before, after)
	}
}

const marked = "Hunter2 of Bob"

// The marked text contains spaces, so no rule copies it.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"MARK"}]}}`,
		`{"method":"session/update","params":{"sessionId":"MARK","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","content":"- [x] MARK\n| MARK | b |\n1. MARK"}}}}`,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","title":"todowrite: MARK","kind":"MARK","rawInput":{"MARK":["MARK"],"_toolName":"todowrite: MARK"},"_meta":{"x":"MARK"}}}}`,
		`{"method":"session/update","params":{"update":{"content":[{"type":"diff","path":"/MARK/a","patch":{"text":"--- a/MARK\n+++ b/MARK\n@@ -1 +1 @@ MARK\n-MARK\n+MARK"}}]}}}`,
		`{"method":"session/new","params":{"cwd":"/home/MARK","mcpServers":[{"headers":[{"name":"MARK","value":"MARK"}],"url":"https://MARK"}]}}`,
		`{"id":"MARK","result":{"action":"accept","content":{"MARK":"MARK"},"outcome":"MARK"}}`,
		`{"id":1,"error":{"code":1,"message":"MARK","data":"MARK"}}`,
		`{"method":"MARK","params":"MARK"}`, `[{"method":"x"},"MARK"]`, `MARK {"id":1}`, `{"id":1} MARK`, `{"a":"\u00e9\ud800MARK"}`,
		`{"type":"response","from":"MARK","ts":1,"is_error":true,"payload":{"message":"MARK"}}`,
	} {
		f.Add([]byte(seed))
	}
	r := New()
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.ReplaceAll(text, []byte("MARK"), []byte(marked))
		event := append([]byte(`{"type":"response","from":"Agent","to":"Client","is_error":true,"payload":`), text...)
		for _, text := range [][]byte{text, append(event, '}')} {
			out := r.Line(nil, text)
			if bytes.Contains(out, []byte("Hunter2")) {
				t.Errorf("%s\nis still in %s", text, out)
			}
			if json.Valid(text) {
				var before, after any
				if json.Unmarshal(text, &before) != nil {
					continue
				}
				if err := json.Unmarshal(out, &after); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				sameShape(t, before, after, 0)
			}
		}
		if out := r.Line(nil, text); len(out) > 8*len(text)+64 {
			t.Errorf("%d bytes have become %d", len(text), len(out))
		}
	})
}

// TestIDs: an id is copied if it has a known format.
func TestIDs(t *testing.T) {
	keeps := rules()["id"].keeps
	for _, text := range []string{
		"-home-bob-x", "-Users-bob-x", "p_home_bob", "users_bob", "sk-ant-1", "ghp_a1", "key:ghp_1", "glpat-a", "xoxb-1-a", "AKIA1", "eyJhbGci",
		"bob@host", "/w/x", "a b", "", "Siemens-Mobility", "siemens", "0123456789012345", "deadbeefdeadbeef", "1\n",
	} {
		if keeps([]byte(text)) {
			t.Errorf("%q is kept", text)
		}
	}
	for _, text := range []string{"6f1c2d3e-0000-4000-8000-000000000000", "session_6f1c2d3e-0000-4000-8000-000000000000", "ses_1", "c1", "42", "allow_once", "acp-plan-proxy/1", "acp-plan-proxy/permission-1"} {
		if !keeps([]byte(text)) {
			t.Errorf("%q is hidden", text)
		}
	}
}

// TestSecrets: a name or a key that looks like an id or a word is replaced, in a request and
// in its response alike.
func TestSecrets(t *testing.T) {
	r := New()
	var lines []string
	for _, in := range []string{
		`{"id":"key:ghp_1a2b","method":"session/request_permission","params":{"options":[{"optionId":"Siemens-Mobility","name":"Siemens-Mobility","kind":"allow_once"}]}}`,
		`{"id":"key:ghp_1a2b","result":{"outcome":{"outcome":"selected","optionId":"Siemens-Mobility"}}}`,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","status":"sk-ant-abc","kind":"Siemens-Mobility"}}}`,
	} {
		out := string(r.Line(nil, []byte(in)))
		for _, secret := range []string{"Siemens", "ghp_", "sk-ant"} {
			if strings.Contains(out, secret) {
				t.Errorf("%s is still in %s", secret, out)
			}
		}
		lines = append(lines, out)
	}
	for _, member := range []string{`"id":"`, `"optionId":"`} {
		_, request, _ := strings.Cut(lines[0], member)
		_, response, _ := strings.Cut(lines[1], member)
		if before, _, _ := strings.Cut(request, `"`); !strings.HasPrefix(response, before+`"`) {
			t.Errorf("the response %s does not match the request %s", lines[1], lines[0])
		}
	}
	if !strings.Contains(lines[0], `"kind":"allow_once"`) || !strings.Contains(lines[1], `"outcome":"selected"`) {
		t.Errorf("words of the protocol are replaced in %s, %s", lines[0], lines[1])
	}
}

// TestWords: every word that a schema lists is kept.
func TestWords(t *testing.T) {
	keeps := rules()["word"].keeps
	eachSchema(t, func(o schema.Object) {
		listed, _ := o["enum"].([]any)
		for _, value := range append(listed, o["const"]) {
			if word, ok := value.(string); ok && word != "2.0" && !keeps([]byte(word)) {
				t.Errorf("%s is hidden", word)
			}
		}
	})
}

// eachSchema calls visit with each object in the published schemas.
func eachSchema(t *testing.T, visit func(schema.Object)) {
	t.Helper()
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case schema.Object:
			visit(value)
			for _, v := range value {
				walk(v)
			}
		case []any:
			for _, v := range value {
				walk(v)
			}
		}
	}
	for _, d := range capabilities.Drafts() {
		if d.Schema == "" {
			continue
		}
		text, err := schema.Text(d.Schema)
		if err != nil {
			t.Fatal(err)
		}
		var draft any
		if err := json.Unmarshal(text, &draft); err != nil {
			t.Fatal(err)
		}
		walk(draft)
	}
}

// TestKnownMembers: each member of the rule "object" is in a schema or in others.
func TestKnownMembers(t *testing.T) {
	others := []string{ // of vendors, and of drafts without a schema here
		"todos", "phases", "questions", "overview", "step", "preview", "question", "label", "merge", "isProject", "allowMultiple",
		"multiSelect", "planContent", "questionId", "selectedOptionIds", "planUri", "reason", "answers", "feedback", "models",
		"availableModels", "currentModelId", "modelId", "prompt", "id", "anchor", "idempotencyKey", "cursorId",
	}
	published := make(map[string]bool)
	eachSchema(t, func(o schema.Object) {
		properties, _ := o["properties"].(schema.Object)
		for name := range properties {
			published[name] = true
		}
	})
	for name := range rules()["object"].members {
		if !published[name] && !slices.Contains(others, name) {
			t.Errorf("no schema has %s", name)
		}
	}
}

// TestRules: a member has one rule, and a rule that kept.txt does not spell out is in kept.go.
func TestRules(t *testing.T) {
	all, names := rules(), 0
	for name, r := range all {
		if r.members == nil && r.keeps == nil && r.hides == nil && !r.inherits && !r.numbers && !r.flags && !r.fields && name != "hidden" {
			t.Errorf("the rule %s is not defined", name)
		}
		names += len(r.members)
	}
	for line := range strings.Lines(keptList) {
		if _, row, isRow := strings.Cut(line, ":"); isRow && line[0] == '\t' {
			names -= len(strings.Fields(row))
		}
	}
	if names != 0 {
		t.Errorf("%d names have two rules", -names)
	}
}

func BenchmarkLine(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` +
		strings.Repeat("a few words of an answer, ", 20) + `"}}}}`)
	r := New()
	var out []byte
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		out = r.Line(out[:0], line)
	}
}
