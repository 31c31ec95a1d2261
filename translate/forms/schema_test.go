package forms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// asked returns the questions of a form, one per line.
func asked(message, schema string) (lines []string) {
	questions, why := readQuestions(message, []byte(schema))
	if why != "" {
		return []string{why}
	}
	for i, q := range questions {
		line := q.Title + " ["
		for n, c := range q.Choices {
			if n > 0 {
				line += ", "
			}
			line += c.ID + " " + c.Name
		}
		line += "] else " + q.Refusals[0].Name
		if q.Multiple {
			line += fmt.Sprintf(", %d to %d", q.AtLeast, q.AtMost)
		}
		if i == 0 {
			line += "\n" + q.Text
		}
		lines = append(lines, line)
	}
	return lines
}

func TestQuestions(t *testing.T) {
	const chat = " else Answer in the chat"
	for _, test := range []struct {
		what, schema string
		want         []string
	}{
		{"the form of claude-agent-acp", `{"type":"object","properties":{
			"question_0":{"type":"string","title":"Database","oneOf":[{"const":"Postgres","title":"Postgres","description":"a server"},{"const":"SQLite","title":"SQLite"}]},
			"question_0_custom":{"type":"string","title":"Other","description":"Type your own answer."}}}`,
			[]string{`Database: Which one? ["Postgres" Postgres, "SQLite" SQLite]` + chat + "\nDatabase: Which one?\n\n- Postgres: a server\n- SQLite"}},
		{"an enum and its default", `{"properties":{"x":{"type":"string","enum":["a","b"],"default":"b"}}}`,
			[]string{`Which one? ["a" a, "b" b (default)]` + chat + "\nWhich one?\n\n- a\n- b (default)"}},
		{"a boolean, an array and an optional number", `{"required":["b"],"properties":{
			"a":{"type":"boolean","title":"Tests","description":"Shall there be tests?","default":false},
			"b":{"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"x","title":"X"},{"const":"y","title":""}]},"default":["y"]},
			"c":{"type":"integer"}}}`,
			[]string{
				"Tests: Shall there be tests? [true Yes] else No (default)\nWhich one?\n\nTests: Shall there be tests? (1 of 2)\n\n- Yes\n- No (default)",
				`b ["x" X, "y" y (default)]` + chat + ", 1 to 2",
			}},
		{"numbers", `{"properties":{"x":{"type":"number","title":"X","description":"How many?","enum":[1,2.5,"3"],"default":2.5}}}`,
			[]string{"X: How many? [1 1, 2.5 2.5 (default)]" + chat + "\nWhich one?\n\nX: How many?\n\n- 1\n- 2.5 (default)"}},
		{"texts and numbers that are required", `{"required":["name","port","mail"],"properties":{
			"name":{"type":"string","title":"Name"},"port":{"type":"integer","default":80,"minimum":1},"mail":{"type":"string","default":"x","minLength":2}}}`,
			[]string{"Name []" + chat + "\nWhich one?\n\nName (1 of 3)", "port [80 80 (default)]" + chat, "mail []" + chat}},
		{"no properties", `{"type":"object","properties":{}}`, []string{"Which one? [{} Continue]" + chat + "\nWhich one?"}},
		{"only an optional text", `{"properties":{"note":{"type":"string"}}}`, []string{"Which one? [{} Continue]" + chat + "\nWhich one?"}},
		{"an unknown type", `{"properties":{"x":{"type":"_color"},"y":{"type":"boolean"}}}`, []string{"Which one? [true Yes] else No\nWhich one?\n\n- Yes\n- No"}},
		{"a required property of an unknown type", `{"required":["x"],"properties":{"x":{"type":"_color"}}}`, []string{"a required value has no choices"}},
		{"a title of several lines", `{"properties":{"x":{"type":"string","title":"Approve?\r\n# Plan","enum":["a"]}}}`,
			[]string{`Approve? ["a" a]` + chat + "\nApprove?\r\n# Plan: Which one?\n\n- a"}},
		{"a long title", `{"properties":{"x":{"type":"string","title":"` + strings.Repeat("é", 200) + `","enum":["a"]}}}`,
			[]string{strings.Repeat("é", 99) + `… ["a" a]` + chat + "\n" + strings.Repeat("é", 200) + ": Which one?\n\n- a"}},
		{"lengths with a fraction", `{"required":["x"],"properties":{"x":{"type":"string","enum":["a","bcd","ef"],"minLength":2.0,"maxLength":2e0}}}`,
			[]string{`Which one? ["ef" ef]` + chat + "\nWhich one?\n\n- ef"}},
		{"a required enum whose values are too short", `{"required":["x"],"properties":{"x":{"type":"string","enum":["a"],"minLength":2}}}`, []string{"a required value has no choices"}},
		{"a minimum above the number of choices", `{"required":["x"],"properties":{"x":{"type":"array","minItems":3,"items":{"enum":["a","b"]}}}}`, []string{"a required value has no choices"}},
		{"schemas that are null, and lists of lists inside", `{"properties":{
			"a":{"type":"array","title":"A","enum":[[1],[2]],"items":null,"allOf":[null,{"enum":[[1]]}],"properties":{"x":null}},
			"b":{"title":"B","enum":[{"x":[1]},{"x":2}],"properties":{"x":{"const":[1]}}},
			"c":{"type":null,"title":"C","enum":["c"]}}}`,
			[]string{"A [[1] [1]]" + chat + "\nWhich one?\n\nA (1 of 3)\n\n- [1]", `B [{"x":[1]} {"x":[1]}]` + chat, `C ["c" c]` + chat}},
		{"a required property that is not defined", `{"required":["x"],"properties":{}}`, []string{"a required property is not defined"}},
		{"no schema", ``, []string{"it has no schema"}},
	} {
		if got := asked("Which one?", test.schema); !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.what, got, test.want)
		}
	}
	nothing, _ := readQuestions("Go on?", []byte(`{}`))
	if got := contentOf(nothing, [][]string{{"{}"}}); string(got) != "{}" {
		t.Errorf("a form without a property has the values %s", got)
	}
}

