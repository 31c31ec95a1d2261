package logging

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for _, waits := range []bool{false, true} {
		name := filepath.Join(dir, fmt.Sprint("log ", waits))
		for _, text := range []string{"first", "second"} { // appended
			log := Open(Options{File: name, Format: "auto", Level: slog.LevelWarn, Waits: waits})
			log.Warn(text)
			log.Info("below the level")
			log.Close()
			log.Warn("after the end")
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(got), "\n")
		if len(lines) != 3 || !strings.HasSuffix(lines[0], "level=WARN msg=first") || !strings.HasSuffix(lines[1], "level=WARN msg=second") {
			t.Errorf("got %s", got)
		}
	}
}

func TestGap(t *testing.T) {
	for format, want := range map[string]string{"text": " dropped=7\n", "json": `,"dropped":7}` + "\n", "color": "dropped=\x1b[0m7\n"} {
		gap := Options{Format: format, Level: slog.LevelWarn}.droppedRecord()
		for range 2 {
			if got := string(gap(7)); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 1 {
				t.Errorf("%s: %s", format, got)
			}
		}
	}
	if got := (Options{Format: "text", Level: slog.LevelError}).droppedRecord()(7); len(got) > 0 {
		t.Errorf("errors only: %s", got)
	}
}

func TestLosses(t *testing.T) {
	var out bytes.Buffer
	untimed := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: untimed}))
	l := NewLosses(log)
	l.Close() // logs nothing
	for session := range 3 {
		l.Note(translate.Loss{Kind: translate.LossPlanFile, Session: fmt.Sprint("s", session), Detail: fmt.Sprintf("file %d is shown as a link", session)})
	}
	l.Note(translate.Loss{Kind: translate.LossStopReason, Detail: "done"})
	l.Close()
	const want = `level=WARN msg="file 0 is shown as a link" session=s0 kind="plan file"
level=WARN msg=done kind="unknown stop reason"
level=WARN msg="these warnings occurred more than once" "count.plan file"=3
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

// Names are chosen by peers. Beyond the limit they must not merge the program's own kinds.
func TestLossesAreBounded(t *testing.T) {
	var out bytes.Buffer
	l := NewLosses(slog.New(slog.NewTextHandler(&out, nil)))
	kinds := []translate.LossKind{translate.LossUnknownUpdate, translate.LossTerminal, translate.LossPlanFile}
	for range 2 {
		for name := range 10 * maxNames {
			l.Note(translate.Loss{Kind: translate.LossUnknownUpdate, Name: fmt.Sprint("n", name), Detail: "dropped"})
		}
		for _, kind := range kinds {
			l.Note(translate.Loss{Kind: kind, Detail: "detail"})
		}
	}
	most := len(kinds) + maxNames
	if n := strings.Count(out.String(), "\n"); n != most || len(l.kinds) != most || len(l.counts) != most {
		t.Errorf("%d records, %d kinds, %d counts, want %d", n, len(l.kinds), len(l.counts), most)
	}
	if l.counts["session update n0"] != 2 || l.counts["session update"] != 2*9*maxNames+2 || l.counts["terminal"] != 2 {
		t.Errorf("counted as %v", l.counts)
	}
}
