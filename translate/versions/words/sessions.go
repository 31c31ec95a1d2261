package words

import (
	"bytes"
	"time"

	"acp-plan-proxy/transport/rawjson"
)

// OpenedSession is the answer to a request for a session, without what can be chosen
// in it and which commands it has: the bridges say that.
var OpenedSession = table{
	{"modes", "", gone, gone},
	{"models", "", gone, gone},
	{"configOptions", "configOptions", may(Leave), may(Leave)},
	{"", "availableCommands", gone, gone},
	{"replayFrom", "replayFrom", may(Leave), asIs},
	{"_meta", "_meta", may(Object), asIs},
}.shapes()

// ListedSession is a session in a list.
var ListedSession = table{
	{"sessionId", "sessionId", must(String), must(String)},
	{"cwd", "cwd", must(String), must(String)},
	{"additionalDirectories", "additionalDirectories", may(Array(String)), may(Array(String))},
	{"title", "title", may(StringOrNull), may(StringOrNull)},
	{"updatedAt", "updatedAt", may(StringOrNull), may(OrNull(Time))},
	{"archived", "archived", may(Boolean), may(OrNull(Boolean))},
}.shapes()

// SessionList returns the Shape of a list of sessions, each of which is written by
// the Convert.
func SessionList(session Convert) Shape {
	return Shape{
		{Name: "sessions", Convert: Array(session), Default: "[]"},
		{Name: "nextCursor", Convert: StringOrNull},
	}
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
	return !bytes.ContainsRune(text, ',') && text[hour+1] != ':' && Same(w, value)
}
