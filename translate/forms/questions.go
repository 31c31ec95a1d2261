package forms

import (
	"cmp"
	"strings"

	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// inChat is the answer to a question that none of its choices answers.
var inChat = []asking.Choice{{ID: "reject", Name: "Answer in the chat"}}

// questionsOf returns the questions of a form: one for each property, or whether to go on,
// if it has none.
func questionsOf(message string, properties []property) (questions []asking.Question) {
	if len(properties) == 0 {
		return []asking.Question{{
			Title: message, Text: message, Choices: []asking.Choice{{ID: "{}", Name: "Continue"}}, Refusals: inChat, InChat: true,
		}}
	}
	introduction := message
	for i, p := range properties {
		title := cmp.Or(p.title, p.name)
		if len(properties) == 1 && p.description == "" {
			title, introduction = p.title, ""
			p.description = message
		}
		if p.description != "" && p.description != title {
			title = strings.TrimPrefix(title+": "+p.description, ": ")
		}
		q := asking.Question{
			Title: title, Choices: p.choices, Refusals: inChat, InChat: true,
			Multiple: p.form == someOf, AtLeast: p.atLeast, AtMost: p.atMost,
		}
		shown := p.choices
		if p.form == yesOrNo {
			no := asking.Choice{ID: "reject", Name: p.no}
			q.Refusals, q.Answers, q.InChat = []asking.Choice{no}, true, false
			shown = []asking.Choice{p.choices[0], no}
		}
		q.Text = asking.Body(introduction, title+asking.Place(i, len(properties)), shown)
		questions, introduction = append(questions, q), ""
	}
	return questions
}

// contentOf returns the values of a form of which these were chosen, by property.
func contentOf(properties []property, chosen [][]string) []byte {
	var b rawjson.Builder
	b.Object()
	for i, p := range properties {
		b.Name(p.name)
		switch {
		case p.form == someOf:
			b.Array()
			for _, value := range chosen[i] {
				b.JSON(value)
			}
			b.EndArray()
		case p.form == yesOrNo && chosen[i][0] != "true":
			b.JSON("false")
		default:
			b.JSON(chosen[i][0])
		}
	}
	b.EndObject()
	return b.Out
}