// judge returns the violations of a form's schema in a response.
func judge(t testing.TB, schema string, answer []byte) error {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("form", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("form")
	if err != nil {
		return nil // it is not a schema
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// randomForm returns the schema of a form.
func randomForm(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	text := func() string { return pick(`"a"`, `"bb"`, `"ccc"`, `"\u00e9"`, `"d\"d"`, `""`) }
	list := func(most int, begin, end string) string {
		var all []string
		for range r.IntN(most + 1) {
			if e := begin + text() + end; !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	texts := func(most int) string { return list(most, "", "") }
	options := func(most int) string { return list(most, `{"const":`, `,"title":"T"}`) }
	maybe := func(members string) string { return pick("", ","+members) }
	small := func() string { return fmt.Sprint(r.IntN(4)) }
	lengths := func() string { return maybe(`"minLength":`+small()) + maybe(`"maxLength":`+small()) }
	property := func() string {
		switch r.IntN(8) {
		case 0:
			return `{"type":"string","enum":` + texts(4) + maybe(`"default":`+text()) + lengths() + `}`
		case 1:
			return `{"type":"string","oneOf":` + options(12) + maybe(`"default":`+text()) + `}`
		case 2:
			return `{"type":"array","items":{"type":"string","enum":` + texts(5) + lengths() + `}` + maybe(`"minItems":`+small()) + maybe(`"maxItems":`+small()) + `}`
		case 3:
			return `{"type":"array","items":{"anyOf":` + options(5) + `}` + maybe(`"minItems":`+small()) + maybe(`"default":`+texts(3)) + `}`
		case 4:
			return `{"type":"boolean"` + maybe(`"default":`+pick("true", "false")) + `}`
		case 5:
			return `{"type":` + pick(`"integer"`, `"number"`) + maybe(`"default":`+pick("1", "2.5", "-3", "7e0")) + maybe(`"minimum":`+small()) + maybe(`"maximum":`+small()) + `}`
		case 6:
			return `{"type":"string"` + maybe(`"default":`+text()) + maybe(`"pattern":"^.{2}$"`) + lengths() + `}`
		}
		return `{"type":` + pick(`"array"`, `"object"`, `"_other"`) + `}`
	}
	var properties, required []string
	for i := range r.IntN(5) {
		name := fmt.Sprintf(`"p%d"`, i)
		properties = append(properties, name+":"+property())
		if r.IntN(2) == 0 {
			required = append(required, name)
		}
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]}`
}

// Any sequence of choices yields a response that is valid by the form's schema.
func TestAnswersAreValid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number, option := regexp.MustCompile(`"id":"acp-plan-proxy/form-(\d+)"`), regexp.MustCompile(`"optionId":"([^"]*)"`)
	actions := make(map[string]int)
	for range 4000 {
		schema := randomForm(r)
		s := begin(capabilities.Request{Name: []string{"none", "acpx", "t3-code"}[r.IntN(3)]})
		said := templates.Send(s, `agent> create 7 | "sessionId":"s","requestedSchema":`+schema)
		answer, answered := "", false
		for ; !answered; _, answer, answered = strings.Cut(said, templates.Expand(`agent< {"jsonrpc":"2.0","id":7,"result":{"action":"`)) {
			question := number.FindStringSubmatch(said)
			if question == nil {
				continue
			}
			options := option.FindAllStringSubmatch(said, -1)
			said = templates.Send(s, "client> chosen "+question[1]+" | "+options[r.IntN(len(options))][1])
		}
		action, content, _ := strings.Cut(strings.TrimSuffix(answer, "}}"), `"`)
		actions[action]++
		if action == "accept" {
			// JSON Schema does not allow the name of an unknown type.
			known := strings.ReplaceAll(schema, `"type":"_other"`, `"not":{}`)
			if err := judge(t, known, []byte(strings.TrimPrefix(content, `,"content":`))); err != nil {
				t.Fatalf("%s\nis answered %s: %v", schema, content, err)
			}
		}
	}
	if actions["accept"] < 500 || actions["decline"] < 500 || len(actions) != 2 {
		t.Errorf("the answers are %v", actions)
	}
}

func FuzzSchema(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add([]byte(randomForm(r)))
	}
	f.Add([]byte(`{"properties":{"x":{"type":"array","items":{"anyOf":[{"const":1}]},"minItems":-1,"maxItems":1e9}}}`))
	f.Add([]byte(`{"required":[null,"x"],"properties":{"x":{"oneOf":[{}],"enum":[[]],"default":[[]]}}}`))
	f.Add([]byte(`{"required":["x"],"properties":{"x":{"type":"string","pattern":"(","default":"` + "\xff" + `\ud800"}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if !json.Valid(schema) {
			return
		}
		questions, why := readQuestions("message", schema)
		if why != "" {
			return
		}
		var chosen [][]string
		for i, q := range questions {
			if len(q.Refusals) != 1 || len(q.Choices) == 0 && !q.InChat {
				t.Errorf("%s: question %d is %+v", schema, i, q)
			}
			var ids []string
			for _, c := range q.Choices {
				ids = append(ids, c.ID)
			}
			if len(ids) == 0 {
				return
			}
			if q.Multiple && (q.AtLeast > q.AtMost || q.AtLeast > len(ids)) {
				t.Errorf("%s: question %d wants %d to %d of %d", schema, i, q.AtLeast, q.AtMost, len(ids))
			}
			chosen = append(chosen, ids[:1])
		}
		if content := contentOf(questions, chosen); !json.Valid(content) {
			t.Errorf("%s: %s", schema, content)
		}
	})
}
