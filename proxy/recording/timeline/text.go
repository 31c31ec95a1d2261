package timeline

import (
	"strings"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
)

// maxBrief limits names and ids, in characters.
const maxBrief = 200

// maxLosses limits the losses of a row.
const maxLosses = 32

func lossesOf(e *trace.Event) (lost []Loss) {
	for _, l := range e.Lost[:min(len(e.Lost), maxLosses)] {
		lost = append(lost, Loss{brief(l.Kind), brief(l.Name), brief(l.Detail)})
	}
	return lost
}

// brief truncates a name or an id that a peer has chosen.
func brief(text string) string {
	return translate.Truncate(text, maxBrief)
}

// oneLine returns text without line breaks, truncated to the given number of characters. It
// reads only the start of a long text.
func oneLine(text string, most int) string {
	if longest := 8 * most; len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "")
	}
	// A clone does not keep the long text in memory.
	return strings.Clone(translate.Truncate(strings.Join(strings.Fields(text), " "), most))
}
