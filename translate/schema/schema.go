// Package schema has the published schemas of the protocol. It judges by them what is
// said, and says in a person's words what is wrong.
//
// It reads what the protocol's drafts and forms use of JSON Schema. Tests see that the drafts
// use no more, and compare its judgement with that of a library for all of JSON Schema. The
// program does without that library: with it each start of the proxy took 3 ms longer.
//
// drafts has one file for each draft, compressed with gzip -n9. The protocol's SDKs
// ship its schemas under the Apache License 2.0.
package schema

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// An Object is an object of JSON.
type Object = map[string]any

//go:embed drafts
var files embed.FS

// Text returns the draft of that name, such as v1, or v2.unstable, as it was published.
func Text(name string) ([]byte, error) {
	compressed, err := files.ReadFile("drafts/" + name + ".json.gz")
	if err != nil {
		return nil, err
	}
	text, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(text)
}

// newer has what is known of definitions that came after the drafts here: those that are
// new, and the new branches of the others.
//
//go:embed newer.json
var newer []byte

// A document is a schema with its definitions.
type document struct {
	Drafts      []string           // that it adds to
	Definitions map[string]*schema `json:"$defs"`
}

// definitions returns the definitions of the draft of that name, with what is newer.
func definitions(name string) (map[string]*schema, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	var published document
	var additions []document
	if err := errors.Join(json.Unmarshal(text, &published), json.Unmarshal(newer, &additions)); err != nil {
		return nil, err
	}
	all := published.Definitions
	for _, a := range additions {
		if !slices.Contains(a.Drafts, name) {
			continue
		}
		for name, added := range a.Definitions {
			switch known := all[name]; {
			case known == nil:
				all[name] = added
			case known.OneOf != nil:
				known.OneOf = append(known.OneOf, added.OneOf...)
			default:
				known.AnyOf = append(known.AnyOf, added.OneOf...)
			}
		}
	}
	for _, s := range all {
		s.link(all)
	}
	return all, nil
}

// Drafts are those that were wanted so far. The zero value has none. Several
// goroutines may use it at once.
type Drafts struct {
	mu   sync.Mutex
	read map[string]*Draft
}

// Get returns the draft of that name. It is read when it is wanted for the first time,
// and kept.
func (d *Drafts) Get(name string) (*Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if draft := d.read[name]; draft != nil {
		return draft, nil
	}
	all, err := definitions(name)
	if err != nil {
		return nil, fmt.Errorf("the schema %s: %w", name, err)
	}
	draft := newDraft(name, all)
	if d.read == nil {
		d.read = make(map[string]*Draft)
	}
	d.read[name] = draft
	return draft, nil
}

// A Draft is what one draft of the protocol lets the sides say. Several goroutines may
// use it at once.
type Draft struct {
	Name string

	methods map[string]method
	updates map[string]bool // by their kind
	id      *schema         // of a request
	failure *schema         // the error in a response
}

// A method is what a draft says of one. What it has not is nil.
type method struct {
	request, notification, result *schema
	to                            string // the side that gets it: client, agent or both
}

const updateMethod = "session/update"

func newDraft(name string, definitions map[string]*schema) *Draft {
	d := &Draft{Name: name, methods: make(map[string]method), updates: make(map[string]bool), id: definitions["RequestId"], failure: definitions["Error"]}
	for name, s := range definitions {
		if s.Method == "" {
			continue
		}
		m := d.methods[s.Method]
		switch {
		case strings.HasSuffix(name, "Response"):
			m.result = s
		case strings.HasSuffix(name, "Request"):
			m.request = s
		default:
			m.notification = s
		}
		if m.to != s.Side && m.to != "" {
			m.to = "both"
		} else {
			m.to = s.Side
		}
		d.methods[s.Method] = m
	}
	for _, branch := range slices.Concat(definitions["SessionUpdate"].AnyOf, definitions["SessionUpdate"].OneOf) {
		if branch.tag != "" {
			d.updates[branch.Properties[branch.tag].values[0]] = true
		}
	}
	return d
}
