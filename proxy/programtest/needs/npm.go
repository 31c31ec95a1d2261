package needs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Packages returns a directory with what dir/package.json depends on. It is outside the
// repository, so that a clean clone finds it again. Next to package.json are
// package-lock.json, which has the hash of each package and no registry, and .npmrc.
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

// install installs what the texts of package.json and so on say into a directory.
func install(t testing.TB, installed string, texts map[string][]byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(installed), 0o755); err != nil {
		t.Fatal(err)
	}
	// Renamed when complete, so that another test never sees half of it.
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
		if _, err := os.Stat(installed); err != nil { // another test was not faster
			t.Fatal(err)
		}
	}
}
