package trace

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
)

func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	if stat, err := os.Stat(full); err != nil || stat.Mode().IsRegular() {
		t.Fatalf("there is no device %s: %v", full, err)
	}
	for name, create := range map[string]func(string, *slog.Logger) (*Writer, error){"file": Create, "live": CreateLive} {
		var logged bytes.Buffer
		w, err := create(full, slog.New(slog.NewTextHandler(&logged, nil)))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			w.Message(Agent, Client, []byte(`{"method":"m"}`))
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if n := strings.Count(logged.String(), "level=WARN"); n != 1 {
			t.Errorf("%s: %d warnings:\n%s", name, n, logged.String())
		}
	}
}
