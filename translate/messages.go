package translate

import (
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// Update returns a session/update notification. write adds the members of the update other
// than its kind.
func Update(session, kind string, write func(*rawjson.Builder)) []byte {
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0","method":"session/update","params":{`)
	b.Texts("sessionId", session)
	b.Name("update")
	b.Object()
	b.Texts("sessionUpdate", kind)
	write(&b)
	for range 3 {
		b.EndObject()
	}
	return b.Out
}

// Answer returns the response to the request with a raw id. member is "result" or "error",
// value its raw value.
func Answer(id []byte, member string, value []byte) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"`+member+`":`), value, []byte("}"))
}
