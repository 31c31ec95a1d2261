package schematest

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPublished compares the schemas with those that were published.
func TestPublished(t *testing.T) {
	shared := cmp.Or(os.Getenv("ACP_SHARED"), filepath.Join("..", "..", "..", "shared"))
	dir := filepath.Join(shared, "protocol", "schema")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("ACP_PLAN_PROXY_TEST_REQUIRE") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	entries, err := files.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".json.gz")
		text, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		if !text.ModTime.IsZero() || text.Name != "" {
			t.Errorf("%s says when and from what it was made: %v, %s", entry.Name(), text.ModTime, text.Name)
		}
		got, err := io.ReadAll(text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not the schema that was published", entry.Name())
		}
	}
}

// TestOf compiles each schema.
func TestOf(t *testing.T) {
	entries, err := files.ReadDir("testdata")
	if err != nil || len(entries) == 0 {
		t.Fatal("no schemas: ", err)
	}
	for _, entry := range entries {
		d := Of(t, strings.TrimSuffix(entry.Name(), ".json.gz"))
		if d.Calls["session/update"] == nil || d.Results["session/new"] == nil {
			t.Errorf("%s lacks an update or a session", d.Name)
		}
	}
}
