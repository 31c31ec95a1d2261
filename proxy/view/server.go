package view

import (
	"crypto/subtle"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"acp-plan-proxy/proxy/redact"
	"acp-plan-proxy/proxy/trace"
)

const (
	partSize = 4 << 20                // bytes of a recording in one answer
	patience = 20 * time.Second       // how long a request for lines waits for some
	interval = 150 * time.Millisecond // between two looks at the file
)

// A handler serves the page at /TOKEN/ and the lines of the recording at
// /TOKEN/events.
type handler struct {
	token string
	hosts []string // the names the server answers to
	page  *document
	tail  *trace.Tail
	shown func() // called when the page has been sent; optional

	redact *redact.Redactor // see Recording
}

// newHandler returns the handler of a server that listens on addr.
func newHandler(token, addr string, page *document, tail *trace.Tail) *handler {
	hosts := []string{addr}
	if _, port, err := net.SplitHostPort(addr); err == nil {
		hosts = append(hosts, net.JoinHostPort("localhost", port))
		if port == "80" { // browsers leave it out
			hosts = append(hosts, strings.TrimSuffix(addr, ":80"), "localhost")
		}
	}
	return &handler{token: token, hosts: hosts, page: page, tail: tail}
}

// ServeHTTP implements http.Handler. A request without the token learns only
// that there is a server.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	if !h.answersTo(r.Host) {
		http.Error(w, "wrong host", http.StatusMisdirectedRequest)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "only for reading", http.StatusMethodNotAllowed)
		return
	}
	token, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(h.token)) != 1 {
		http.NotFound(w, r)
		return
	}
	switch name {
	case "":
		h.servePage(w, r)
	case "events":
		h.serveLines(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (h *handler) answersTo(host string) bool {
	for _, own := range h.hosts {
		if strings.EqualFold(host, own) {
			return true
		}
	}
	return false
}

func (h *handler) servePage(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/") {
		// The page asks for events relative to its own address.
		http.Redirect(w, r, "/"+h.token+"/", http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", h.page.policy+"; frame-ancestors 'none'")
	if err := h.page.write(w, nil); err == nil && h.shown != nil {
		h.shown()
	}
}

// serveLines answers with the lines that follow those the page has. It waits
// for some, unless the page asks it not to. The header says where the answer
// ends and which recording it is from: the page sends both with its next
// request.
func (h *handler) serveLines(w http.ResponseWriter, r *http.Request) {
	recording, _ := strconv.Atoi(r.FormValue("recording"))
	offset, _ := strconv.ParseInt(r.FormValue("offset"), 10, 64)
	part, err := h.await(r, recording, offset)
	if err != nil {
		http.Error(w, "the recording cannot be read", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Trace-Recording", strconv.Itoa(part.Recording))
	w.Header().Set("Trace-End", strconv.FormatInt(part.End, 10))
	if h.redact != nil {
		part.Lines = h.redact.Events(nil, part.Lines)
	}
	w.Write(part.Lines)
}

func (h *handler) await(r *http.Request, recording int, offset int64) (trace.Part, error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		part, err := h.tail.Read(recording, offset, partSize)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			// It is being replaced, or has been deleted; another may follow.
			part = trace.Part{Recording: recording, End: offset}
		case err != nil || len(part.Lines) > 0 || part.Recording != recording:
			return part, err
		}
		if r.FormValue("wait") == "no" {
			return part, nil
		}
		select {
		case <-ticker.C:
		case <-late.C:
			return part, nil
		case <-r.Context().Done():
			return part, nil
		}
	}
}
