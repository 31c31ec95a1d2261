// Package schematest judges in tests what the proxy writes, by the protocol's published
// schemas: see [Listener]. The library that it uses reads all of JSON Schema.
package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"acp-plan-proxy/translate/schema"
)

// A Draft is what one draft of the protocol lets the sides say. Several tests
// may use it at once.
type Draft struct {
	Name        string                        // such as v1, or v2.unstable
	Calls       map[string]*jsonschema.Schema // of the params of requests and notifications, by method
	Results     map[string]*jsonschema.Schema // of the results of requests, by method
	Definitions map[string]any                // all of the draft, by name
}

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

func compile(name string) (*Draft, error) {
	definitions, err := schema.Definitions(name)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"$defs": definitions})
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()  // version 2 SDKs reject a uri that is not one
	compiler.AssertContent() // and what is not base64
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
		compiled, err := compiler.Compile(d.Name + "#/$defs/" + name)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "Response") {
			d.Results[method] = compiled
		} else if d.Calls[method] == nil || strings.HasSuffix(name, "Request") {
			d.Calls[method] = compiled
		}
	}
	if len(d.Calls) < 10 || len(d.Results) < 10 {
		return nil, fmt.Errorf("it has %d calls and %d results", len(d.Calls), len(d.Results))
	}
	return d, nil
}
