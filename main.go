// Acp-plan-proxy lets an editor show the plans of an agent that speaks another
// draft of the Agent Client Protocol. It runs the agent, sits between the two
// on stdin and stdout, and rewrites plan messages to what the editor can show.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/pflag"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/demo"
	"acp-plan-proxy/proxy/trace"
	"acp-plan-proxy/proxy/usage"
	"acp-plan-proxy/proxy/view"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
)

const (
	programName = "acp-plan-proxy"
	envPrefix   = "ACP_PLAN_PROXY_"
	exitUsage   = 2
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	command := ""
	if len(args) > 0 && (args[0] == "translate" || args[0] == "demo" || args[0] == "view") {
		command, args = args[0], args[1:]
	}
	o := newOptions(command)
	switch err := o.parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Print(describe().Help(o.flags))
		return 0
	case err != nil:
		return o.fail(err)
	case o.version:
		version, _ := version()
		fmt.Println(programName, version)
		return 0
	case o.man:
		fmt.Print(describe().Man())
		return 0
	case o.completion != "":
		script, err := describe().Completion(o.completion)
		if err != nil {
			return o.fail(err)
		}
		fmt.Print(script)
		return 0
	case command == "translate" && o.flags.NArg() > 1:
		return o.fail(fmt.Errorf("translate takes one file, and its flags before it: %q", o.flags.Arg(1)))
	case command == "demo" && !o.agent && o.flags.NArg() > 0:
		return o.fail(errors.New("demo takes no arguments"))
	case command == "view" && o.flags.NArg() != 1:
		return o.fail(errors.New("view takes one file"))
	case command == "view" && o.viewHTML != "" && o.viewText:
		return o.fail(errors.New("view takes --html or --text, not both"))
	case o.flags.Changed("trace-all") && o.trace == "":
		return o.fail(errors.New("--trace-all needs --trace"))
	case command == "" && o.flags.Arg(0) == "":
		return o.fail(errors.New("no agent given"))
	}
	log, err := o.logger()
	if err != nil {
		return o.fail(err)
	}
	o.proxy.Log = log
	switch command {
	case "translate":
		err = o.runTranslate()
	case "demo":
		err = o.runDemo()
	case "view":
		err = o.runView()
	default:
		return o.runAgent()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", programName, err)
		return 1
	}
	return 0
}

func (o *options) fail(err error) int {
	fmt.Fprintf(os.Stderr, "%s: %v (see %s --help)\n", programName, err, programName)
	return exitUsage
}

// version is the module's version, which go install and releases record, and the
// day of its commit, if that is known.
func version() (version, date string) {
	b, ok := debug.ReadBuildInfo()
	if !ok || b.Main.Version == "" {
		return "(unknown)", ""
	}
	for _, s := range b.Settings {
		if s.Key == "vcs.time" {
			date, _, _ = strings.Cut(s.Value, "T")
		}
	}
	return b.Main.Version, date
}

// describe is what there is to say of the command line.
func describe() *usage.Program {
	version, date := version()
	return usage.Describe(version, date, func(command string) *pflag.FlagSet { return newOptions(command).flags })
}

func (o *options) runAgent() int {
	if transport.IsTerminal(os.Stdin) && transport.IsTerminal(os.Stdout) {
		return o.stepAside()
	}
	// Without this a write to a client that has gone would end the process
	// before it could end the agent. The agent does not inherit it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup does, for the agent too
			signal.Notify(signals, s)
		}
	}
	agent := proxy.Agent{Args: o.flags.Args(), Stderr: os.Stderr, Grace: o.grace, Signals: signals}
	defer o.record()()
	status, err := proxy.Run(agent, os.Stdin, os.Stdout, o.proxy)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", programName, err)
	}
	return status
}

// stepAside lets the agent have the terminal, to sign somebody in, for example.
// Nothing that the agent inherits may have been changed before.
func (o *options) stepAside() int {
	o.proxy.Log.Info("the agent gets the terminal; nothing is translated or recorded")
	status, err := transport.Replace(o.flags.Args())
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", programName, err)
	}
	return status
}

// record begins the trace, if one is wanted, and returns what ends it.
func (o *options) record() (end func()) {
	if o.trace == "" {
		return func() {}
	}
	w, err := trace.Create(o.trace, o.proxy.Log)
	if err != nil {
		// A trace is not worth a conversation.
		o.proxy.Log.Warn("nothing is recorded", "error", err)
		return func() {}
	}
	o.proxy.ObserveAll = o.traceAll
	o.proxy.Observe = func(e proxy.Event) {
		from, to := trace.Agent, trace.Client
		if e.FromClient {
			from, to = to, from
		}
		if e.Action == plans.Forward {
			w.Message(from, to, e.In)
		} else {
			w.Rewritten(from, to, e.In, e.Out)
		}
	}
	return func() { w.Close() }
}

func (o *options) runTranslate() error {
	var in io.Reader = os.Stdin
	if name := o.flags.Arg(0); o.flags.NArg() > 0 && name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		if sameFile(name, o.trace) {
			return fmt.Errorf("--trace would overwrite what is read: %s", name)
		}
		in = file
	}
	defer o.record()()
	return proxy.Translate(in, os.Stdout, o.proxy)
}

