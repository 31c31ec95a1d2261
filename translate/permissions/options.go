package permissions

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// An option is a choice in a permission request, as the agent sent it and as the client receives it.
type option struct {
	id, kind             string         // as the agent sent them; an option of the proxy has no id
	clientID, clientKind string         // as the client receives them
	members              rawjson.Object // the agent's members; nil in an option of the proxy
	name                 string
}

// isChanged reports whether the client receives the option in another form.
func (o option) isChanged() bool { return o.clientID != o.id || o.clientKind != o.kind }

// readOptions reads the options of a request. It returns false if they are not a list, or if an option
// has no id or no kind, because the behavior of clients is then unknown.
func readOptions(value []byte) (options []option, ok bool) {
	elements, isArray := rawjson.ReadArray(nil, value)
	ok = isArray || rawjson.IsNull(value)
	for _, e := range elements {
		o := rawjson.Members(e)
		id, hasID := o.Text("optionId")
		kind, hasKind := o.Text("kind")
		ok = ok && hasID && hasKind
		if hasID {
			options = append(options, option{string(id), string(kind), string(id), string(kind), o, o.String("name")})
		}
	}
	return options, ok
}

// count returns the number of options of a kind.
func count(options []option, kind string) (n int) {
	for _, o := range options {
		if o.kind == kind {
			n++
		}
	}
	return n
}

// refusalOf returns the id of the agent's reject option, "" if there is none.
func refusalOf(options []option) string {
	for _, kind := range []string{"reject_once", "reject_always"} {
		if i := slices.IndexFunc(options, func(o option) bool { return o.kind == kind }); i >= 0 {
			return options[i].id
		}
	}
	return ""
}

// optionsFor returns the options in the form that a client reads: with ids and kinds that it
// recognizes, and with a reject option if it would approve without one. It may change options. Call it
// only if SharesButton returns false.
func optionsFor(c *capabilities.ClientProfile, options []option) []option {
	if c.OnceOnly { // if both kinds exist, the always option keeps its kind
		for _, family := range [...]struct{ once, always string }{{"allow_once", "allow_always"}, {"reject_once", "reject_always"}} {
			i := slices.IndexFunc(options, func(o option) bool { return o.kind == family.always })
			if i >= 0 && count(options, family.once) == 0 {
				options[i].clientKind = family.once
			}
		}
	}
	if c.ApprovesWithoutReject && refusalOf(options) == "" {
		options = append(options, option{clientID: unusedID(options, "reject"), name: "Reject", kind: "reject_once", clientKind: "reject_once"})
	}
	if c.AllowOnceID != "" {
		rename(c, options)
	}
	return options
}

// rename sets the ids that the client receives. The first option of each allow kind, and the first
// reject option, get the id that the client recognizes for the kind that the agent sent. Every other
// option whose id the client would interpret gets another id.
func rename(c *capabilities.ClientProfile, options []option) {
	interpreted := slices.Concat([]string{c.AllowOnceID, c.AllowAlwaysID, c.RejectID}, c.ReservedIDs)
	var given []string
	for i, o := range options {
		id := c.OptionID(o.kind)
		if c.OnceOnly && o.kind == "allow_once" && o.id == c.AllowAlwaysID && count(options, "allow_always") == 0 {
			id = o.id // it also approves a single call
		}
		switch {
		case id != "" && !slices.Contains(given, id):
			options[i].clientID = id
			given = append(given, id)
		case slices.Contains(interpreted, o.clientID):
			options[i].clientID = unusedID(options, o.clientID)
		}
	}
}

// unusedID returns an id that no option has: the given one, or that with a number.
func unusedID(options []option, id string) string {
	has := func(id string) bool {
		return slices.ContainsFunc(options, func(o option) bool { return o.id == id })
	}
	unused := id
	for n := 2; has(unused); n++ {
		unused = id + "-" + strconv.Itoa(n)
	}
	return unused
}

// writeOptions returns the options as JSON for the client.
func writeOptions(options []option) []byte {
	var b rawjson.Builder
	b.Array()
	for _, o := range options {
		b.Object()
		for _, f := range o.members {
			switch string(f.Name) {
			case "optionId":
				b.Texts("optionId", o.clientID)
			case "kind":
				b.Texts("kind", o.clientKind)
			default:
				b.Field(f)
			}
		}
		if o.members == nil {
			b.Texts("optionId", o.clientID, "name", o.name, "kind", o.clientKind)
		}
		b.EndObject()
	}
	b.EndArray()
	return b.Out
}

// questionOf returns the question that replaces a request with those params: one choice for each
// allow option. The text of the question does not repeat a plan, which the client has received as
// a chat message.
func questionOf(c *capabilities.ClientProfile, params rawjson.Object, refusal string) asking.Question {
	toolCall := rawjson.Members(params.Get("toolCall"))
	title := toolCall.String("title")
	q := asking.Question{Title: title, Text: title, AgentParams: params, Refusals: []asking.Choice{{ID: refusal}}}
	options, _ := readOptions(params.Get("options"))
	for _, o := range options {
		switch {
		case o.kind == "allow_always" && c.OnceOnly:
			o.kind = "allow_once"
		case o.kind != "allow_once" && o.kind != "allow_always":
			continue
		}
		q.Choices = append(q.Choices, asking.Choice{ID: o.id, Name: o.name, Kind: o.kind})
	}
	introduction := ""
	if toolCall.String("kind") != "switch_mode" {
		introduction = strings.TrimSpace(strings.Join(translate.ContentTexts(toolCall.Get("content")), "\n\n"))
	}
	words := wordsOf(introduction)
	isMissing := func(choice asking.Choice) bool { return !strings.Contains(words, wordsOf(choice.Name)) }
	if strings.Contains(introduction, title) && !slices.ContainsFunc(q.Choices, isMissing) {
		q.Text = introduction
		return q
	}
	questions := []asking.Question{q}
	asking.WriteTexts(introduction, questions)
	return questions[0]
}

// wordsOf returns the words of a text, without punctuation and with a blank around each of them.
func wordsOf(text string) string {
	isGap := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) || r == '`' }
	return " " + strings.Join(strings.FieldsFunc(text, isGap), " ") + " "
}
