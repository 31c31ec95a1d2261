package shapes

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// OpenedSession is the result of a request that opens a session. Towards version 1, the bridge
// converts the options, and sends the commands in an update.
var OpenedSession = Object{
	{"modes", drop},
	{"models", drop},
	{"configOptions", towards{firstByte("["), optionsToV2}},
	{"availableCommands", drop},
	{"replayFrom", towards{drop, nil}},
	{"_meta", towards{object, nil}},
}

// listedSession is a session in a list.
var listedSession = Object{
	{"sessionId", mustString},
	{"cwd", mustString},
	{"additionalDirectories", array{String}},
	{"title", StringOrNull},
	{"updatedAt", orNull{timestamp}},
	{"archived", towards{boolean, orNull{boolean}}},
}

// SessionList is a list of sessions.
var SessionList = Object{
	{"sessions", towards{orDefault{array{listedSession}, "[]"}, orDefault{array{orLost{listedSession, translate.LossListedSession}}, "[]"}}},
	{"nextCursor", StringOrNull},
}

var timestamp = towards{String, Func(copyTimestamp)}

// copyTimestamp copies RFC 3339 times, the only ones that version 2 can read.
func copyTimestamp(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	return ok && translate.IsTime(string(text)) && w.copy(value)
}
