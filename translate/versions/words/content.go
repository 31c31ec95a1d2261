package words

import (
	"bytes"
	"slices"
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// BlockToV1 writes a content block of version 2 for version 1. A block becomes
// text if version 1 lacks its type or cannot read its members. Only a value that
// is not a block has no form.
func BlockToV1(w *Writer, value []byte) bool {
	var buf [8]rawjson.Field
	o, ok := rawjson.ReadObject(buf[:0], value)
	if !ok {
		return false
	}
	kind, ok := o.Text("type")
	if !ok {
		return false
	}
	if s := blocksToV1.of(kind); s != nil && s.ConvertObject(w, o) {
		if string(kind) == "resource_link" && !rawjson.Null(o.Get("icons")) {
			w.Lose(translate.LossLinkIcons, "left out")
		}
		return true
	}
	blockAsText(w, value)
	return true
}

// BlockToV2 writes a content block of version 1 for version 2. Version 2 wants
// URIs where agents of version 1 also sent paths. A block that version 2 cannot
// read has no form, see [blockAsText].
func BlockToV2(w *Writer, value []byte) bool {
	var buf [8]rawjson.Field
	o, ok := rawjson.ReadObject(buf[:0], value)
	if !ok {
		return false
	}
	kind, _ := o.Text("type")
	s := blocksToV2.of(kind)
	return s != nil && s.ConvertObject(w, o)
}

// ContentToV1 is the Shape of what has a content block as its content: a chunk of a
// message, or an item of a tool call.
var ContentToV1 = Shape{{Name: "content", Convert: BlockToV1, Required: true}}

// BlockOrTextToV2 is BlockToV2 for a block that becomes text if it has no form. It is
// always true.
func BlockOrTextToV2(w *Writer, value []byte) bool {
	if !BlockToV2(w, value) {
		blockAsText(w, value)
	}
	return true
}

// blockAsText writes a text block in place of a value that the other side cannot
// read as a content block, and notes the loss. The value can be nil.
func blockAsText(w *Writer, value []byte) {
	o, _ := rawjson.ReadObject(nil, value)
	kind, ok := o.Text("type")
	if !ok {
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
}

// SystemPromptToV1 and SystemPromptToV2 write a system prompt of the other version.
// One with a block that the version cannot read has no form: an agent must not work
// without a part of it.
var (
	SystemPromptToV1 = systemPrompt(sameBlockToV1)
	SystemPromptToV2 = systemPrompt(BlockToV2)
)

func systemPrompt(block Convert) Convert {
	return OrNull(Shape{
		{Name: "mode", Convert: String, Required: true},
		{Name: "content", Convert: each(block), Required: true},
	}.Convert)
}

// sameBlockToV1 is BlockToV1 for blocks that do not become text.
func sameBlockToV1(w *Writer, value []byte) bool {
	start := len(w.Losses)
	return BlockToV1(w, value) && !slices.ContainsFunc(w.Losses[start:], func(l translate.Loss) bool { return l.Kind == translate.LossContentBlock })
}

// blocks are the types of content blocks that both versions know.
type blocks struct{ text, image, audio, link, resource Shape }

func (b *blocks) of(kind []byte) Shape {
	switch string(kind) {
	case "text":
		return b.text
	case "image":
		return b.image
	case "audio":
		return b.audio
	case "resource_link":
		return b.link
	case "resource":
		return b.resource
	}
	return nil
}

var (
	blocksToV1 = newBlocks(String, annotationsToV1, Member{Name: "icons", Convert: Leave}, OrNull(Integer))
	blocksToV2 = newBlocks(URI, annotationsToV2, Member{Name: "icons", Convert: Same}, OrNull(Natural))
)

func newBlocks(uri Convert, annotations Shape, icons Member, size Convert) blocks {
	var (
		annotated = Member{Name: "annotations", Convert: OrNull(annotations.Convert)}
		text      = Member{Name: "text", Convert: String, Required: true}
		data      = Member{Name: "data", Convert: String, Required: true}
		mime      = Member{Name: "mimeType", Convert: String, Required: true}
		maybeMime = Member{Name: "mimeType", Convert: StringOrNull}
		address   = Member{Name: "uri", Convert: uri, Required: true}
		inText    = Shape{address, maybeMime, text}
		inBytes   = Shape{address, maybeMime, {Name: "blob", Convert: String, Required: true}}
	)
	resource := func(w *Writer, value []byte) bool { return inText.Convert(w, value) || inBytes.Convert(w, value) }
	return blocks{
		text:  Shape{text, annotated},
		image: Shape{data, mime, {Name: "uri", Convert: OrNull(uri)}, annotated},
		audio: Shape{data, mime, annotated},
		link: Shape{address, {Name: "name", Convert: String, Required: true}, {Name: "title", Convert: StringOrNull},
			{Name: "description", Convert: StringOrNull}, maybeMime, {Name: "size", Convert: size}, icons, annotated},
		resource: Shape{{Name: "resource", Convert: resource, Required: true}, annotated},
	}
}

var (
	annotationsToV1 = Shape{
		{Name: "audience", Convert: OrNull(audience(Array(role)))}, {Name: "lastModified", Convert: StringOrNull}, {Name: "priority", Convert: NumberOrNull},
	}
	annotationsToV2 = Shape{
		{Name: "audience", Convert: OrNull(audience(Array(knownRole)))}, {Name: "lastModified", Convert: StringOrNull}, {Name: "priority", Convert: OrNull(priority)},
	}
	knownRole = Word("user", "assistant")
)

// role is knownRole for version 2, which lets agents use others.
func role(w *Writer, value []byte) bool {
	if knownRole(w, value) {
		return true
	}
	w.Lose(translate.LossAudienceRole, "left out")
	return false
}

// audience returns a Convert that keeps the roles that both versions know. If
// there are only others, the member is left out, because an empty audience
// would mean nobody.
func audience(roles Convert) Convert {
	return func(w *Writer, value []byte) bool {
		start := len(w.Out)
		if !roles(w, value) {
			return false
		}
		if bytes.HasSuffix(w.Out, []byte("[]")) && len(value) > 2 {
			w.Out = w.Out[:start]
			return false
		}
		return true
	}
}

// priority lets numbers from 0 to 1 through.
func priority(w *Writer, value []byte) bool {
	f, err := strconv.ParseFloat(string(value), 64)
	return err == nil && 0 <= f && f <= 1 && Same(w, value)
}
