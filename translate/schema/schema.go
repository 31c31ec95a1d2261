// Package schema validates messages against the protocol's published schemas, and describes
// the faults in plain language.
//
// It supports the subset of JSON Schema that the protocol's drafts and forms use. Tests verify
// that the drafts use no other keywords, and compare the results with a complete JSON Schema
// library. The program does not use that library, which added 3 ms to each start.
//
// The folder drafts contains one file per draft, compressed with gzip -n9. The protocol's SDKs
// publish the schemas under the Apache License 2.0.
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

// An Object is a decoded JSON object.
type Object = map[string]any

//go:embed drafts
var files embed.FS

// Text returns the published text of a draft, such as v1 or v2.unstable.
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

// newer holds definitions that the protocol has accepted since the publication of the embedded
// drafts. A definition with the name of a published one adds branches to it. Remove the definitions
// that a newly embedded draft has itself.
//
//go:embed newer.json
var newer []byte

// A document is a schema with its definitions.
type document struct {
	Drafts      []string           // names of the drafts that it extends
	Definitions map[string]*schema `json:"$defs"`
}

// readDefinitions returns the definitions of a draft, including newer ones.
func readDefinitions(name string) (map[string]*schema, error) {
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
		for key, added := range a.Definitions {
			switch known := all[key]; {
			case known == nil:
				all[key] = added
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

// Drafts caches the drafts in use. The zero value is ready for use. It is safe for concurrent
// use.
type Drafts struct {
	mu   sync.Mutex
	read map[string]*Draft
}

// Get returns the draft of that name. It reads the draft on first use.
func (d *Drafts) Get(name string) (*Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if draft := d.read[name]; draft != nil {
		return draft, nil
	}
	all, err := readDefinitions(name)
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

// A Draft holds the schemas of one draft of the protocol. It is safe for concurrent use.
type Draft struct {
	Name string

	methods     map[string]method
	updates     map[string]bool // by kind
	idSchema    *schema         // of a request
	errorSchema *schema         // the error in a response
}

// A method holds the schemas of a method's params and result, or nil where the draft defines none.
type method struct {
	request, notification, result *schema
	receiver                      string // client, agent or both
}

func newDraft(name string, definitions map[string]*schema) *Draft {
	d := &Draft{
		Name: name, methods: make(map[string]method), updates: make(map[string]bool),
		idSchema: definitions["RequestId"], errorSchema: definitions["Error"],
	}
	for key, s := range definitions {
		if s.Method == "" {
			continue
		}
		m := d.methods[s.Method]
		switch {
		case strings.HasSuffix(key, "Response"):
			m.result = s
		case strings.HasSuffix(key, "Request"):
			m.request = s
		default:
			m.notification = s
		}
		if m.receiver != s.Side && m.receiver != "" {
			m.receiver = "both"
		} else {
			m.receiver = s.Side
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
