package shapes

import (
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A block is the Rule of content blocks. If it is true, one that the other version cannot
// read becomes text; towards version 1 only what is a block does.
type block bool

// The Rules of content blocks. Version 2 wants URIs where agents of version 1 also send
// paths.
const (
	Block       block = false
	BlockOrText block = true
)

var (
	// Content is what has a content block as its content: an item of a tool call.
	Content = Object{{"content", must{BlockOrText}}}
	// Chunk is a chunk of a message towards version 1.
	Chunk = Object{{"content", must{BlockOrText}}, {"messageId", StringOrNull}}
	// Prompt has the params of a prompt. A key has no form in version 1.
	Prompt = Object{{"idempotencyKey", leave}, {"prompt", array{BlockOrText}}}
	// SystemPrompt is a system prompt. One with a block that the other version cannot read
	// has no form: an agent must not work without a part of it.
	SystemPrompt = orNull{Object{{"mode", must{String}}, {"content", must{each{Block}}}}}
)

// Write implements [Rule].
func (orText block) Write(w *Writer, value []byte) bool {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], value)
	kind, isBlock := o.Text("type")
	switch shape := blockOf(kind); {
	case shape != nil && shape.write(w, o):
		if !w.v2 && string(kind) == "resource_link" && !rawjson.Null(o.Get("icons")) {
			w.Lose(translate.LossLinkIcons, "left out")
		}
		return true
	case !bool(orText) || !isBlock && !w.v2:
		return false
	case !isBlock:
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

// blockOf returns the members of content blocks of a type that both versions know, or nil.
func blockOf(kind []byte) Object {
	switch string(kind) {
	case "text":
		return text
	case "image":
		return image
	case "audio":
		return audio
	case "resource_link":
		return link
	case "resource":
		return resource
	}
	return nil
}

var (
	text  = Object{{"text", must{String}}, {"annotations", orNull{annotations}}}
	image = Object{
		{"uri", orNull{uri{}}},
		{"data", must{String}},
		{"mimeType", must{String}},
		{"annotations", orNull{annotations}},
	}
	audio = Object{
		{"data", must{String}},
		{"mimeType", must{String}},
		{"annotations", orNull{annotations}},
	}
	link = Object{
		{"uri", must{uri{}}},
		{"name", must{String}},
		{"title", StringOrNull},
		{"description", StringOrNull},
		{"mimeType", StringOrNull},
		{"size", orNull{towards{Integer, natural}}},
		{"icons", towards{leave, nil}},
		{"annotations", orNull{annotations}},
	}
	resource = Object{
		{"resource", must{Func(contents)}},
		{"annotations", orNull{annotations}},
	}
	inText = Object{
		{"uri", must{uri{}}},
		{"mimeType", StringOrNull},
		{"text", must{String}},
	}
	inBytes = Object{
		{"uri", must{uri{}}},
		{"mimeType", StringOrNull},
		{"blob", must{String}},
	}
	annotations = Object{
		{"audience", orNull{Func(audience)}},
		{"lastModified", StringOrNull},
		{"priority", orNull{towards{number, Func(priority)}}},
	}
)

// contents writes what a resource contains.
func contents(w *Writer, value []byte) bool { return inText.Write(w, value) || inBytes.Write(w, value) }

// audience keeps the roles that both versions know. If there are only others, the member
// is left out, because an empty audience would mean nobody.
func audience(w *Writer, value []byte) bool {
	return w.list(value, Func(role), func(left, of int) bool { return left > 0 || of == 0 })
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
