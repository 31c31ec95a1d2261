// Package flags parses the flags of a command. The command line takes precedence over the
// environment.
//
// A program defines the flags of all its commands for a [Command], which accepts some of them.
// The functions of this package define one flag each. They store its value in *to, at first the
// default, which must be valid. A word in backquotes in a help text names the value, for example
// `file`.
package flags

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Once excludes flags from the environment, because they apply to a single invocation. It must be
// called after their definitions. A variable such as ACP_PLAN_PROXY_VERSION would break every editor.
func Once(c *Command, names ...string) {
	c.settable = slices.DeleteFunc(c.settable, func(name string) bool { return slices.Contains(names, name) })
}

// Switch defines a boolean flag. Its default is false.
func Switch(c *Command, name, help string, to *bool) {
	c.add(name, help, &value{text: "false", kind: "bool", set: func(v string) (err error) {
		if *to, err = strconv.ParseBool(v); err != nil {
			return notOneOf(v, "true", "false")
		}
		return nil
	}})
}

// Func defines a flag that passes its value to set. initial is the default.
func Func(c *Command, name, initial, help string, set func(string) error) {
	c.add(name, help, &value{text: initial, set: set})
}

// String defines a flag for a text, empty by default.
func String(c *Command, name, help string, to *string) {
	Func(c, name, "", help, func(v string) error {
		*to = v
		return nil
	})
}

// Duration defines a flag for a duration of at least 0.
func Duration(c *Command, name string, initial time.Duration, help string, to *time.Duration) {
	Func(c, name, initial.String(), help, func(v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			return fmt.Errorf("%q is not a duration such as 10s or 500ms", v)
		}
		*to = d
		return nil
	})
}

// Size defines a flag for a number of bytes, see [ParseSize].
func Size(c *Command, name, initial, help string, to *int) {
	Func(c, name, initial, help, func(v string) (err error) {
		*to, err = ParseSize(v)
		return err
	})
}

// Named defines a flag that passes its value to set. set accepts names, of which the first is the
// default, and lists of the names in listed, which may be nil. Named adds the names to the help text.
func Named(c *Command, name, help string, set func(string) error, names, listed []string) {
	help += ": " + strings.Join(names, ", ")
	if listed != nil {
		help += ", or a list of\n" + strings.Join(listed, ", ")
	}
	Func(c, name, names[0], help, set)
}

// Choice defines a flag for one of the values, the first being the default. It adds the values to the
// help text.
func Choice[T ~string](c *Command, name, help string, to *T, values ...T) {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	Named(c, name, help, func(v string) error {
		if !slices.Contains(names, v) {
			return notOneOf(v, names...)
		}
		*to = T(v)
		return nil
	}, names, nil)
}

func notOneOf(v string, values ...string) error {
	return fmt.Errorf("%q is not one of %s", v, strings.Join(values, ", "))
}

// A value implements [pflag.Value].
type value struct {
	text string
	kind string // the type in the help text; empty for the word in backquotes
	set  func(string) error
}

func (v *value) String() string { return v.text }
func (v *value) Type() string   { return v.kind }
func (v *value) Set(text string) error {
	if err := v.set(text); err != nil {
		return err
	}
	v.text = text
	return nil
}

// A Command is a FlagSet with the flags of one command.
type Command struct {
	*pflag.FlagSet
	interspersed bool
	accepts      []string          // the names of its flags
	settable     []string          // the names of the flags of all commands that a variable can set
	variables    map[string]string // the variable that set a flag, by the flag's name
}

// NewCommand returns a command that accepts the named flags, once they are defined. If interspersed
// is set, flags may also follow an argument; otherwise the first argument ends the flags.
func NewCommand(interspersed bool, flags ...string) *Command {
	c := &Command{FlagSet: pflag.NewFlagSet("", pflag.ContinueOnError), interspersed: interspersed, accepts: flags, variables: make(map[string]string)}
	c.SetInterspersed(interspersed)
	c.SortFlags = false
	c.Usage = func() {}
	return c
}

// add sets a value to its default, and defines its flag if the command accepts it.
func (c *Command) add(name, help string, v *value) {
	v.set(v.text)
	c.settable = append(c.settable, name)
	if slices.Contains(c.accepts, name) {
		f := c.VarPF(v, name, "", help)
		if v.kind == "bool" {
			f.NoOptDefVal = "true"
		}
	}
}

// Parse parses the command line. It returns [pflag.ErrHelp] for --help and -h.
func (c *Command) Parse(args []string) error {
	if err := c.checkForgottenValue(args); err != nil {
		return err
	}
	return c.FlagSet.Parse(args)
}

// checkForgottenValue returns an error if another flag or "--" follows a flag in place of its value.
// Without this check, --trace -- agent would record into a file named "--".
func (c *Command) checkForgottenValue(args []string) error {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, isFlag := strings.CutPrefix(args[i], "--")
		switch f := c.Lookup(name); {
		case !strings.HasPrefix(args[i], "-") && !c.interspersed:
			return nil
		case !isFlag || f == nil || f.NoOptDefVal != "" || i+1 == len(args):
			continue
		}
		i++
		if next := args[i]; len(next) > 1 && next[0] == '-' {
			return fmt.Errorf("flag needs an argument: --%s (if %q is meant, write --%[1]s=%[2]s)", name, next)
		}
	}
	return nil
}

// Environment sets the flags that the command line omits. environment has the form of [os.Environ].
// The variable of a flag is prefix and the flag's name in capitals, with _ for -. Empty variables are
// ignored. unknown contains the variables with the prefix that belong to no flag of any command, or to a
// flag that [Once] excludes.
func (c *Command) Environment(prefix string, environment []string) (unknown []string, err error) {
	for _, variable := range environment {
		name, v, _ := strings.Cut(variable, "=")
		if v == "" || !strings.HasPrefix(name, prefix) {
			continue
		}
		i := slices.IndexFunc(c.settable, func(flag string) bool {
			return prefix+strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) == name
		})
		if i < 0 {
			unknown = append(unknown, name)
			continue
		}
		flag := c.settable[i]
		if f := c.Lookup(flag); f != nil && !f.Changed && c.variables[flag] == "" {
			if err := f.Value.Set(v); err != nil {
				return nil, fmt.Errorf("invalid value in %s: %w", name, err)
			}
			c.variables[flag] = name
		}
	}
	return unknown, nil
}

// Setting returns the environment variable that set a flag, or else the flag with its dashes.
func (c *Command) Setting(flag string) string {
	return cmp.Or(c.variables[flag], "--"+flag)
}

// ParseSize parses a number of bytes such as 65536, 64KiB or 1GB.
func ParseSize(s string) (int, error) {
	units := map[string]int{"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	digits := strings.TrimRight(s, "KMGiB")
	unit := units[s[len(digits):]]
	n, err := strconv.Atoi(digits)
	if err != nil || unit == 0 || n < 1 || n > math.MaxInt/unit {
		return 0, fmt.Errorf("%q is not a size such as 64MiB or 65536", s)
	}
	return n * unit, nil
}