func (o *options) runView() error {
	file := o.flags.Arg(0)
	switch {
	case o.viewText:
		return view.Text(os.Stdout, file, isTerminal(os.Stdout))
	case o.viewHTML == "-":
		return view.HTML(os.Stdout, file)
	case o.viewHTML != "":
		if sameFile(file, o.viewHTML) {
			return fmt.Errorf("--html would overwrite what is read: %s", file)
		}
		recording, err := os.Open(file) // before a page that is there is lost
		if err != nil {
			return err
		}
		recording.Close()
		out, err := os.OpenFile(o.viewHTML, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(view.HTML(out, file), out.Close())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	v := view.Options{File: file, Addr: o.viewAddr, Out: os.Stdout}
	if !o.noOpen {
		v.Open = view.OpenBrowser
	}
	return view.Serve(ctx, v)
}

// sameFile reports whether two names are of one file that is there.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (o *options) runDemo() error {
	if o.agent {
		return demo.Agent(os.Stdin, os.Stdout, o.flags.Arg(0))
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program, to run it as the agent: %w", err)
	}
	return demo.Run(os.Stdout, demo.Options{
		Agent:  []string{self, "demo", "--agent"},
		Client: o.client,
		Color:  isTerminal(os.Stdout),
		Proxy:  o.proxy,
	})
}

// options are the flags of one invocation.
type options struct {
	flags *pflag.FlagSet
	proxy proxy.Options
	grace time.Duration

	client    string // of the demo
	logLevel  string
	logFormat string
	logFile   string
	version   bool
	trace     string
	traceAll  bool
	viewAddr  string
	viewHTML  string
	viewText  bool
	noOpen    bool
	agent     bool  // of the demo
	invalid   error // in the default values

	man        bool
	completion string // the shell it is for

	// notFromEnvironment are flags that say what one invocation is to do. A
	// variable for them would take the agent away from an editor.
	notFromEnvironment map[string]bool
}

func newOptions(command string) *options {
	fs := pflag.NewFlagSet(programName, pflag.ContinueOnError)
	fs.SetInterspersed(false)
	fs.SortFlags = false
	fs.Usage = func() {}
	o := &options{flags: fs, notFromEnvironment: map[string]bool{
		"version": true, "man": true, "completion": true,
		"agent": true, "html": true, "text": true, "client": command == "demo",
	}}
	t := &o.proxy.Translate

	if command == "demo" {
		addChoice(o, "client", "what the client can show", &o.client, "legacy", "ops", "v2")
	} else {
		o.addNamed("client", "what the client can show", o.proxy.Client.SetClient,
			[]string{"auto", "legacy", "ops", "v2"}, capabilities.ClientList()...)
	}
	o.addNamed("advertise", "what the agent is told of that", o.proxy.Advertise.SetAdvertise, []string{"auto", "always", "never"})
	o.addNamed("plan-id", "the member with a plan's id", o.proxy.Client.SetPlanID, capabilities.PlanIDValues())
	o.add("synthetic-id", "main", "the id given to a legacy plan", func(v string) error {
		t.SyntheticID = v
		if v == "" {
			return errors.New("the id must not be empty")
		}
		return nil
	})
	addChoice(o, "merge", "how several plans become one legacy plan", &t.Merge, plans.MergeAll, plans.MergeLatest)
	addChoice(o, "markdown", "how a markdown plan becomes entries", &t.Markdown, plans.MarkdownEntries, plans.MarkdownText, plans.MarkdownDrop)
	addChoice(o, "files", "how a file plan becomes entries", &t.Files, plans.FilesRead, plans.FilesLink, plans.FilesDrop)
	addChoice(o, "empty", "what an empty legacy plan becomes", &t.Empty, plans.EmptyUpdate, plans.EmptyRemove)
	addChoice(o, "log-level", "what is logged", &o.logLevel, "warn", "error", "info", "debug")
	addChoice(o, "log-format", "how it is logged", &o.logFormat, "auto", "color", "text", "json")
	fs.StringVar(&o.logFile, "log-file", "", "append the log to this `file` instead of stderr")
	o.add("grace", "10s", "how long a stopping agent gets before TERM, and again\nbefore KILL", func(v string) (err error) {
		o.grace, err = time.ParseDuration(v)
		if err != nil || o.grace < 0 {
			return fmt.Errorf("%q is not a duration such as 10s or 500ms", v)
		}
		return nil
	})
	o.add("max-message", "64MiB", "the longest line that is inspected", func(v string) (err error) {
		o.proxy.MaxMessage, err = parseSize(v)
		return err
	})
	if command == "" || command == "translate" {
		fs.StringVar(&o.trace, "trace", "", "record plan messages, before and after, in this `file`,\nanew at each start")
		fs.BoolVar(&o.traceAll, "trace-all", false, "record every message there, not only plans")
	}
	if command == "view" {
		fs.SetInterspersed(true)
		fs.StringVar(&o.viewAddr, "addr", "127.0.0.1:0", "the loopback `address` to serve the page on")
		fs.BoolVar(&o.noOpen, "no-open", false, "do not open the browser")
		fs.StringVar(&o.viewHTML, "html", "", "write the page with the recording in it to this `file` instead")
		fs.BoolVar(&o.viewText, "text", false, "print the timeline instead")
	}
	if command == "demo" {
		fs.BoolVar(&o.agent, "agent", false, "be the demo's agent, on stdin and stdout")
	}
	fs.BoolVar(&o.version, "version", false, "print the version and exit")
	if command == "" {
		fs.BoolVar(&o.man, "man", false, "print the manual page and exit")
		shells := usage.Shells()
		fs.Var(&flagValue{names: shells, set: func(v string) error {
			o.completion = v
			return oneOf(shells...)(v)
		}}, "completion", "print what completes this in a shell: "+strings.Join(shells, ", "))
	}
	return o
}

// add adds a flag whose values set takes, the default among them.
func (o *options) add(name, value, help string, set func(string) error) {
	o.addValue(name, help, &flagValue{value: value, set: set})
}

func (o *options) addValue(name, help string, f *flagValue) {
	o.invalid = errors.Join(o.invalid, f.set(f.value))
	o.flags.Var(f, name, help)
}

// addNamed adds a flag with the given values, the first of which is the default.
// Of listed, it takes several with commas between.
func (o *options) addNamed(name, help string, set func(string) error, names []string, listed ...string) {
	help += ": " + strings.Join(names, ", ")
	if listed != nil {
		help += ", or a list of\n" + strings.Join(listed, ", ")
	}
	o.addValue(name, help, &flagValue{names[0], set, names, listed})
}

// addChoice adds a flag with the given values, the first of which is the default.
func addChoice[T ~string](o *options, name, help string, to *T, values ...T) {
	var names []string
	for _, v := range values {
		names = append(names, string(v))
	}
	accept := oneOf(names...)
	o.addNamed(name, help, func(v string) error {
		*to = T(v)
		return accept(v)
	}, names)
}

func oneOf(values ...string) func(string) error {
	return func(v string) error {
		for _, value := range values {
			if v == value {
				return nil
			}
		}
		return fmt.Errorf("%q is not one of %s", v, strings.Join(values, ", "))
	}
}

// flagValue implements pflag.Value and usage.Choice.
type flagValue struct {
	value  string
	set    func(string) error
	names  []string // of its values, if they have some
	listed []string // of those that can be in a list
}

func (f *flagValue) String() string                    { return f.value }
func (f *flagValue) Type() string                      { return "" }
func (f *flagValue) Choices() (alone, listed []string) { return f.names, f.listed }
func (f *flagValue) Set(v string) error {
	f.value = v
	return f.set(v)
}

// parse reads the command line and then, for flags it does not set, the
// environment.
func (o *options) parse(args []string) error {
	if err := o.flags.Parse(args); err != nil {
		return err
	}
	if o.version || o.man || o.completion != "" || o.agent {
		return o.invalid // no variable changes what these do
	}
	failed := o.invalid
	o.flags.VisitAll(func(f *pflag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := os.Getenv(name)
		if value == "" || f.Changed || failed != nil || o.notFromEnvironment[f.Name] {
			return
		}
		if err := f.Value.Set(value); err != nil {
			failed = fmt.Errorf("invalid value in %s: %w", name, err)
		}
	})
	return failed
}

// parseSize reads a number of bytes such as 65536, 64KiB or 1GB.
func parseSize(s string) (int, error) {
	units := []struct {
		name string
		size int
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}
	for _, u := range units {
		if digits, ok := strings.CutSuffix(s, u.name); ok {
			n, err := strconv.ParseUint(digits, 10, 64)
			if err != nil || n < 1 || n > uint64(math.MaxInt/u.size) {
				break
			}
			return int(n) * u.size, nil
		}
	}
	return 0, fmt.Errorf("%q is not a size such as 64MiB or 65536", s)
}

func (o *options) logger() (*slog.Logger, error) {
	out := os.Stderr
	if o.logFile != "" {
		file, err := os.OpenFile(o.logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("invalid --log-file: %w", err)
		}
		out = file
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel)); err != nil {
		return nil, err
	}
	format := o.logFormat
	if format == "auto" && isTerminal(out) {
		format = "color"
	}
	switch format {
	case "color":
		return slog.New(tint.NewTextHandler(out, &tint.Options{
			Level: level, TimeFormat: time.TimeOnly, ReplaceAttr: printable,
		})), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level})), nil
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), nil
}

// printable keeps what agents and clients write from reaching a terminal as
// control characters. The other formats do so by themselves.
func printable(_ []string, a slog.Attr) slog.Attr {
	if k := a.Value.Kind(); k == slog.KindString || k == slog.KindAny && a.Key != slog.LevelKey {
		a.Value = slog.StringValue(view.Printable(a.Value.String()))
	}
	return a
}

// isTerminal reports whether colours can be shown on f.
func isTerminal(f *os.File) bool {
	return transport.IsTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
