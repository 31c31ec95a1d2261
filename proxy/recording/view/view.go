// Package view shows a recording of package trace to a person: what the agent
// said, what the client got, and what the user sees.
//
// [Serve] serves a page to a browser on this machine and follows the file
// while it grows. [Recording.HTML] writes the same page with the recording in it as one
// file, for a bug report. [Recording.Text] prints the timeline to a terminal.
//
// The page is in the folder page: one document without any external part. Its
// scripts are concatenated, in the order that page.go lists, into one module.
// The page gets the lines of the trace as they are, and the rows that package timeline
// makes of them (stream.go), in the served page and in the file alike. Its scripts keep
// both (recording.js), decide which rows are in the list (filters.js, shown.js), and draw
// what the user sees of a message (seen.js). A message of a kind that they do not know is
// shown as it is.
//
// Agents write the text that is shown, so none of it is trusted. The scripts put
// it into text nodes only. Texts in markdown are the exception: their HTML is made here (prose.go). The Content-Security-Policy allows the one script and
// the one style sheet by their hashes, and no connection but to the server.
// Control characters and marks that reorder text are spelled out, on the page
// and in the terminal.
//
// Other users, programs and web pages must not read along. The server listens on
// a loopback address only, wants a random token in the address, and answers to
// its own name only, so that a page elsewhere cannot reach it by a name of its
// own that leads here. The token is in no argument of a process, where other
// users could see it: the browser is given a file that only its owner can read
// and that leads to the page (browser.go).
package view

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Options say which recording is served, and at which address.
type Options struct {
	Recording
	Folder string    // optional: the folder that is shown; the Recording is one in it
	Others []string  // the other recordings in it
	Addr   string    // see [LoopbackAddr]; 127.0.0.1 and any free port if empty
	Out    io.Writer // where the address of the page is printed

	// Open, which is optional, shows a document to the user, see [OpenBrowser].
	// The document leads to the page. It exists until the page has been shown
	// or Serve returns.
	Open func(path string) error
}

// Serve serves the page until ctx is done. If the browser cannot be opened,
// Serve says so on o.Out; this is not an error.
func Serve(ctx context.Context, o Options) error {
	stat, err := os.Stat(o.File)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	if !stat.Mode().IsRegular() {
		return fmt.Errorf("view: %s is not a file", o.File)
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("view: %w", err) // rather than a page without lines
	}
	page, err := newPage(o.title(), true)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	listener, err := listen(ctx, o.Addr)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	token := rand.Text()
	handler := newHandler(token, listener.Addr().String(), page, o.Recording)
	handler.folder = o.Folder
	server := &http.Server{
		Handler:           handler,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()

	address := "http://" + listener.Addr().String() + "/" + token + "/"
	if err := o.announce(address); err != nil {
		listener.Close()
		return err
	}
	if o.Open != nil {
		r, err := newRedirect(address)
		if err == nil {
			handler.shown = r.remove
			defer r.remove()
			err = o.Open(r.path)
		}
		if err != nil {
			fmt.Fprintf(o.Out, "The browser could not be opened: %v\n", err)
		}
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("view: %w", err)
	}
	return nil
}

// announce says where the page is. Where nobody reads that, there is nothing to serve.
func (o Options) announce(address string) error {
	_, err := fmt.Fprintf(o.Out, "The plan traffic in %s is shown at\n  %s\n", Printable(o.File), address)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return List(o.Out, o.File, o.Others)
}

// LoopbackAddr returns addr, a host and a port, in the form in which it is
// listened on. The host must be a loopback address, localhost or empty: a
// recording is not for the network.
func LoopbackAddr(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", fmt.Errorf("%q is not a host and a port such as 127.0.0.1:8080", addr)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", fmt.Errorf("%q is not a loopback address such as 127.0.0.1:8080", addr)
	}
	return net.JoinHostPort(host, port), nil
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	addr, err := LoopbackAddr(cmp.Or(addr, "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", addr)
}
