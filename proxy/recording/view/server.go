package view

import (
	"bufio"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
)

const (
	partSize     = 1 << 20                // bytes per read of a recording
	pollInterval = 150 * time.Millisecond // between two reads of the file
)

// A pageHandler serves the page at /TOKEN/, and the lines of the recording with rows and findings
// at /TOKEN/events. It responds to a text posted to /TOKEN/html with its HTML.
type pageHandler struct {
	Recording
	token string
	hosts []string // the host names of the server
	page  *pageTemplate
	tail  *trace.Tail
	shown func() // called when the page has been sent; optional

	drafts *schema.Drafts // for the linters
}

// newHandler returns the handler of a server that listens on addr.
func newHandler(token, addr string, page *pageTemplate, r Recording) *pageHandler {
	hosts := []string{addr}
	if _, port, err := net.SplitHostPort(addr); err == nil {
		hosts = append(hosts, net.JoinHostPort("localhost", port))
		if port == "80" { // browsers omit it
			hosts = append(hosts, strings.TrimSuffix(addr, ":80"), "localhost")
		}
	}
	return &pageHandler{Recording: r, token: token, hosts: hosts, page: page, tail: &trace.Tail{Path: r.File}, drafts: new(schema.Drafts)}
}

// ServeHTTP implements http.Handler. A request without the token learns only that there is a server.
func (h *pageHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	if !h.hasHost(r.Host) {
		http.Error(w, "wrong host", http.StatusMisdirectedRequest)
		return
	}
	token, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Method != http.MethodPost || name != "html") {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(h.token)) != 1 {
		http.NotFound(w, r)
		return
	}
	switch name {
	case "":
		h.servePage(w, r)
	case "events":
		h.serveEvents(w, r)
	case "html":
		serveHTML(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (h *pageHandler) hasHost(host string) bool {
	return slices.ContainsFunc(h.hosts, func(own string) bool { return strings.EqualFold(host, own) })
}

func (h *pageHandler) servePage(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/") {
		// The page asks for its streams relative to its own address.
		http.Redirect(w, r, "/"+h.token+"/", http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", h.page.policy+"; frame-ancestors 'none'")
	if err := h.page.write(w, nil); err == nil && h.shown != nil {
		h.shown()
	}
}

// serveHTML responds to a markdown text with its HTML.
func serveHTML(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4*maxProse))
	if err != nil {
		http.Error(w, "the text cannot be read", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8") // the page parses it
	w.Write(htmlOf(string(text)))
}

// serveEvents responds with a stream of lines, until the page closes the connection or the
// server stops. Each request has its own position in the file.
func (h *pageHandler) serveEvents(w http.ResponseWriter, r *http.Request) {
	s := &stream{Recording: h.Recording, tail: h.tail, drafts: h.drafts, out: bufio.NewWriterSize(w, 1<<16)}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if _, err := s.writeNext(); err != nil {
		http.Error(w, "the recording cannot be read", http.StatusInternalServerError)
		return
	}
	if r.Method != http.MethodHead {
		s.run(r.Context(), http.NewResponseController(w).Flush)
	}
}
