package command

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts of testdata/cli")

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		programName: func() {
			forget(func(name string) bool { return strings.HasPrefix(name, envPrefix+"TEST_") })
			os.Exit(Main(os.Args[1:]))
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
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cli", UpdateScripts: *update, Cmds: scriptCommands, Condition: condition,
	})
}

// TestCommands checks that each flag takes what its help says that it takes, and that
// each command has two examples, which it understands.
func TestCommands(t *testing.T) {
	named := 0
	for _, c := range commands() {
		o := newOptions(c)
		if err := o.flags.Parse(nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		o.flags.VisitAll(func(f *pflag.Flag) {
			alone, listed := choices(f)
			for _, v := range append(slices.Concat(alone, listed), strings.Join(listed, ",")) {
				if v == "" {
					continue
				}
				named++
				if err := f.Value.Set(v); err != nil {
					t.Errorf("%s --%s=%s: %v", c.name, f.Name, v, err)
				}
			}
		})
		if len(c.examples) != 2 {
			t.Errorf("%q has the examples %q", c.name, c.examples)
		}
		for _, example := range c.examples {
			args, ok := strings.CutPrefix(example+" ", c.call()+" ")
			args = args[:max(strings.IndexAny(args+">", ">|"), 0)]
			o := newOptions(c)
			if err := o.parse(strings.Fields(args)); !ok || err != nil {
				t.Errorf("%s: %v", example, err)
			} else if err := c.check(o); err != nil {
				t.Errorf("%s: %v", example, err)
			}
		}
	}
	if named < 40 {
		t.Errorf("flags name only %d values", named)
	}
}

// choices returns the values that a flag takes alone, and those that it takes as a list.
func choices(f *pflag.Flag) (alone, listed []string) {
	_, values, _ := strings.Cut(f.Usage, ": ")
	first, rest, _ := strings.Cut(values, ", or a list of\n")
	split := func(names string) []string {
		return strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return split(first), split(rest)
}

func TestVersion(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	tests := []struct{ version, revision, want string }{
		{"", "", "(unknown)"},
		{"(devel)", "", "(devel)"},
		{"v1.2.3", revision, "v1.2.3 (commit 0123456789ab)"},
		{"v0.0.0-20260102030405-0123456789ab+dirty", revision, "v0.0.0-20260102030405-0123456789ab+dirty"},
	}
	for _, tt := range tests {
		build := &debug.BuildInfo{Main: debug.Module{Version: tt.version}}
		if tt.revision != "" {
			build.Settings = []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: tt.revision}}
		}
		if got := versionOf(build); got != tt.want {
			t.Errorf("%q, %q: %s, not %s", tt.version, tt.revision, got, tt.want)
		}
	}
}

// TestSelf: the program's path is the one by which it was called.
func TestSelf(t *testing.T) {
	t.Chdir(t.TempDir())
	name := filepath.Join("bin", programName+filepath.Ext(os.Args[0]))
	want, err := filepath.Abs(name)
	if err := errors.Join(err, os.Mkdir("bin", 0o700), os.WriteFile(name, nil, 0o700)); err != nil {
		t.Fatal(err)
	}
	defer func(args []string) { os.Args = args }(os.Args)
	os.Args = []string{name}
	if got := self(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
