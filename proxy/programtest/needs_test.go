package programtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

// buildProgram builds the Go program in dir and returns its path.
func buildProgram(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", name, ".")
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if !needs.Required() {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		needs.Skip(t, fmt.Sprintf("go build in %s: %v: %s", dir, err, out))
	}
	return name
}

// report logs a result and appends it to the file $ACP_TEST_REPORT, if set.
func report(t *testing.T, text string) {
	t.Helper()
	t.Log(text)
	name := os.Getenv("ACP_TEST_REPORT")
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

// watchFiles makes go test record the current folder. go test caches a result until a file
// changes that the test has read, and resolves relative paths by the recorded calls of
// os.Chdir. It does not record the call in TestMain.
func watchFiles(t *testing.T) {
	t.Helper()
	if err := os.Chdir("."); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	watchFiles(t)
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
