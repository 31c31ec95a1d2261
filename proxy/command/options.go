package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/proxy/flags"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording/judge"
	"acp-plan-proxy/proxy/recording/play"
	"acp-plan-proxy/proxy/recording/view"
	"acp-plan-proxy/proxy/settings"
	"acp-plan-proxy/translate/permissions"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/vendors"
)

// options are the parsed arguments of one invocation.
type options struct {
	command command
	flags   *flags.Command
	unknown []string // variables of the environment that match no flag

	inputs  []string // files that the command reads; view shows the first one
	status  int      // exit status; 0 with an error becomes 1
	version bool     // print the version

	// Values for the commands that translate, run or log:
	proxy    conversation.Options
	client   string // of demo
	trace    string // the file or the folder; empty for no trace
	traceAll bool
	grace    time.Duration
	logging  logging.Options
	logLevel string
	log      *logging.Log

	// Values for view:
	viewAddr    string
	viewHTML    string // the file to write; empty to serve the page
	viewText    bool
	viewMessage int // the number of the message to print; 0 for none
	noOpen      bool

	// Values for the other commands:
	setting settings.Setting // of settings
	list    bool             // of play: print the names of the built-in recordings
	speed   float64          // of play
	timeout time.Duration    // of play, diff and check, for a response
	cwd     string           // of play and diff: replaces the recorded folders
	side    string           // of lint and diff
	rules   []string         // of lint
	ignore  string           // of diff
	json    bool             // of check, diff and lint: print JSON
}

// newOptions defines the flags of the command.
func newOptions(c command) *options {
	o := &options{command: c}
	o.flags = flags.NewCommand(c.interspersed, strings.Fields(c.flags)...)
	o.define(o.flags)
	return o
}

// define defines the flags of all commands, in the order of --help.
func (o *options) define(set *flags.Command) {
	o.defineTranslation(set)
	o.defineView(set)
	o.defineRecordings(set)
	o.defineRun(set)
	flags.Switch(set, "version", "print the version and exit", &o.version)
	flags.Once(set, "html", "text", "message", "list", "side", "rule", "ignore", "json", "version")
}

// defineTranslation defines the flags of the translation.
func (o *options) defineTranslation(set *flags.Command) {
	planOptions := &o.proxy.Plans
	if o.command.name == "demo" {
		flags.Choice(set, "client", "what the client can show", &o.client, "legacy", "ops", "v2")
		flags.Once(set, "client")
	} else {
		flags.Named(set, "client", "what the client can show", o.proxy.Client.SetClient,
			[]string{"auto", "legacy", "ops", "v2"}, capabilities.ClientList())
	}
	flags.Choice(set, "advertise", "how the client's plan support is advertised to the agent", &o.proxy.Announcement.Plans, capabilities.AdvertiseAuto, capabilities.AdvertiseAlways, capabilities.AdvertiseNever)
	flags.Func(set, "hide", "", "capabilities of the client to hide from the agent, with commas between: "+strings.Join(capabilities.OfferNames(), ", "), o.proxy.Announcement.SetHide)
	flags.Choice(set, "bridge", "bridge a client and an agent of different versions", &o.proxy.Bridge,
		conversation.BridgeAuto, conversation.BridgeOff, conversation.Bridge1, conversation.Bridge2)
	flags.Func(set, "synthetic-id", "main", "the id assigned to a legacy plan", func(v string) error {
		planOptions.SyntheticID = v
		if v == "" {
			return errors.New("the id must not be empty")
		}
		return nil
	})
	flags.Choice(set, "markdown", "the form of a markdown plan for a legacy client", &planOptions.Markdown, plans.MarkdownBoth, plans.MarkdownEntries, plans.MarkdownDrop)
	flags.Choice(set, "vendors", "plans and questions in the format of the agent's vendor", &o.proxy.Vendors, vendors.Auto, vendors.On, vendors.Off)
	flags.Choice(set, "forms", "an agent's questions for a client without forms", &o.proxy.Announcement.Forms, capabilities.FormsOff, capabilities.FormsAsk)
	flags.Choice(set, "permissions", "permission requests that the client would misread", &o.proxy.Permissions, permissions.Auto, permissions.Pass)
	flags.Choice(set, "stray", "output of the agent that is not a message", &o.proxy.Stray, conversation.StrayLog, conversation.StrayPass)
	flags.Choice(set, "files", "the form of a file plan for the client", &planOptions.Files, plans.FilesRead, plans.FilesLink, plans.FilesDrop)
}

