package command

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestCommands checks that each flag accepts the values in its help, and that each command has
// two valid examples.
func TestCommands(t *testing.T) {
	valueCount := 0
	for _, c := range commands() {
		o := newOptions(c)
		if err := o.flags.Parse(nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		o.flags.VisitAll(func(f *pflag.Flag) {
			alone, listed := choices(f)
			for _, v := range append(slices.Concat(alone, listed), strings.Join(listed, ","), f.DefValue) {
				if v == "" {
					continue
				}
				valueCount++
				if err := f.Value.Set(v); err != nil {
					t.Errorf("%s --%s=%s: %v", c.name, f.Name, v, err)
				}
			}
		})
		if len(c.examples) != 2 {
			t.Errorf("%q has the examples %q", c.name, c.examples)
		}
		for _, example := range c.examples {
			args, ok := strings.CutPrefix(example+" ", c.commandLine()+" ")
			args = args[:max(strings.IndexAny(args+">", ">|"), 0)]
			o := newOptions(c)
			if err := o.parse(strings.Fields(args)); !ok || err != nil {
				t.Errorf("%s: %v", example, err)
			} else if err := c.check(o); err != nil {
				t.Errorf("%s: %v", example, err)
			}
		}
	}
	if valueCount < 80 {
		t.Errorf("flags name only %d values", valueCount)
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

// TestSelf checks that self returns the path by which the program was called.
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

// TestReadmeFlags compares the README's table with the flags of the first command.
func TestReadmeFlags(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]string)
	for _, m := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| (.*?) \\|").FindAllStringSubmatch(string(text), -1) {
		rows[m[1]] = m[2]
	}
	o := newOptions(commands()[0])
	o.flags.VisitAll(func(f *pflag.Flag) {
		row := rows[f.Name]
		if row == "" || f.NoOptDefVal != "" || f.DefValue == "" {
			return
		}
		alone, listed := choices(f)
		want := "`" + strings.Join(alone, "`, `") + "`"
		if len(listed) > 0 {
			want += ", or a list of `" + strings.Join(listed, ",") + "`"
		}
		if len(alone) == 0 {
			want = "`" + f.DefValue + "`"
		}
		if row != want {
			t.Errorf("--%s takes %s, not %s", f.Name, want, row)
		}
	})
	for name := range rows {
		if o.flags.Lookup(name) == nil {
			t.Errorf("there is no --%s", name)
		}
	}
	if len(rows) != 8 {
		t.Errorf("found %d flags in the table, want 8", len(rows))
	}
}
