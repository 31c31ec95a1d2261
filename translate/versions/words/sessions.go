package words

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// OpenedSession is the answer to a request for a session, without what can be chosen
// in it and which commands it has: the bridges say that.
var OpenedSession = Object{
	{"modes", "", nil, nil},
	{"models", "", nil, nil},
	{"configOptions", "configOptions", leave, both},
	{"", "availableCommands", nil, nil},
	{"replayFrom", "replayFrom", leave, nil},
	{"_meta", "_meta", object, nil},
}

// listedSession is a session in a list. Version 2 wants to know where it works.
var listedSession = Object{
	{"sessionId", "sessionId", must{String}, both},
	{"cwd", "cwd", must{String}, both},
	{"additionalDirectories", "additionalDirectories", array{String}, both},
	{"title", "title", StringOrNull, both},
	{"updatedAt", "updatedAt", StringOrNull, orNull{Func(Time)}},
	{"archived", "archived", boolean, orNull{boolean}},
}

// SessionList is a list of sessions.
var SessionList = Object{
	{"sessions", "sessions", or{array{listedSession}, "[]"}, or{array{orLost{listedSession, translate.LossListedSession}}, "[]"}},
	{"nextCursor", "nextCursor", StringOrNull, both},
}

// Time lets through times that version 2 can read: times as in RFC 3339.
func Time(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	if !ok {
		return false
	}
	if _, err := time.Parse(time.RFC3339, string(text)); err != nil {
		return false
	}
	// Parse also takes a comma in the seconds, and an hour of one digit.
	const hour = len("2006-01-02T")
	return !bytes.ContainsRune(text, ',') && text[hour+1] != ':' && w.any(value)
}
