package play

import "testing"

func TestRename(t *testing.T) {
	one, other := new(lane), new(lane)
	var n names
	n.call("recorded-1", "mine")
	n.call("s", "x")
	n.move(one, "/home/ann/src/", "/my work")
	n.move(other, "/home/ann/src", "/other")
	n.move(one, "/home/ann", "/me")
	n.move(one, `C:\src`, "/win")
	n.move(one, "/", "/nothing")
	tests := []struct{ said, want string }{
		{`"recorded-1"`, `"mine"`},
		{`"see recorded-1."`, `"see mine."`},
		{`"recorded-12 unrecorded-1 recorded-1-b"`, `"recorded-12 unrecorded-1 recorded-1-b"`},
		{`"\/recorded-12"`, `"\/recorded-12"`},
		{`"it's s"`, `"it's s"`},
		{`"s"`, `"x"`},
		{`"/home/ann/src"`, `"/my work"`},
		{`"/home/ann/src/a.go:1"`, `"/my work/a.go:1"`},
		{`"\/home\/ann\/src\/a"`, `"/my work/a"`},
		{`"(/home/ann/src)"`, `"(/my work)"`},
		{`"in /home/ann/src."`, `"in /my work."`},
		{`"/home/ann/src2 /home/ann/src.old /x/home/ann/src"`, `"/me/src2 /me/src.old /x/home/ann/src"`},
		{`"file:///home/ann/src/a"`, `"file:///my%20work/a"`},
		{`"file://localhost/home/ann/src/a"`, `"file://localhost/my%20work/a"`},
		{`"home/ann/src/a"`, `"my work/a"`},
		{`"cd /home/ann/src && \"ls\"\n"`, `"cd /my work && \"ls\"\n"`},
		{`"C:\\src\\a"`, `"/win\\a"`},
		{`"/"`, `"/"`},
		{`{"/home/ann/src":["recorded-1",1,null]}`, `{"/my work":["mine",1,null]}`},
	}
	for _, tt := range tests {
		if got := string(rename([]byte(tt.said), n.of(one), nil, nil)); got != tt.want {
			t.Errorf("%s became %s, not %s", tt.said, got, tt.want)
		}
	}
	if got := string(rename([]byte(`"/home/ann/src"`), n.of(other), nil, nil)); got != `"/other"` {
		t.Errorf("in another session: %s", got)
	}
}

func TestRenameID(t *testing.T) {
	tests := []struct{ said, id, requestID, want string }{
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
		if got := string(rename([]byte(tt.said), nil, ids[0], ids[1])); got != tt.want {
			t.Errorf("%s became %s, not %s", tt.said, got, tt.want)
		}
	}
}
