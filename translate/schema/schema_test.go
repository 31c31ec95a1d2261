package schema

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/programtest/needs"
)

// names returns the names of the drafts.
func names() (all []string) {
	entries, _ := files.ReadDir("drafts")
	for _, entry := range entries {
		all = append(all, strings.TrimSuffix(entry.Name(), ".json.gz"))
	}
	return all
}

// TestNames checks that the folder has exactly the drafts that package capabilities names.
func TestNames(t *testing.T) {
	var known []string
	for _, d := range capabilities.Drafts() {
		if d.Schema != "" {
			known = append(known, d.Schema)
		}
	}
	slices.Sort(known)
	if all := slices.Sorted(slices.Values(names())); !slices.Equal(known, all) {
		t.Errorf("the drafts of versions are %v, there are %v", known, all)
	}
}

// TestPublished compares the schemas with those that were published.
func TestPublished(t *testing.T) {
	dir := needs.Shared(t, "protocol/schema")
	for _, name := range names() {
		got, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not the schema that was published", name)
		}
	}
}

// TestCompressed: the files contain no name and no time.
func TestCompressed(t *testing.T) {
	for _, name := range names() {
		compressed, err := files.ReadFile("drafts/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		text, err := gzip.NewReader(bytes.NewReader(compressed))
		if err != nil {
			t.Fatal(err)
		}
		if !text.ModTime.IsZero() || text.Name != "" {
			t.Errorf("%s says when and from what it was made: %v, %s", name, text.ModTime, text.Name)
		}
	}
}

// TestGet reads each draft, once.
func TestGet(t *testing.T) {
	var drafts Drafts
	for _, name := range names() {
		d, err := drafts.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if !d.HasMethod("session/update") || d.methods["session/new"].result == nil || !d.updates["plan"] == strings.HasPrefix(name, "v1") {
			t.Errorf("%s lacks an update or a session", name)
		}
		if again, err := drafts.Get(name); err != nil || again != d {
			t.Errorf("%s is read once more: %v", name, err)
		}
	}
	if d, err := drafts.Get("v3"); err == nil {
		t.Errorf("there is a schema %s", d.Name)
	}
}
