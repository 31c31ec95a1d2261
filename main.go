// Acp-plan-proxy lets any editor work with any agent of the Agent Client
// Protocol. It runs the agent, sits between the two on stdin and stdout, rewrites
// plan messages to what the editor can show, and joins an editor and an agent
// that speak different versions of the protocol.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/demo"
	"acp-plan-proxy/proxy/files"
	"acp-plan-proxy/proxy/flags"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/trace"
	"acp-plan-proxy/proxy/transcript"
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

// A command is what the first word of the command line can name. It has only
// the flags that do something for it.
type command struct {
	name, synopsis, summary string

	flags    string // their names, in the order of --help
	anywhere bool   // flags can also follow the file
	check    func(*options) error
	reads    func(*options) ([]files.File, error) // see separate
	run      func(*options) (status int, err error)
}

// commands returns the table of commands. The first has no name: it runs an agent.
func commands() []command {
	return []command{{
		name: "", synopsis: "[flags] [--] agent [args...]", summary: "run the agent behind the proxy",
		flags: "client advertise plan-id bridge synthetic-id merge markdown stray files empty " +
			"log-level log-format log-file trace trace-all grace max-message version man completion",
		check: (*options).checkAgent, reads: (*options).agentReads, run: (*options).runAgent,
	}, {
		name: "translate", synopsis: "[flags] [FILE]", summary: "rewrite an agent's recorded lines, or a trace",
		flags: "client advertise plan-id bridge synthetic-id merge markdown stray files empty " +
			"log-level log-format log-file trace trace-all max-message version",
		check: (*options).checkTranslate, reads: (*options).translateReads, run: (*options).runTranslate,
	}, {
		name: "demo", synopsis: "[flags]", summary: "show what the proxy does",
		flags: "client plan-id synthetic-id merge markdown files empty log-level log-format log-file agent version",
		check: (*options).checkDemo, reads: (*options).demoReads, run: (*options).runDemo,
	}, {
		name: "view", synopsis: "[flags] FILE", summary: "look at a recorded trace, or a live one",
		flags: "addr no-open html text version", anywhere: true,
		check: (*options).checkView, reads: (*options).viewReads, run: (*options).runView,
	}}
}

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	c := commands()[0]
	for _, named := range commands()[1:] {
		if len(args) > 0 && args[0] == named.name {
			c, args = named, args[1:]
			break
		}
	}
	status, err := newOptions(c).execute(args)
	if err != nil && !errors.Is(err, errUnspeakable) {
		logging.Tell(fmt.Sprintf("%s: %v", programName, err))
	}
	return status
}

// execute does what the arguments of the command say.
func (o *options) execute(args []string) (status int, err error) {
	switch err := o.parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return show(describe().Help(o.flags.FlagSet))
	case err != nil:
		return o.mistake(err)
	case o.version:
		version, _ := usage.Version()
		return show(programName + " " + version + "\n")
	case o.man:
		return show(describe().Man())
	case o.completion != "":
		script, err := describe().Completion(o.completion)
		if err != nil {
			return o.mistake(err)
		}
		return show(script)
	}
	for _, check := range []func(*options) error{o.command.check, (*options).checkFiles} {
		if err := check(o); err != nil {
			return o.mistake(err)
		}
	}
	if err := o.separate(); err != nil {
		return 1, err
	}
	if o.log, err = o.openLog(); err != nil {
		return o.mistake(err)
	}
	defer o.log.Close()
	o.proxy.Log = o.log.Logger
	return o.command.run(o)
}

// mistake is an error in the command line.
func (o *options) mistake(err error) (int, error) {
	call := strings.TrimSpace(programName + " " + o.command.name)
	return exitUsage, fmt.Errorf("%w (see %s --help)", err, call)
}

func show(text string) (int, error) {
	if _, err := io.WriteString(os.Stdout, text); err != nil {
		return 1, err
	}
	return 0, nil
}

// failed returns the exit status of a command that has or has not failed.
func failed(err error) (int, error) {
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// describe returns the description of the command line.
func describe() *usage.Program {
	var all []usage.Command
	for _, c := range commands() {
		all = append(all, usage.Command{Name: c.name, Args: c.synopsis, Summary: c.summary, Flags: newOptions(c).flags.FlagSet})
	}
	return usage.Describe(all)
}

// checkFiles checks the names of the files that are written.
func (o *options) checkFiles() error {
	for _, name := range []string{"log-file", "trace", "html"} {
		if f := o.flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s needs a file", name)
		}
	}
	return files.Distinct(os.Stdout, o.written("log-file", "trace"))
}

