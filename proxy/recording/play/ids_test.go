package play

import "testing"

func TestWithIDs(t *testing.T) {
	tests := []struct{ message, id, requestID, want string }{
		{`{"id":1,"result":{"id":2}}`, `"x"`, ``, `{"id":"x","result":{"id":2}}`},
		{`{"result":{"id":2}, "id" : 1 }`, `9`, ``, `{"result":{"id":2}, "id" : 9 }`},
		{`{"id":1,"params":{"requestId": 7}}`, ``, `"now"`, `{"id":1,"params":{"requestId": "now"}}`},
		{`{"id":1,"params":{"requestId": 8,"x":"requestId"}}`, ``, ``, `{"id":1,"params":{"requestId": 8,"x":"requestId"}}`},
		{`{"method":"m"}`, `9`, `9`, `{"method":"m"}`},
	}
	for _, tt := range tests {
		var ids [2][]byte
		for i, id := range []string{tt.id, tt.requestID} {
			if id != "" {
				ids[i] = []byte(id)
			}
		}
		if got := string(withIDs([]byte(tt.message), ids[0], ids[1])); got != tt.want {
			t.Errorf("%s became %s, not %s", tt.message, got, tt.want)
		}
	}
}
