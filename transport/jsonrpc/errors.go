package jsonrpc

import (
	"math"
	"slices"
	"strconv"

	"acp-plan-proxy/transport/rawjson"
)

// Error codes of JSON-RPC and of ACP.
const (
	InvalidRequest   = -32600
	MethodNotFound   = -32601
	InvalidParams    = -32602
	InternalError    = -32603
	ResourceNotFound = -32002
	RequestCancelled = -32800
)

// An Error is a JSON-RPC error that the program itself reports.
type Error struct {
	Code    int
	Message string
	Data    []byte // raw; may be nil
}

// Response returns the error response to the request with a raw id.
func (e Error) Response(id []byte) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":`), e.Raw(), []byte("}"))
}

// Write appends the error to b.
func (e Error) Write(b *rawjson.Builder) {
	b.Object()
	b.Name("code")
	b.Int(int64(e.Code))
	b.Texts("message", e.Message)
	b.Member("data", e.Data)
	b.EndObject()
}

// Raw returns the error as JSON.
func (e Error) Raw() []byte {
	var b rawjson.Builder
	e.Write(&b)
	return b.Out
}

// ErrorCode returns the code of a raw error, or 0.
func ErrorCode(raw []byte) int {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], raw)
	code, err := strconv.ParseFloat(string(o.Get("code")), 64) // JSON allows 1e3
	if err != nil || code != math.Trunc(code) || math.Abs(code) > math.MaxInt32 {
		return 0
	}
	return int(code)
}
