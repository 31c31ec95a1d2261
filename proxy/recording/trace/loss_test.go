package trace

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
)

// What was lost is on the first event, whatever that is.
func TestLost(t *testing.T) {
	const (
		kind     = `"lost":[{"kind":"k"}]}`
		dropped  = `{"type":"notification","ts":T,"protocol":"acp","from":"Agent","to":"Proxy","method":`
		sent     = `{"type":"notification","ts":T,"protocol":"acp","from":"Proxy","to":"Client","method":`
		answered = `{"type":"response","ts":T,"from":"Agent","to":"Proxy","id":1,"is_error":false,"payload":`
	)
	tests := []struct {
		name, message, instead string
		lost                   []Loss
		want                   []string
	}{
		{"nothing", `{"method":"a"}`, "", nil, []string{dropped + `"a","params":null}`}},
		{"dropped", `{"method":"a"}`, "", []Loss{{Kind: "k"}}, []string{dropped + `"a","params":null,` + kind}},
		{"rewritten", `{"method":"a","params":{}}`, `{"method":"b"}`, []Loss{{Kind: "k"}}, []string{dropped + `"a","params":{},` + kind, sent + `"b","params":null}`}},
		{"by itself", "", `{"method":"b"}` + "\n" + `{"method":"c"}`, []Loss{{Kind: "k"}}, []string{sent + `"b","params":null,` + kind, sent + `"c","params":null}`}},
		{"a response", `{"id":1,"result":2}`, "", []Loss{{Kind: "k"}}, []string{answered + `2,` + kind}},
		{"a batch", `[{"method":"a"},{"method":"b"}]`, "", []Loss{{Kind: "k"}}, []string{dropped + `"a","params":null,` + kind, dropped + `"b","params":null}`}},
		{"not a message", "text", "", []Loss{{Kind: "k"}}, []string{dropped + `"(not a message)","params":"text",` + kind}},
		{"nothing is sent", "", "", []Loss{{Kind: "k"}}, nil},
		{"all there is", `{"method":"a"}`, "", []Loss{{"k", "n", "d"}, {"l", "", "\"\xff\n"}, {"m", "<", ""}}, []string{
			dropped + `"a","params":null,"lost":[{"kind":"k","name":"n","detail":"d"},{"kind":"l","detail":"\"` + "\uFFFD" + `\n"},{"kind":"m","name":"<"}]}`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			w := New(&out, slog.New(slog.DiscardHandler))
			w.Rewritten(Agent, Client, []byte(tt.message), []byte(tt.instead), tt.lost...)
			lost := out.Len()
			w.Rewritten(Agent, Client, []byte(`{"method":"next"}`), nil)
			if next := untimed(out.Bytes()[lost:]); next != dropped+`"next","params":null}`+"\n" {
				t.Errorf("the next event is %s", next)
			}
			want := strings.Join(append(tt.want, ""), "\n")
			if got := untimed(out.Bytes()[:lost]); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			checkLines(t, out.Bytes())
		})
	}
}

func TestLostOfForwardedMessage(t *testing.T) {
	var out bytes.Buffer
	New(&out, slog.New(slog.DiscardHandler)).Message(Client, Agent, []byte(`{"id":1,"method":"a"}`), Loss{Kind: "k", Detail: "d"})
	want := `{"type":"request","ts":T,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"a","params":null,"lost":[{"kind":"k","detail":"d"}]}` + "\n"
	if got := untimed(out.Bytes()); got != want {
		t.Errorf("got %s", got)
	}
}

// An event with an odd member is read.
func TestReadLost(t *testing.T) {
	for value, want := range map[string][]Loss{
		`[{"kind":"k","name":"n","detail":"d"},{"kind":"\u006c"}]`:                           {{"k", "n", "d"}, {Kind: "l"}},
		`[{"detail":"d","of":[{"kind":"x"}],"kind":"k","name":null}]`:                        {{"k", "", "d"}},
		`[{"kind":"k","name":1,"detail":["d"]}]`:                                             {{Kind: "k"}},
		`[1,null,"k",[],{},{"kind":7},{"kind":""},{"name":"n"},[{"kind":"x"}],{"kind":"k"}]`: {{Kind: "k"}},
		`[]`: nil, `{}`: nil, `{"kind":"k"}`: nil, `null`: nil, `"kind"`: nil, `0`: nil, `true`: nil,
	} {
		line := fmt.Sprintf(`{"type":"request","lost":%s,"ts":2,"method":"m"}`, value)
		read := 0
		for e, err := range Events(strings.NewReader(line)) {
			if read++; err != nil || e.Method != "m" || e.Seconds != 2 || !slices.Equal(e.Lost, want) {
				t.Errorf("%s\ngot  %q %v\nwant %q", value, e.Lost, err, want)
			}
		}
		if read != 1 {
			t.Errorf("%s: %d events", value, read)
		}
	}
	for e, err := range Events(strings.NewReader(`{"type":"request","lost":[{"kind":"k"}`)) {
		if err == nil {
			t.Errorf("a broken line is read as %v", e)
		}
	}
}
