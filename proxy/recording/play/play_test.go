package play

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording"
)

// recordedFile returns a recording as a file.
func recordedFile(t *testing.T, lines string) recording.File {
	t.Helper()
	text := recorded(t, lines)
	return recording.File{Name: "recorded.jsonl", SectionReader: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))}
}

// TestAgentStays checks that the agent runs until its stdin closes.
func TestAgentStays(t *testing.T) {
	file := recordedFile(t, begin)
	in, client := io.Pipe()
	heard, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Agent(file, in, out, Options{Speed: 0, MaxMessage: 1 << 20, Log: quiet()}) }()
	lines := bufio.NewReader(heard)
	for _, exchange := range [][2]string{
		{`{"id":1,"method":"initialize"}`, `{"id":1,"result":{"protocolVersion":1}}`},
		{`{"id":2,"method":"initialize"}`, `{"id":2,"result":{"protocolVersion":1}}`},
		{`{"id":3,"method":"session/list"}`, `-32601`},
		{`{"id":4,"method":"session/new"}`, `{"id":4,"result":{"sessionId":"recorded-1"}}`},
	} {
		if _, err := io.WriteString(client, exchange[0]+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(withoutVersion(line), exchange[1]) {
			t.Fatalf("%s was answered with %s, %v", exchange[0], line, err)
		}
	}
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "commands") {
		t.Fatalf("%s, %v", line, err)
	}
	select {
	case err := <-ended:
		t.Fatalf("it has ended: %v", err)
	default:
	}
	client.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAgentOfClientThatIsGone(t *testing.T) {
	file := recordedFile(t, begin)
	in, client := io.Pipe()
	heard, out := io.Pipe()
	gone := errors.New("gone")
	heard.CloseWithError(gone)
	go io.WriteString(client, `{"id":1,"method":"initialize"}`+"\n")
	if err := Agent(file, in, out, Options{MaxMessage: 1 << 20, Log: quiet()}); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

func TestParseSpeed(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "0": 0, "10": 10, "0.5": 0.5} {
		if got, err := ParseSpeed(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1", "fast", "nan", "inf", "1x"} {
		if _, err := ParseSpeed(text); err == nil {
			t.Errorf("%q is a speed", text)
		}
	}
}
