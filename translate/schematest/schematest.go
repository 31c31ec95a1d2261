// Package schematest has the published schemas of the protocol. Tests judge by
// them what the proxy writes: see [Listener].
//
// testdata has one file for each draft, compressed with gzip -n9. The protocol's SDKs
// ship its schemas under the Apache License 2.0.
package schematest

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Draft is what one draft of the protocol lets the sides say. Several tests
// may use it at once.
type Draft struct {
	Name        string                        // such as v1, or v2.unstable
	Calls       map[string]*jsonschema.Schema // of the params of requests and notifications, by method
	Results     map[string]*jsonschema.Schema // of the results of requests, by method
	Definitions map[string]any                // all of the draft, by name
}

//go:embed testdata
var files embed.FS

// drafts has those that were compiled: it takes a while.
var drafts sync.Map // by name

// Of returns the draft of that name.
func Of(t testing.TB, name string) *Draft {
	t.Helper()
	if d, ok := drafts.Load(name); ok {
		return d.(*Draft)
	}
	d, err := compile(name)
	if err != nil {
		t.Fatalf("the schema %s: %v", name, err)
	}
	drafts.Store(name, d)
	return d
}

func open(name string) (*gzip.Reader, error) {
	compressed, err := files.ReadFile("testdata/" + name + ".json.gz")
	if err != nil {
		return nil, err
	}
	return gzip.NewReader(bytes.NewReader(compressed))
}

func compile(name string) (*Draft, error) {
	text, err := open(name)
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(text)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat() // version 2 SDKs reject a uri that is not one
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	root, _ := document.(map[string]any)
	d := &Draft{Name: name, Calls: make(map[string]*jsonschema.Schema), Results: make(map[string]*jsonschema.Schema)}
	d.Definitions, _ = root["$defs"].(map[string]any)
	for name, definition := range d.Definitions {
		method, ok := definition.(map[string]any)["x-method"].(string)
		if !ok {
			continue
		}
		schema, err := compiler.Compile(d.Name + "#/$defs/" + name)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "Response") {
			d.Results[method] = schema
		} else if d.Calls[method] == nil || strings.HasSuffix(name, "Request") {
			d.Calls[method] = schema
		}
	}
	if len(d.Calls) < 10 || len(d.Results) < 10 {
		return nil, fmt.Errorf("it has %d calls and %d results", len(d.Calls), len(d.Results))
	}
	return d, nil
}
