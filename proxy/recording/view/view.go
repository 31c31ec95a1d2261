// Package view displays a recording of package trace: the messages of client and agent, their
// fate at the proxy, and the user's view of them.
//
// [Serve] serves a page to a browser on this machine and follows the file while it grows.
// [Recording.HTML] writes the same page with the recording in it as one file, for a bug
// report. [Recording.Text] prints the rows to a terminal, [Recording.Message] one message.
//
// The folder page contains the page: one document without external parts. Its scripts are
// concatenated, in the order of page.go, into one module. The page receives the lines of the
// trace as they are, and the rows of package timeline (stream.go), both served and in a file.
// Its scripts store both (recording.js), select the rows of the list (filters.js, rowlist.js),
// and draw the user's view of a message (userview.js). They show a message of an unknown kind as
// it is.
//
// The text comes from agents, so the page trusts none of it. Scripts put it into text nodes
// only, except for markdown: this package makes its HTML (prose.go). The Content-Security-
// Policy allows one script and one style sheet by their hashes, and no connection but to the
// server. Control characters and marks that reorder text are spelled out, on the page and in
// the terminal.
//
// Other users, programs and web pages must not get the recording. The server listens on a
// loopback address only, requires a random token in the address, and responds to its own host
// names only, so that a foreign page cannot reach it by DNS rebinding. The token is not in the
// arguments of any process, which other users can see: the browser gets a file that only its
// owner can read and that redirects to the page (browser.go).
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
	"path/filepath"
	"strconv"
	"time"

	"acp-plan-proxy/proxy/terminal"
)

// Options are the options of [Serve].
type Options struct {
	Recording
	Others []string  // the other recordings in its folder, to be listed
	Addr   string    // see [LoopbackAddr]; 127.0.0.1 and any free port if empty
	Out    io.Writer // where the address of the page is printed

	// Open, which is optional, shows a document to the user, see [OpenBrowser].
	// The document leads to the page. It exists until the page has been shown
	// or Serve returns.
	Open func(path string) error
}

// Serve serves the page until ctx is done. If the browser cannot be opened, Serve prints that
// to o.Out and continues.
func Serve(ctx context.Context, o Options) error {
	stat, err := os.Stat(o.File)
	if err != nil {
		return err
	}
	if !stat.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", o.File)
	}
	if err := o.check(); err != nil {
		return err // rather than a page without lines
	}
	listener, err := listen(ctx, o.Addr)
	if err != nil {
		return err
	}
	token := rand.Text()
	handler := newHandler(token, listener.Addr().String(), newPage(o.title(), fromServer), o.Recording)
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
		path, err := newRedirect(address)
		if err == nil {
			// A document that cannot be deleted leads nowhere when the server has ended.
			handler.shown = func() { os.RemoveAll(filepath.Dir(path)) }
			defer handler.shown()
			err = o.Open(path)
		}
		if err != nil {
			fmt.Fprintf(o.Out, "The browser could not be opened: %v\n", err)
		}
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// announce prints the address of the page. It fails if nobody can read the address.
func (o Options) announce(address string) error {
	if _, err := fmt.Fprintf(o.Out, "The plan traffic in %s is shown at\n  %s\n", terminal.Printable(o.File), address); err != nil {
		return err
	}
	return List(o.Out, o.File, o.Others)
}

// LoopbackAddr returns the address to listen on for addr, a host and a port. The host must be
// a loopback address, localhost or empty: the network must not get a recording.
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
