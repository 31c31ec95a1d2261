// Package programtest tests the whole program as a process, with scripted and with published
// clients and agents.
package programtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"acp-plan-proxy/proxy/command"
)

const (
	programName = "acp-plan-proxy"
	envPrefix   = "ACP_PLAN_PROXY_"
)

var updateScripts = flag.Bool("update", false, "update the expected output in the scripts of testdata/cli")

func TestMain(m *testing.M) {
	testscript.Main(testRun{m}, map[string]func(){
		programName: func() {
			forget(func(name string) bool { return strings.HasPrefix(name, envPrefix+"TEST_") })
			os.Exit(command.Main(os.Args[1:]))
		},
		"scripted-agent": scriptedAgent,
		"soak-agent":     soakAgent,
		"plain-agent":    plainAgent,
		"jrpc2-agent":    jrpc2Agent,

		"bridged-soak-agent": bridgedSoakAgent,
	})
}

// testRun runs the tests in the module's root, which contains the README and testdata, without
// the program's environment variables.
type testRun struct{ m *testing.M }

func (t testRun) Run() int {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	forget(func(name string) bool {
		return strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, envPrefix+"TEST_")
	})
	return t.m.Run()
}

// forget removes the selected variables from the environment.
func forget(which func(name string) bool) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); which(name) {
			os.Unsetenv(name)
		}
	}
}

func TestCLI(t *testing.T) {
	watchFiles(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cli", UpdateScripts: *updateScripts, Cmds: scriptCommands, Condition: condition,
	})
}
