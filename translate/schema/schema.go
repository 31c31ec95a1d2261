// Package schema has the published schemas of the protocol. It judges by them what is
// said, and says in a person's words what is wrong.
//
// It reads what the protocol's drafts use of JSON Schema. Tests see that they use no more,
// and compare its judgement with that of a library for all of JSON Schema. The program does
// without that library: with it each start of the proxy took 3 ms longer.
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

// Names returns the names of the drafts, such as v1, or v2.unstable.
func Names() (names []string) {
	entries, _ := files.ReadDir("drafts") // it is there: it is in the program
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".json.gz"))
	}
	return names
}

// newer has what is known of definitions that came after the drafts here. A list adds to
// the definition of its name.
//
//go:embed newer.json
var newer []byte

// Definitions returns the definitions of the draft of that name, with what is newer.
func Definitions(name string) (map[string]Object, error) {
	published, err := Text(name)
	if err != nil {
		return nil, err
	}
	var document struct {
		Definitions map[string]Object `json:"$defs"`
	}
	var additions []struct {
		Drafts      []string
		Definitions map[string]any `json:"$defs"`
	}
	if err := errors.Join(json.Unmarshal(published, &document), json.Unmarshal(newer, &additions)); err != nil {
		return nil, err
	}
	for _, a := range additions {
		if !slices.Contains(a.Drafts, name) {
			continue
		}
		for name, added := range a.Definitions {
			definition, isNew := added.(Object)
			if isNew {
				document.Definitions[name] = definition
				continue
			}
			union, branches := document.Definitions[name], added.([]any)
			for _, keyword := range []string{"oneOf", "anyOf"} {
				if before, ok := union[keyword].([]any); ok {
					union[keyword] = append(before, branches...)
				}
			}
		}
	}
	return document.Definitions, nil
}

// Text returns the draft of that name as it was published.
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
	definitions, err := Definitions(name)
	if err != nil {
		return nil, fmt.Errorf("the schema %s: %w", name, err)
	}
	draft := newDraft(name, definitions)
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

	methods map[string]*method
	updates map[string]bool // by their kind
	id      *schema         // of a request
	failure *schema         // the error in a response
}

// A method is what a draft says of one. What it has not is nil.
type method struct {
	request, notification, result *schema
	to                            string // the side that gets it: client, agent or others
}

const updateMethod = "session/update"

func newDraft(name string, definitions map[string]Object) *Draft {
	d := &Draft{Name: name, methods: make(map[string]*method), updates: make(map[string]bool)}
	r := reader{definitions: definitions, read: make(map[string]*schema)}
	d.id, d.failure = r.definition("RequestId"), r.definition("Error")
	for name, definition := range definitions {
		if method, ok := definition["x-method"].(string); ok {
			side, _ := definition["x-side"].(string)
			d.add(name, method, side, r.definition(name))
		}
	}
	for _, branch := range r.definition("SessionUpdate").branches() {
		if branch.tag != "" {
			d.updates[branch.property(branch.tag).values[0].(string)] = true
		}
	}
	return d
}

// add notes a definition that is of a method.
func (d *Draft) add(definition, name, side string, s *schema) {
	m := d.methods[name]
	if m == nil {
		m = &method{to: side}
		d.methods[name] = m
	}
	switch {
	case strings.HasSuffix(definition, "Response"):
		m.result = s
	case strings.HasSuffix(definition, "Request"):
		m.request = s
	default:
		m.notification = s
	}
	if m.to != side {
		m.to = "both"
	}
}

// Version returns the version that it is a draft of.
func (d *Draft) Version() int { return int(d.Name[1] - '0') }
