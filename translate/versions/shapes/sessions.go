package shapes

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// OpenedSession is the result of a request for a session. Towards version 1, the bridge writes the
// options and the commands.
var OpenedSession = Object{
	{"modes", drop},
	{"models", drop},
	{"configOptions", towards{drop, optionsToV2}},
	{"availableCommands", drop},
	{"replayFrom", towards{drop, nil}},
	{"_meta", towards{object, nil}},
}

// listedSession is a session in a list. Version 2 requires its directory.
var listedSession = Object{
	{"sessionId", mustString},
	{"cwd", mustString},
	{"additionalDirectories", array{String}},
	{"title", StringOrNull},
	{"updatedAt", orNull{towards{String, Func(Time)}}},
	{"archived", towards{boolean, orNull{boolean}}},
}

// SessionList is a list of sessions.
var SessionList = Object{
	{"sessions", towards{or{array{listedSession}, "[]"}, or{array{orLost{listedSession, translate.LossListedSession}}, "[]"}}},
	{"nextCursor", StringOrNull},
}

// Time copies RFC 3339 times, the only ones that version 2 can read.
func Time(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	if !ok {
		return false
	}
	if _, err := time.Parse(time.RFC3339, string(text)); err != nil {
		return false
	}
	// Parse and UnmarshalText also accept a comma in the seconds, and an hour of one digit.
	const hour = len("2006-01-02T")
	return !bytes.ContainsRune(text, ',') && text[hour+1] != ':' && w.any(value)
}
