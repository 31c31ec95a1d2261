package needs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Packages returns a directory with the installed dependencies of dir/package.json. It is in the
// user's cache, so that all clones share it. dir also contains .npmrc and a package-lock.json with
// the hash of each package and no registry.
func Packages(t testing.TB, dir string) string {
	t.Helper()
	Program(t, "node")
	Program(t, "npm")
	cache, err := os.UserCacheDir()
	if err != nil {
		Skip(t, err)
	}
	texts := make(map[string][]byte)
	hash := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = text
		hash.Write(text)
	}
	installed := filepath.Join(cache, "acp-plan-proxy", fmt.Sprintf("npm-%.6x", hash.Sum(nil)))
	if _, err := os.Stat(installed); err == nil {
		return installed
	}
	if !Required() {
		Skip(t, fmt.Sprintf("npm packages are not installed: ACP_TEST_REQUIRE=1 go test -run '^%s$' . installs them", t.Name()))
	}
	install(t, installed, texts)
	return installed
}

// install installs the dependencies of a package.json, given with its lock file and .npmrc, into
// a directory.
func install(t testing.TB, installed string, texts map[string][]byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(installed), 0o755); err != nil {
		t.Fatal(err)
	}
	// Rename the complete directory, so that a concurrent test never finds a partial one.
	fresh, err := os.MkdirTemp(filepath.Dir(installed), "installing-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(fresh, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("npm", "install")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, installed); err != nil {
		if _, err := os.Stat(installed); err != nil { // no concurrent test installed it first
			t.Fatal(err)
		}
	}
}
