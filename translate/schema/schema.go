// Package schema has the published schemas of the protocol. It judges by them what is
// said, and says in a person's words what is wrong.
//
// drafts has one file for each draft, compressed with gzip -n9. The protocol's SDKs
// ship its schemas under the Apache License 2.0.
package schema

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// An Object is a message, or what is in one.
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

// Drafts are the drafts that were wanted so far. The zero value has none. Several
// goroutines may use it at once.
type Drafts struct {
	mu     sync.Mutex
	loaded map[string]*Draft
}

// Get returns the draft of that name. It is compiled when it is wanted for the first
// time, which takes some 30 ms and keeps 3 MB.
func (d *Drafts) Get(name string) (*Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if draft := d.loaded[name]; draft != nil {
		return draft, nil
	}
	draft, err := Load(name)
	if err != nil {
		return nil, err
	}
	if d.loaded == nil {
		d.loaded = make(map[string]*Draft)
	}
	d.loaded[name] = draft
	return draft, nil
}

// A Draft is what one draft of the protocol lets the sides say. Several goroutines may
// use it at once.
type Draft struct {
	Name    string
	Calls   map[string]*jsonschema.Schema // of the params of requests and notifications, by method
	Results map[string]*jsonschema.Schema // of the results of requests, by method

	definitions Object // all of the draft, by name

	methods  map[string]*method
	updates  map[string]*jsonschema.Schema // by their kind; nil lets everything pass
	envelope *jsonschema.Schema            // of the params of an update, whatever it is
	id       *jsonschema.Schema            // of a request
	failure  *jsonschema.Schema            // of an error
}

// A method is what the draft says of one.
type method struct {
	request, notification *jsonschema.Schema // nil if it is none
	to                    string             // the side that gets it: client, agent or others
}

// The names that a draft gives to what it says of all messages.
const (
	updateMethod = "session/update"
	envelopeName = "update of any kind" // our own
)

// Load compiles the draft of that name.
func Load(name string) (*Draft, error) {
	d := &Draft{
		Name:    name,
		Calls:   make(map[string]*jsonschema.Schema),
		Results: make(map[string]*jsonschema.Schema),
		methods: make(map[string]*method),
		updates: make(map[string]*jsonschema.Schema),
	}
	text, err := Text(name)
	if err == nil {
		err = d.read(text)
	}
	if err != nil {
		return nil, fmt.Errorf("the schema %s: %w", name, err)
	}
	return d, nil
}

func (d *Draft) read(text []byte) error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	root, _ := document.(Object)
	if d.definitions, _ = root["$defs"].(Object); d.definitions == nil {
		return fmt.Errorf("it defines nothing")
	}
	d.define()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat() // version 2 SDKs reject a uri that is not one
	compiler.UseRegexpEngine(anyPattern)
	if err := compiler.AddResource(d.Name, document); err != nil {
		return err
	}
	if err := d.compile(compiler); err != nil {
		return err
	}
	if len(d.Calls) < 10 || len(d.Results) < 10 || len(d.updates) < 10 {
		return fmt.Errorf("it has %d calls, %d results and %d updates", len(d.Calls), len(d.Results), len(d.updates))
	}
	return nil
}

// define adds the definition of an update whose kind is judged by itself.
func (d *Draft) define() {
	for _, definition := range d.definitions {
		if o := definition.(Object); o["x-method"] == updateMethod {
			properties, _ := o["properties"].(Object)
			o, properties = maps.Clone(o), maps.Clone(properties)
			delete(o, "x-method")
			properties["update"] = Object{"type": "object"}
			o["properties"] = properties
			d.definitions[envelopeName] = o
			return
		}
	}
}

func (d *Draft) compile(compiler *jsonschema.Compiler) (err error) {
	compiled := func(at string) (schema *jsonschema.Schema) {
		if err == nil {
			schema, err = compiler.Compile(d.Name + "#/$defs/" + at)
		}
		return schema
	}
	d.id, d.failure, d.envelope = compiled("RequestId"), compiled("Error"), compiled(strings.ReplaceAll(envelopeName, " ", "%20"))
	for name, definition := range d.definitions {
		if method, ok := definition.(Object)["x-method"].(string); ok {
			side, _ := definition.(Object)["x-side"].(string)
			d.add(name, method, side, compiled(name))
		}
	}
	updates, _ := d.definitions["SessionUpdate"].(Object)
	for _, of := range []string{"oneOf", "anyOf"} {
		branches, _ := updates[of].([]any)
		for i, branch := range branches {
			if kind := kindOf(branch); kind != "" {
				d.updates[kind] = compiled(fmt.Sprintf("SessionUpdate/%s/%d", of, i))
			}
		}
	}
	if d.Version() == 2 {
		d.updates["replay_complete"] = nil // decided, and in no schema yet
	}
	return err
}

// anyPattern lets each text pass for a regular expression. Those of the protocol are
// ECMAScript's, which Go does not read; no draft has a pattern of its own.
func anyPattern(string) (jsonschema.Regexp, error) { return regexp.MustCompile(""), nil }

// kindOf returns the kind of session update that a branch of their definition is for.
func kindOf(branch any) string {
	o, _ := branch.(Object)
	properties, _ := o["properties"].(Object)
	kind, _ := properties["sessionUpdate"].(Object)
	name, _ := kind["const"].(string)
	return name
}

func (d *Draft) add(definition, name, side string, schema *jsonschema.Schema) {
	if strings.HasSuffix(definition, "Response") {
		d.Results[name] = schema
		return
	}
	m := d.methods[name]
	if m == nil {
		m = &method{to: side}
		d.methods[name] = m
	}
	if m.to != side {
		m.to = "both"
	}
	if strings.HasSuffix(definition, "Request") {
		m.request = schema
	} else {
		m.notification = schema
	}
	if d.Calls[name] == nil || m.request == schema {
		d.Calls[name] = schema
	}
}

// Version returns the version that it is a draft of.
func (d *Draft) Version() int { return int(d.Name[1] - '0') }

// Updates returns the kinds of session updates that it has.
func (d *Draft) Updates() []string { return slices.Sorted(maps.Keys(d.updates)) }
