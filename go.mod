module acp-plan-proxy

go 1.26.0

require (
	// The line diff of x/tools. Its work is bounded: it gives up early on texts with little in common.
	github.com/aymanbagabas/go-udiff v0.4.1
	// Tests drive the page of view in a real browser, with this and chromedp.
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1
	// check is a client, and tests use it to talk over transport.Channel.
	github.com/creachadair/jrpc2 v1.3.6
	// Readable differences in tests.
	github.com/google/go-cmp v0.7.0
	// A log that is readable on a terminal.
	github.com/lmittmann/tint v1.2.1
	// testscript and txtar for tests of the program.
	github.com/rogpeppe/go-internal v1.16.0
	// Tests compare our reading of the schemas with it. The program reads them itself: with it,
	// each start took 3 ms longer, and its errors did not say which branch of a schema was meant.
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	// Tests compare our reading of patches with it. With it, patches took more than a quarter of
	// the time of a stream with diffs.
	github.com/sourcegraph/go-diff v0.9.0
	// Flags as users of command lines know them.
	github.com/spf13/pflag v1.0.10
	// Tests compare our reading of markdown with it; it is too slow for a plan of a MiB.
	github.com/yuin/goldmark v1.8.7
	// Poll and job objects, to run and end the agent's process group.
	golang.org/x/sys v0.49.0
	// Tells a terminal from other devices on every system, and how wide it is.
	golang.org/x/term v0.47.0
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/creachadair/mds v0.31.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.14.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

tool honnef.co/go/tools/cmd/staticcheck
