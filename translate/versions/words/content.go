package words

import (
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// BlockToV1 writes a content block of version 2 for version 1. A block becomes
// text if version 1 lacks its type or cannot read its members. Only a value that
// is not a block has no form.
func BlockToV1(w *Writer, value []byte) bool {
	w.v2 = false
	return blockOrText(w, value)
}

// IsBlockOfV1 reports whether a content block of version 2 stays one of its type in version
// 1.
func IsBlockOfV1(value []byte) bool { return block(&Writer{}, value) }

// BlockToV2 writes a content block of version 1 for version 2. Version 2 wants
// URIs where agents of version 1 also sent paths. A block that version 2 cannot
// read has no form.
func BlockToV2(w *Writer, value []byte) bool {
	w.v2 = true
	return block(w, value)
}

// BlockOrTextToV2 is BlockToV2 for a block that becomes text if it has no form. It is
// always true.
func BlockOrTextToV2(w *Writer, value []byte) bool {
	w.v2 = true
	return blockOrText(w, value)
}

var (
	// Content is what has a content block as its content: an item of a tool call.
	Content = Object{{"content", "content", must{Func(blockOrText)}, both}}
	// Chunk is a chunk of a message towards version 1.
	Chunk = Object{
		{"content", "content", must{Func(blockOrText)}, both},
		{"messageId", "messageId", StringOrNull, nil},
	}
	// Prompt has the params of a prompt. A key has no form in version 1.
	Prompt = Object{{"", "idempotencyKey", nil, nil}, {"prompt", "prompt", array{Func(blockOrText)}, nil}}
)

// block writes a content block that the other version can read.
func block(w *Writer, value []byte) bool {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], value)
	kind, _ := o.Text("type")
	shape := blocks(kind)
	if shape == nil || !shape.write(w, o) {
		return false
	}
	if !w.v2 && string(kind) == "resource_link" && !rawjson.Null(o.Get("icons")) {
		w.Lose(translate.LossLinkIcons, "left out")
	}
	return true
}

// blockOrText is block for a block that becomes text if it has no form. Towards version 1
// only what is a block does.
func blockOrText(w *Writer, value []byte) bool {
	if block(w, value) {
		return true
	}
	o, _ := rawjson.ReadObject(nil, value)
	kind, ok := o.Text("type")
	if !ok {
		if !w.v2 {
			return false
		}
		kind = []byte("content")
	}
	w.Lose(translate.LossContentBlock, "shown as text")
	text := append(append([]byte("["), kind...), ']')
	for _, name := range []string{"text", "name", "uri"} {
		if s, ok := o.Text(name); ok {
			text = s
			break
		}
	}
	w.JSON(`{"type":"text","text":`)
	w.String(text)
	w.EndObject()
	return true
}

// SystemPromptToV1 and SystemPromptToV2 write a system prompt of the other version.
// One with a block that the version cannot read has no form: an agent must not work
// without a part of it.
func SystemPromptToV1(w *Writer, value []byte) bool {
	w.v2 = false
	return systemPrompt.Write(w, value)
}

// SystemPromptToV2 is SystemPromptToV1 for the other direction.
func SystemPromptToV2(w *Writer, value []byte) bool {
	w.v2 = true
	return systemPrompt.Write(w, value)
}

var systemPrompt = orNull{Object{
	{"mode", "mode", must{String}, both},
	{"content", "content", must{each{Func(block)}}, both},
}}

// blocks returns the members of content blocks of a type that both versions know, or nil.
func blocks(kind []byte) Object {
	switch string(kind) {
	case "text":
		return text
	case "image":
		return image
	case "audio":
		return image[1:]
	case "resource_link":
		return link
	case "resource":
		return resource
	}
	return nil
}

var (
	text  = Object{{"text", "text", must{String}, both}, {"annotations", "annotations", orNull{annotations}, both}}
	image = Object{
		{"uri", "uri", orNull{String}, orNull{Func(uri)}},
		{"data", "data", must{String}, both},
		{"mimeType", "mimeType", must{String}, both},
		{"annotations", "annotations", orNull{annotations}, both},
	}
	link = Object{
		{"uri", "uri", must{String}, must{Func(uri)}},
		{"name", "name", must{String}, both},
		{"title", "title", StringOrNull, both},
		{"description", "description", StringOrNull, both},
		{"mimeType", "mimeType", StringOrNull, both},
		{"size", "size", orNull{Integer}, orNull{natural}},
		{"icons", "icons", leave, nil},
		{"annotations", "annotations", orNull{annotations}, both},
	}
	resource = Object{
		{"resource", "resource", must{Func(contents)}, both},
		{"annotations", "annotations", orNull{annotations}, both},
	}
	inText = Object{
		{"uri", "uri", must{String}, must{Func(uri)}},
		{"mimeType", "mimeType", StringOrNull, both},
		{"text", "text", must{String}, both},
	}
	inBytes = Object{
		{"uri", "uri", must{String}, must{Func(uri)}},
		{"mimeType", "mimeType", StringOrNull, both},
		{"blob", "blob", must{String}, both},
	}
	annotations = Object{
		{"audience", "audience", orNull{Func(audience)}, both},
		{"lastModified", "lastModified", StringOrNull, both},
		{"priority", "priority", numberOrNull, orNull{Func(priority)}},
	}
)

// contents writes what a resource contains.
func contents(w *Writer, value []byte) bool { return inText.Write(w, value) || inBytes.Write(w, value) }

// audience keeps the roles that both versions know. If there are only others, the member
// is left out, because an empty audience would mean nobody.
func audience(w *Writer, value []byte) bool {
	start := len(w.Out)
	left, ok := array{Func(role)}.write(w, value)
	if ok && left == 0 && len(value) > 2 {
		w.Out = w.Out[:start]
		return false
	}
	return ok
}

// role writes a role. Version 2 lets agents use others.
func role(w *Writer, value []byte) bool {
	known := word{"user", "assistant"}.Write(w, value)
	if !known && !w.v2 {
		w.Lose(translate.LossAudienceRole, "left out")
	}
	return known
}

// priority lets numbers from 0 to 1 through.
func priority(w *Writer, value []byte) bool {
	f, err := strconv.ParseFloat(string(value), 64)
	return err == nil && 0 <= f && f <= 1 && w.any(value)
}
