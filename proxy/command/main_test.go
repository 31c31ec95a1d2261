package command

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"acp-plan-proxy/proxy/usage"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts of testdata/cli")

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		programName:      func() { os.Exit(Main(os.Args[1:])) },
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
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, envPrefix+"TEST_") {
			os.Unsetenv(name)
		}
	}
	return t.m.Run()
}

func TestCLI(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cli", UpdateScripts: *update, Cmds: scriptCommands, Condition: condition,
	})
}

// TestChoices compares what a flag says it takes with what it takes.
func TestChoices(t *testing.T) {
	named := 0
	for _, c := range commands() {
		o := newOptions(c)
		if err := o.flags.Parse(nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		o.flags.VisitAll(func(f *pflag.Flag) {
			choice, ok := f.Value.(usage.Choice)
			if !ok {
				return
			}
			alone, listed := choice.Choices()
			values := slices.Concat(alone, listed)
			if len(listed) > 0 {
				values = append(values, strings.Join(listed, ","))
			}
			for _, v := range values {
				named++
				if err := f.Value.Set(v); err != nil {
					t.Errorf("%s --%s=%s: %v", c.name, f.Name, v, err)
				}
			}
		})
	}
	if named == 0 {
		t.Error("no flag names its values")
	}
}
