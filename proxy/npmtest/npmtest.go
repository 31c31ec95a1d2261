// Package npmtest has the npm packages that tests need.
package npmtest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// requireEnv says that what is missing is installed, and that a test fails without it.
const requireEnv = "ACP_TEST_REQUIRE"

// Packages returns a directory with what dir/package.json depends on. It is outside the
// repository, so that a clean clone finds it again. Next to package.json are
// package-lock.json, which has the hash of each package and no registry, and .npmrc. A
// test that needs what is not there is skipped, or fails where tests are required.
func Packages(t testing.TB, dir string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip(t, tool+" is not installed")
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		skip(t, err.Error())
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
	if os.Getenv(requireEnv) == "" {
		skip(t, fmt.Sprintf("npm packages are not installed: %s=1 go test -run '^%s$' . installs them", requireEnv, t.Name()))
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

func skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(requireEnv) != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