// written returns the files that these flags name.
func (o *options) written(flags ...string) (named []files.File) {
	for _, name := range flags {
		if f := o.flags.Lookup(name); f != nil && f.Value.String() != "" {
			named = append(named, files.Flag(o.flags.Setting(name), f.Value.String()))
		}
	}
	return named
}

// separate returns an error if the command would write into a file that it
// reads.
func (o *options) separate() error {
	read, err := o.command.reads(o)
	if err != nil {
		return err
	}
	written := append(o.written("trace", "log-file"), files.Open("standard output", os.Stdout))
	if o.viewHTML != "-" {
		written = append(written, o.written("html")...)
	}
	if err := files.Apart(read, written); err != nil {
		return err
	}
	if files.Apart(read, []files.File{files.Open("standard error", os.Stderr)}) != nil {
		return errUnspeakable
	}
	return nil
}

// errUnspeakable is a refusal that is not printed, because standard error leads
// into the file that must stay as it is.
var errUnspeakable = errors.New("standard error would overwrite what is read")

func (o *options) checkAgent() error {
	if o.flags.Arg(0) == "" {
		return errors.New("no agent given")
	}
	return o.checkTrace()
}

func (o *options) agentReads() ([]files.File, error) { return readsStdin(), nil }

func readsStdin() []files.File { return []files.File{files.Open("standard input", os.Stdin)} }

func (o *options) runAgent() (status int, err error) {
	if transport.IsTerminal(os.Stdin) && transport.IsTerminal(os.Stdout) {
		return o.stepAside()
	}
	// Without this a write to a client that has gone would end the process
	// before it could end the agent. The agent does not inherit it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) { // as nohup does, for the agent too
			signal.Notify(signals, s)
		}
	}
	agent := proxy.Agent{Args: o.flags.Args(), Stderr: os.Stderr, Grace: o.grace, Signals: signals}
	defer o.record(trace.CreateLive)()
	status, err = proxy.Run(agent, os.Stdin, os.Stdout, o.proxy)
	return status, o.hint(err)
}

// hint adds what the user probably meant to the error of an agent that does not
// exist. After "--" the user certainly meant an agent.
func (o *options) hint(err error) error {
	if !errors.Is(err, exec.ErrNotFound) || o.flags.ArgsLenAtDash() >= 0 {
		return err
	}
	before := o.args[:len(o.args)-o.flags.NArg()]
	if meant := describe().Meant(before, o.flags.Args()); meant != "" {
		return fmt.Errorf("%w; did you mean %s?", err, meant)
	}
	return err
}

// stepAside lets the agent have the terminal, to sign somebody in, for example.
// Until this call the program must not change anything that the agent inherits.
func (o *options) stepAside() (int, error) {
	o.log.Info("the agent gets the terminal; nothing is translated or recorded")
	o.log.Close() // this process may be the agent from here on
	status, err := transport.Replace(o.flags.Args())
	return status, o.hint(err)
}