// defineView defines the flags of view.
func (o *options) defineView(set *flags.Command) {
	flags.Func(set, "addr", "127.0.0.1:0", "the loopback `address` to serve the page on", func(v string) (err error) {
		o.viewAddr, err = view.LoopbackAddr(v)
		return err
	})
	flags.Switch(set, "no-open", "do not open the browser", &o.noOpen)
	flags.String(set, "html", "write the page with the recording in it to this `file` instead", &o.viewHTML)
	flags.Switch(set, "text", "print the timeline instead", &o.viewText)
	flags.Func(set, "message", "", "print the message of this `number` as it was, instead", func(v string) (err error) {
		if o.viewMessage, err = strconv.Atoi(v); v != "" && (err != nil || o.viewMessage < 1) {
			return fmt.Errorf("%q is not the number of a message", v)
		}
		return nil
	})
}

// defineRecordings defines the flags of the other commands that read recordings, and of check.
func (o *options) defineRecordings(set *flags.Command) {
	switch o.command.name {
	case "diff":
		flags.Choice(set, "side", "the side whose conversation is compared", &o.side, "client", "agent")
		flags.Choice(set, "ignore", "content to exclude, such as the text of models", &o.ignore, "none", "text")
	case "lint":
		flags.Choice(set, "side", "the side whose messages are judged", &o.side, "both", "agent", "client")
		rules := "the `rules` to apply or, with - in front, to exclude, with commas between them:"
		for names := range slices.Chunk(judge.Rules(), 5) {
			rules += "\n" + strings.Join(names, " ")
		}
		flags.Func(set, "rule", "", rules, func(v string) (err error) {
			o.rules, err = judge.ParseRules(v)
			return err
		})
	}
	flags.Switch(set, "json", "print JSON, for scripts", &o.json)
	flags.Switch(set, "list", "print the names of the built-in recordings, with a line each", &o.list)
	flags.Func(set, "speed", "1", "the agent's speed relative to the recording, or 0 for no delay", func(v string) (err error) {
		o.speed, err = play.ParseSpeed(v)
		return err
	})
	flags.Duration(set, "timeout", time.Minute, "how long to wait for a response of the agent", &o.timeout)
	flags.String(set, "cwd", "the `folder` that replaces the recorded ones", &o.cwd)
}

// defineRun defines the flags of the log, the trace and the agent's process.
func (o *options) defineRun(set *flags.Command) {
	flags.Choice(set, "log-level", "the least level to log", &o.logLevel, "warn", "error", "info", "debug")
	flags.Choice(set, "log-format", "the format of the log", &o.logging.Format, "auto", "color", "text", "json")
	flags.String(set, "log-file", "append the log to this `file` instead of stderr", &o.logging.File)
	flags.String(set, "trace", "record plan messages in this `file`, or in a new file in this folder (DIR/)", &o.trace)
	flags.Switch(set, "trace-all", "record every message there, not only plans", &o.traceAll)
	flags.Duration(set, "grace", 10*time.Second, "the time a stopping agent has before TERM, and before KILL", &o.grace)
	flags.Size(set, "max-message", "64MiB", "the longest line to inspect", &o.proxy.MaxMessage)
}

// parse reads the command line and then the environment.
func (o *options) parse(args []string) error {
	if err := o.flags.Parse(args); err != nil {
		return err
	}
	if o.version {
		return nil // variables have no effect on --version
	}
	var err error
	o.unknown, err = o.flags.Environment(envPrefix, os.Environ())
	return err
}

// openLog opens the log. Only translate waits for the reader of the log, as it has no peers.
func (o *options) openLog() *logging.Log {
	o.logging.Level.UnmarshalText([]byte(o.logLevel)) // validated by the flag
	o.logging.Setting, o.logging.Waits = o.flags.Setting("log-file"), o.command.name == "translate"
	return logging.Open(o.logging)
}
