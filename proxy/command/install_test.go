package command

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The environment variables of tests that need more than a clone.
const (
	requireEnv = "ACP_PLAN_PROXY_TEST_REQUIRE" // install what is missing, and fail without it
	reportEnv  = "ACP_PLAN_PROXY_TEST_REPORT"  // append what the tests found to this file
)

var npmFiles = []string{"package.json", "package-lock.json", ".npmrc"}

// npmPackages returns a directory with what dir/package.json depends on. It is
// outside the repository, so that a clean clone finds it again.
func npmPackages(t *testing.T, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		skip(t, "node is not installed")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		skip(t, "npm is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		skip(t, err.Error())
	}
	hash := sha256.New()
	for _, name := range npmFiles {
		hash.Write(readFile(t, filepath.Join(dir, name)))
	}
	installed := filepath.Join(cache, "acp-plan-proxy", fmt.Sprintf("npm-%.6x", hash.Sum(nil)))
	if _, err := os.Stat(installed); err == nil {
		return installed
	}
	if os.Getenv(requireEnv) == "" {
		skip(t, fmt.Sprintf("npm packages are not installed: %s=1 go test -run '^%s$' . installs them", requireEnv, t.Name()))
	}
	if err := os.MkdirAll(filepath.Dir(installed), 0o755); err != nil {
		t.Fatal(err)
	}
	// Renamed when complete, so that another test never sees half of it.
	fresh, err := os.MkdirTemp(filepath.Dir(installed), "installing-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	for _, name := range npmFiles {
		if err := os.WriteFile(filepath.Join(fresh, name), readFile(t, filepath.Join(dir, name)), 0o644); err != nil {
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
	return installed
}

// build builds the Go program in dir and returns its path.
func build(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", name, ".")
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if os.Getenv(requireEnv) == "" {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		skip(t, fmt.Sprintf("go build in %s: %v: %s", dir, err, out))
	}
	return name
}

// skip says why the test cannot run here. In CI that is a failure.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv(requireEnv) != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// report logs what a test found, and appends it to the file that is asked for.
func report(t *testing.T, text string) {
	t.Helper()
	t.Log(text)
	name := os.Getenv(reportEnv)
	if name == "" {
		return
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintln(file, text); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readJSON(t *testing.T, name string, to any) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, name), to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
