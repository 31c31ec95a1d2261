package jsonrpc

import "testing"

func TestError(t *testing.T) {
	for raw, want := range map[string]int{`{"code":-32800}`: RequestCancelled, `{"code":-328.0e2}`: RequestCancelled, `{"code":1.5}`: 0, `{"code":1e99}`: 0, `{"code":"1"}`: 0, `null`: 0, ``: 0} {
		if got := ErrorCode([]byte(raw)); got != want {
			t.Errorf("the code of %s is %d", raw, got)
		}
	}
	if got := string(Error{Code: -1, Message: "m"}.Response([]byte("1"))); got != `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}` {
		t.Error(got)
	}
}
