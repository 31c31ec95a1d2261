package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// A sample has a flag of each sort.
type sample struct {
	color, file, id string
	all, once       bool
	grace           time.Duration
	size            int
	show            []string
}

// newSample returns a command that accepts some of its flags.
func newSample(interspersed bool, accepted ...string) (*sample, *Command) {
	v, s := &sample{}, NewCommand(interspersed, accepted...)
	Choice(s, "color", "what", &v.color, "red", "blue")
	String(s, "file", "into this `file`", &v.file)
	Switch(s, "all", "all of it", &v.all)
	Switch(s, "once", "now", &v.once)
	Once(s, "once")
	Duration(s, "grace", time.Second, "how long", &v.grace)
	Size(s, "size", "2KiB", "how much", &v.size)
	Func(s, "id", "main", "the id", func(t string) error {
		if v.id = t; t == "" {
			return errors.New("it is empty")
		}
		return nil
	})
	Named(s, "show", "what is seen", func(t string) error {
		v.show = strings.Split(t, ",")
		return nil
	}, []string{"auto", "none"}, []string{"a", "b"})
	return v, s
}

func (v *sample) String() string {
	return fmt.Sprintf("%s %s %s %v %v %d %s", v.color, v.file, v.id, v.all, v.grace, v.size, strings.Join(v.show, "+"))
}

func TestParse(t *testing.T) {
	const defaults = "red  main false 1s 2048 auto"
	tests := []struct{ line, want string }{
		{"", defaults},
		{"--color=blue --file x --id=y --all --grace=5ms --size=1MB --show=a,b", "blue x y true 5ms 1000000 a+b"},
		{"--all=false --color red", defaults},
		{"--file=-- --id=-x", strings.Replace(defaults, " main", "-- -x", 1)},
		{"--file -", strings.Replace(defaults, " main", "- main", 1)},
		{"word --color=green --file", defaults},
		{"-- --color=green", defaults},

		{"--color=green", `invalid argument "green" for "--color" flag: "green" is not one of red, blue`},
		{"--all=maybe", `invalid argument "maybe" for "--all" flag: "maybe" is not one of true, false`},
		{"--grace=-1s", `invalid argument "-1s" for "--grace" flag: "-1s" is not a duration such as 10s or 500ms`},
		{"--size=0", `invalid argument "0" for "--size" flag: "0" is not a size such as 64MiB or 65536`},
		{"--id=", `invalid argument "" for "--id" flag: it is empty`},

		{"--file", "flag needs an argument: --file"},
		{"--file -- word", `flag needs an argument: --file (if "--" is meant, write --file=--)`},
		{"--all --file --all", `flag needs an argument: --file (if "--all" is meant, write --file=--all)`},
		{"--color -- word", `flag needs an argument: --color (if "--" is meant, write --color=--)`},
		{"--file x --grace -h", `flag needs an argument: --grace (if "-h" is meant, write --grace=-h)`},

		{"--once", "unknown flag: --once"},
		{"--none", "unknown flag: --none"},
		{"-x", "unknown shorthand flag: 'x' in -x"},
		{"--help", pflag.ErrHelp.Error()},
	}
	for _, tt := range tests {
		v, c := newSample(false, "color", "file", "id", "all", "grace", "size", "show")
		got := ""
		if err := c.Parse(strings.Fields(tt.line)); err != nil {
			got = err.Error()
		} else {
			got = v.String()
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.line, got, tt.want)
		}
	}
}

// TestInterspersed parses flags behind other words.
func TestInterspersed(t *testing.T) {
	v, c := newSample(true, "color", "file")
	if err := c.Parse([]string{"word", "--color", "blue", "--", "--file"}); err != nil || v.color != "blue" || c.NArg() != 2 {
		t.Errorf("%v, %s, %q", err, v.color, c.Args())
	}
	if err := c.Parse([]string{"word", "--file", "--color=red"}); err == nil || !strings.Contains(err.Error(), "needs an argument: --file") {
		t.Errorf("got %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	tests := []struct{ line, name, value, want string }{
		{"", "P_COLOR", "blue", "blue"},
		{"--color=red", "P_COLOR", "blue", "red"},
		{"", "P_COLOR", "", "red"},
		{"", "P_COLOR", "green", `invalid value in P_COLOR: "green" is not one of red, blue`},
		{"--color=red", "P_COLOR", "green", "red"},
		{"", "P_ONCE", "true", "red"},      // set by Once
		{"", "P_GRACE", "tomorrow", "red"}, // is not a flag of the command
		{"", "P_NO_SUCH", "x", "red"},
	}
	for _, tt := range tests {
		v, c := newSample(false, "color", "once")
		if err := c.Parse(strings.Fields(tt.line)); err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := c.Environment("P_", []string{tt.name + "=" + tt.value}); err != nil {
			got = err.Error()
		} else {
			got = v.color
		}
		if got != tt.want || v.once {
			t.Errorf("%s=%s: got %s, want %s", tt.name, tt.value, got, tt.want)
		}
		setting := "--color"
		if got == "blue" {
			setting = "P_COLOR"
		}
		if got := c.Setting("color"); got != setting {
			t.Errorf("%s=%s with %q: set by %s, not by %s", tt.name, tt.value, tt.line, got, setting)
		}
	}
}

func TestUnknown(t *testing.T) {
	environment := []string{"P_COLOR=blue", "P_GRACE=1s", "P_ONCE=true", "P_EMPTY=", "P_COLOUR=blue", "P_color=blue", "OTHER=x"}
	_, c := newSample(false, "color")
	got, err := c.Environment("P_", environment)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"P_ONCE", "P_COLOUR", "P_color"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "65536": 65536, "64KiB": 64 << 10, "2MB": 2e6, "1GiB": 1 << 30, "7B": 7} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5MiB", "MiB", "1 MiB", "1TiB", "99999999999GiB"} {
		if n, err := ParseSize(text); err == nil {
			t.Errorf("%q is %d", text, n)
		}
	}
}
