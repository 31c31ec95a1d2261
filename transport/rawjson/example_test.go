package rawjson_test

import (
	"fmt"

	"acp-plan-proxy/transport/rawjson"
)

// A Cursor walks the members of an object. Its results are parts of the text.
func ExampleCursor() {
	text := []byte(`{"method": "session/cancel", "params": {"sessionId": "s1"}}`)
	var c rawjson.Cursor
	c.Reset(text)
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "method":
			fmt.Printf("method %s\n", rawjson.Unquote(c.Value()))
		case "params":
			fmt.Printf("params at byte %d\n", c.Offset())
			c.Skip()
		default:
			c.Skip()
		}
	}
	fmt.Println("valid to the end:", c.End())
	// Output:
	// method session/cancel
	// params at byte 39
	// valid to the end: true
}

// An Editor replaces what a Cursor has found. Every other byte stays.
func ExampleEditor() {
	text := []byte(`{ "status" : "cancelled", "n": 1.50e0 }`)
	var c rawjson.Cursor
	c.Reset(text)
	edited := rawjson.Edit(nil, text, 0)
	for more := c.Object(); more; more = c.NextMember() {
		if string(c.Name()) != "status" {
			c.Skip()
			continue
		}
		start := c.Offset()
		value := c.Value()
		edited.Replace(start, start+len(value), `"completed"`)
	}
	fmt.Printf("%s\n", edited.Finish(len(text)))
	// Output:
	// { "status" : "completed", "n": 1.50e0 }
}

// An Object gives access to several members, in any order.
func ExampleReadObject() {
	o, ok := rawjson.ReadObject(nil, []byte(`{"id":"t1","title":"Edit","done":false}`))
	title, isText := o.Text("title")
	fmt.Println(ok, string(o.Get("done")), string(title), isText)
	// Output:
	// true false Edit true
}
