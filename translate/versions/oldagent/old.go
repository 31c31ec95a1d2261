package oldagent

import (
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

func member(w *words.Writer, name string) { w.Name(name) }

func field(w *words.Writer, f rawjson.Field) {
	if !words.UnreadableMeta(f) {
		w.Field(f)
	}
}

func comma(w *words.Writer) {
	if last := w.Out[len(w.Out)-1]; last != '{' && last != '[' && last != ',' {
		w.Text(",")
	}
}