// record begins the trace with create, if one is wanted, and returns what ends
// it.
func (o *options) record(create func(path string, log *slog.Logger) (*trace.Writer, error)) (end func()) {
	if o.trace == "" {
		return func() {}
	}
	log := o.log.Alarm.With("setting", o.flags.Setting("trace"))
	w, err := create(o.trace, log)
	if err != nil {
		// A trace is not worth a conversation.
		log.Warn("nothing is recorded", "error", err)
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

// checkTrace is for commands that can record.
func (o *options) checkTrace() error {
	if o.flags.Changed("trace-all") && o.trace == "" {
		return errors.New("--trace-all needs --trace")
	}
	return nil
}

func (o *options) checkTranslate() error {
	switch {
	case o.flags.NArg() == 1 && o.flags.Arg(0) == "":
		return errors.New("translate needs a file; its name is empty")
	case o.flags.NArg() > 1:
		return fmt.Errorf("translate takes one file, and its flags before it: %q", o.flags.Arg(1))
	}
	return o.checkTrace()
}

// recorded returns the file that translate reads, and false for stdin.
func (o *options) recorded() (file string, named bool) {
	return o.flags.Arg(0), o.flags.NArg() > 0 && o.flags.Arg(0) != "-"
}

func (o *options) translateReads() ([]files.File, error) {
	if file, named := o.recorded(); named {
		return []files.File{files.At(file)}, nil
	}
	return readsStdin(), nil
}

func (o *options) runTranslate() (int, error) {
	in, name := os.Stdin, "standard input"
	if file, named := o.recorded(); named {
		opened, err := os.Open(file)
		if err != nil {
			return failed(err)
		}
		defer opened.Close()
		if stat, err := opened.Stat(); err == nil && stat.IsDir() {
			return failed(fmt.Errorf("translate takes a file, and %s is a folder", file))
		}
		in, name = opened, file
	}
	lines := transcript.NewReader(in)
	isTrace, err := lines.IsTrace()
	if err != nil {
		return failed(fmt.Errorf("%s: %w", name, err))
	}
	defer o.record(trace.Create)()
	if isTrace {
		return failed(proxy.Replay(lines, os.Stdout, o.proxy))
	}
	if err := proxy.Translate(lines, os.Stdout, o.proxy); err != nil {
		return failed(err)
	}
	if lines.Foreign() {
		fmt.Fprintf(os.Stderr, "%s: %s has no message of the protocol in it\n", programName, name)
	}
	return 0, nil
}

func (o *options) checkView() error {
	switch {
	case o.flags.NArg() != 1:
		return errors.New("view takes one file, or a folder of recordings")
	case o.flags.Arg(0) == "":
		return errors.New("view needs a file; its name is empty")
	case o.viewHTML != "" && o.viewText:
		return errors.New("view takes --html or --text, not both")
	}
	return nil
}

// viewReads returns the file that view shows: in a folder the newest recording.
func (o *options) viewReads() ([]files.File, error) {
	var err error
	o.recordings, err = view.Find(o.flags.Arg(0))
	if err != nil {
		return nil, err
	}
	return []files.File{files.At(o.recordings[0])}, nil
}

func (o *options) runView() (int, error) {
	file, others := o.recordings[0], o.recordings[1:]
	switch {
	case o.viewText:
		if err := view.Text(os.Stdout, file, logging.ShowsColors(os.Stdout)); err != nil {
			return failed(err)
		}
		return failed(view.List(os.Stdout, file, others))
	case o.viewHTML != "":
		if err := view.List(os.Stderr, file, others); err != nil {
			return failed(err)
		}
		if view.LargeForPage(file) {
			logging.Tell(programName + ": the recording is larger than 100 MiB, a browser may not open the page; --trace without --trace-all makes a smaller one")
		}
		if o.viewHTML == "-" {
			return failed(view.HTML(os.Stdout, file))
		}
		return failed(view.HTMLFile(o.viewHTML, file))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	defer stop()
	v := view.Options{File: file, Others: others, Addr: o.viewAddr, Out: os.Stdout}
	if !o.noOpen {
		v.Open = view.OpenBrowser
	}
	return failed(view.Serve(ctx, v))
}

func (o *options) checkDemo() error {
	if o.flags.NArg() > 0 && !o.agent || o.flags.NArg() > 1 {
		return errors.New("demo takes no arguments")
	}
	return nil
}

func (o *options) demoReads() ([]files.File, error) {
	if o.agent {
		return readsStdin(), nil
	}
	return nil, nil
}

func (o *options) runDemo() (int, error) {
	if o.agent {
		return failed(demo.Agent(os.Stdin, os.Stdout, o.flags.Arg(0)))
	}
	self, err := os.Executable()
	if err != nil {
		return failed(fmt.Errorf("find this program, to run it as the agent: %w", err))
	}
	return failed(demo.Run(os.Stdout, demo.Options{
		Agent:  []string{self, "demo", "--agent"},
		Client: o.client,
		Color:  logging.ShowsColors(os.Stdout),
		Proxy:  o.proxy,
	}))
}

// options are the choices of one invocation.
type options struct {
	command command
	args    []string // of the command
	flags   *flags.Command

	proxy     proxy.Options
	client    string // of the demo
	logLevel  string
	logFormat string
	logFile   string
	log       *logging.Log
	trace     string
	traceAll  bool
	grace     time.Duration

	viewAddr   string
	viewHTML   string
	viewText   bool
	noOpen     bool
	recordings []string // the one that view shows, and the others in the same folder

	agent      bool // demo is to be the agent
	version    bool
	man        bool
	completion string // the shell that it is for
}

// newOptions defines all flags, and takes the flags of the command.
func newOptions(c command) *options {
	o := &options{command: c}
	s := flags.New()
	t := &o.proxy.Plans

	if c.name == "demo" {
		flags.Choice(s, "client", "what the client can show", &o.client, "legacy", "ops", "v2").Once()
	} else {
		s.Named("client", "what the client can show", o.proxy.Client.SetClient,
			[]string{"auto", "legacy", "ops", "v2"}, capabilities.ClientList())
	}
	s.Named("advertise", "what the agent is told of that", o.proxy.Advertise.SetAdvertise, []string{"auto", "always", "never"}, nil)
	s.Named("plan-id", "the member with a plan's id", o.proxy.Client.SetPlanID, capabilities.PlanIDValues(), nil)
	flags.Choice(s, "bridge", "join a client and an agent that share no protocol\nversion", &o.proxy.Bridge,
		proxy.BridgeAuto, proxy.BridgeOff, proxy.Bridge1, proxy.Bridge2)
	s.Func("synthetic-id", "main", "the id given to a legacy plan", func(v string) error {
		t.SyntheticID = v
		if v == "" {
			return errors.New("the id must not be empty")
		}
		return nil
	})
	flags.Choice(s, "merge", "how several plans become one legacy plan", &t.Merge, plans.MergeAll, plans.MergeLatest)
	flags.Choice(s, "markdown", "how a markdown plan becomes entries", &t.Markdown, plans.MarkdownEntries, plans.MarkdownText, plans.MarkdownDrop)
	flags.Choice(s, "stray", "what the agent writes to stdout that is no message", &o.proxy.Stray, proxy.StrayLog, proxy.StrayPass)
	flags.Choice(s, "files", "how a file plan becomes entries", &t.Files, plans.FilesRead, plans.FilesLink, plans.FilesDrop)
	flags.Choice(s, "empty", "what an empty legacy plan becomes", &t.Empty, plans.EmptyUpdate, plans.EmptyRemove)
	flags.Choice(s, "log-level", "what is logged", &o.logLevel, "warn", "error", "info", "debug")
	flags.Choice(s, "log-format", "how it is logged", &o.logFormat, "auto", "color", "text", "json")
	s.Text("log-file", "append the log to this `file` instead of stderr", &o.logFile)
	s.Text("trace", "record plan messages, before and after, in this `file`,\nin place of what is there; in a folder each start\nmakes a file of its own (DIR/ is made)", &o.trace)
	s.Switch("trace-all", "record every message there, not only plans", &o.traceAll)
	s.Duration("grace", 10*time.Second, "how long a stopping agent gets before TERM, and again\nbefore KILL", &o.grace)
	s.Size("max-message", "64MiB", "the longest line that is inspected", &o.proxy.MaxMessage)
	s.Func("addr", "127.0.0.1:0", "the loopback `address` to serve the page on", func(v string) (err error) {
		o.viewAddr, err = view.LoopbackAddr(v)
		return err
	})
	s.Switch("no-open", "do not open the browser", &o.noOpen)
	s.Text("html", "write the page with the recording in it to this `file` instead", &o.viewHTML).Once()
	s.Switch("text", "print the timeline instead", &o.viewText).Once()
	s.Switch("agent", "be the demo's agent, on stdin and stdout", &o.agent).Once()
	s.Switch("version", "print the version and exit", &o.version).Once()
	s.Switch("man", "print the manual page and exit", &o.man).Once()
	flags.Pick(s, "completion", "print what completes this in a shell", &o.completion, usage.Shells()...).Once()

	o.flags = s.Command(cmp.Or(c.name, "running an agent"), c.anywhere, strings.Fields(c.flags)...)
	return o
}

// parse reads the command line and then the environment.
func (o *options) parse(args []string) error {
	o.args = args
	if err := o.flags.Parse(args); err != nil {
		return err
	}
	if o.version || o.man || o.completion != "" || o.agent {
		return nil // no variable changes what these do
	}
	return o.flags.Environment(envPrefix, os.Getenv)
}

// openLog begins the log. In translate the log may wait for its reader, because
// no traffic waits for the log.
func (o *options) openLog() (*logging.Log, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel)); err != nil {
		return nil, err
	}
	return logging.Open(logging.Options{
		Level: level, Format: o.logFormat, File: o.logFile, Setting: o.flags.Setting("log-file"),
		Waits: o.command.name == "translate",
	}), nil
}
