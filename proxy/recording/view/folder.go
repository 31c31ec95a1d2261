package view

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
)

// The limits of a folder on the page: recordings in the list, recordings whose start is read,
// and bytes of each start.
const (
	maxRecordings = 1000
	maxBegun      = 100
	maxBeginning  = 64 << 10
)

// A listed recording is an entry of the folder's list.
type listed struct {
	Name     string         `json:"name"`
	Address  string         `json:"address"` // of its page
	Bytes    int64          `json:"bytes"`
	Modified time.Time      `json:"modified"`
	Shown    bool           `json:"shown,omitempty"` // by the page that requests the list
	Ends     timeline.Peers `json:"ends"`            // as the start of the recording describes them
}

// of returns the handler of a recording in the folder, nil if there is none of that name.
func (h *handler) of(name string) *handler {
	for _, path := range h.recordings() {
		if filepath.Base(path) != name {
			continue
		}
		one := *h
		one.Recording.File, one.tail = path, trace.NewTail(path)
		var err error
		if one.page, err = newPage(one.title(), true); err == nil {
			return &one
		}
	}
	return nil
}

// recordings returns the paths of the recordings in the folder, the newest first.
func (h *handler) recordings() []string {
	if h.folder == "" {
		return nil
	}
	found, _ := trace.Recordings(h.folder) // a deleted folder has none
	return found[:min(len(found), maxRecordings)]
}

// serveList answers with the recordings of the folder as JSON, the newest first: an empty
// list if a file is shown.
func (h *handler) serveList(w http.ResponseWriter) {
	list := []listed{}
	for i, path := range h.recordings() {
		stat, err := os.Stat(path)
		if err != nil {
			continue // it was just deleted
		}
		name := filepath.Base(path)
		l := listed{Name: name, Address: "/" + h.token + "/" + url.PathEscape(name) + "/", Bytes: stat.Size(), Modified: stat.ModTime(), Shown: path == h.File}
		if i < maxBegun {
			l.Ends = beginning(path)
		}
		list = append(list, l)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(list)
}

// beginning returns the peers as the start of a recording describes them.
func beginning(path string) (ends timeline.Peers) {
	file, err := os.Open(path)
	if err != nil {
		return ends
	}
	defer file.Close()
	rows := timeline.New()
	for m, err := range recording.Events(io.LimitReader(file, maxBeginning)) {
		if err != nil {
			break
		}
		if c := rows.Add(&m); c.Peers != nil {
			ends = *c.Peers
		}
	}
	return ends
}
