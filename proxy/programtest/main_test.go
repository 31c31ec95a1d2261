// Package programtest has the tests of the whole program: they run it as an editor or a
// user does, with agents of their own and with published ones.
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

var update = flag.Bool("update", false, "write what the commands print into the scripts of testdata/cli")

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		programName: func() {
			forget(func(name string) bool { return strings.HasPrefix(name, envPrefix+"TEST_") })
			os.Exit(command.Main(os.Args[1:]))
		},
		"scripted-agent": scriptedAgent,
		"soak-agent":     soakAgent,
		"plain-agent":    plainAgent,

		"bridged-soak-agent": bridgedSoakAgent,
	})
}

// tests run the tests in the module's root, which has the README and testdata,
// and without the program's variables in the environment.
type tests struct{ m *testing.M }

func (t tests) Run() int {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	forget(func(name string) bool {
		return strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, envPrefix+"TEST_")
	})
	return t.m.Run()
}

// forget removes variables from the environment.
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
		Dir: "testdata/cli", UpdateScripts: *update, Cmds: scriptCommands, Condition: condition,
	})
}
