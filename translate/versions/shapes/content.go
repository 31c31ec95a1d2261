package shapes

import (
	"slices"
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A block converts content blocks. If it is true, it writes a text in place of a block that the
// target version cannot read. Towards version 1, it rejects values without a type.
type block bool

// Rules that convert content blocks. Version 2 requires URIs where agents of version 1 also send
// paths.
const (
	Block       block = false
	BlockOrText block = true
)

var (
	// Content is an item of a tool call with a content block.
	Content = Object{{"content", must{BlockOrText}}}
	// Chunk is a chunk of a message. The bridge adds the id, which version 2 requires.
	Chunk = Object{{"content", must{BlockOrText}}, {"messageId", StringOrNull}}
	// Prompt has the params of a prompt. Version 1 has no idempotency keys.
	Prompt = Object{{"idempotencyKey", drop}, {"prompt", towards{array{BlockOrText}, must{each{Block}}}}}
	// SystemPrompt is a system prompt. It is rejected if the target version cannot read one of its
	// blocks, because an agent must not work with a part of a system prompt.
	SystemPrompt = orNull{Object{{"mode", mustString}, {"content", must{each{Block}}}}}
)

// Write implements [Rule].
func (b block) Write(w *Writer, value []byte) bool {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], value)
	kind, isBlock := o.Text("type")
	switch shape := blockOf(kind); {
	case shape != nil && shape.writeMembers(w, o):
		return true
	case !bool(b) || !isBlock && !w.toV2:
		return false
	case !isBlock:
		kind = []byte("content")
	}
	w.Lose(translate.LossContentBlock, "a content block is shown as text")
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

// IsPlainText reports whether a content block has a text and nothing else. Such a block is the same
// in both versions.
func IsPlainText(block rawjson.Object) bool {
	text := block.Get("text")
	return len(block) == 2 && string(block.Get("type")) == `"text"` && len(text) > 0 && text[0] == '"'
}

// blockOf returns the description of content blocks of a type that both versions have, or nil.
func blockOf(kind []byte) Object {
	switch string(kind) {
	case "text":
		return textBlock
	case "image", "audio":
		return mediaBlock
	case "resource_link":
		return linkBlock
	case "resource":
		return resourceBlock
	}
	return nil
}

var (
	textBlock  = Object{{"text", mustString}, {"annotations", orNull{annotations}}}
	mediaBlock = Object{
		{"uri", orNull{uri}}, // of an image
		{"data", mustString},
		{"mimeType", mustString},
		{"annotations", orNull{annotations}},
	}
	linkBlock = Object{
		{"uri", must{uri}},
		{"name", mustString},
		{"title", StringOrNull},
		{"description", StringOrNull},
		{"mimeType", StringOrNull},
		{"size", orNull{towards{Integer, natural}}},
		{"icons", towards{orLost{drop, translate.LossLinkIcons}, nil}},
		{"annotations", orNull{annotations}},
	}
	resourceBlock = Object{
		{"resource", must{Func(writeResourceContents)}},
		{"annotations", orNull{annotations}},
	}
	anyContents  = Object{{"uri", must{uri}}, {"mimeType", StringOrNull}}
	textContents = slices.Concat(anyContents, Object{{"text", mustString}})
	blobContents = slices.Concat(anyContents, Object{{"blob", mustString}})
	annotations  = Object{
		// An audience without roles would mean nobody.
		{"audience", orNull{some{orLost{oneOf{"user", "assistant"}, translate.LossAudienceRole}}}},
		{"lastModified", StringOrNull},
		{"priority", orNull{towards{number, Func(copyPriority)}}},
	}
)

// writeResourceContents writes the contents of a resource: text or a blob.
func writeResourceContents(w *Writer, value []byte) bool {
	return textContents.Write(w, value) || blobContents.Write(w, value)
}

// copyPriority copies numbers from 0 to 1.
func copyPriority(w *Writer, value []byte) bool {
	f, err := strconv.ParseFloat(string(value), 64)
	return err == nil && 0 <= f && f <= 1 && w.copy(value)
}
