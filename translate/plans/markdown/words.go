package markdown

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsText string

// A group is a bit set of the groups in words.txt.
type group uint16

const (
	stepsWords group = 1 << iota
	workWords
	contextWords
	checksWords
	laterWords
	groupsWords
	tasksWords
	statusWords
	doneWords
	doingWords
	waitingWords
)

// A vocabulary holds the content of words.txt.
type vocabulary struct {
	words   map[string]group    // whole words, including those of scripts without spaces, and phrases
	stems   map[string]group    // beginnings of words
	phrases map[string][]string // by the first word
}

// Limits of a lookup.
const (
	shortestStem    = 3   // letters
	longestUnspaced = 6   // letters of a word of a script without spaces
	longestName     = 160 // bytes of a name; further bytes are ignored
)

var theVocabulary = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{map[string]group{}, map[string]group{}, map[string][]string{}}
	names := map[string]group{
		"steps": stepsWords, "work": workWords, "context": contextWords, "checks": checksWords, "later": laterWords,
		"groups": groupsWords, "tasks": tasksWords,
		"status": statusWords, "done": doneWords, "doing": doingWords, "waiting": waitingWords,
	}
	var g group
	for line := range strings.Lines(wordsText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0][0] == '[':
			g = names[strings.Trim(words[0], "[]")]
		default:
			for _, w := range words[1:] {
				v.add(w, g)
			}
		}
	}
	return v
})

func (v *vocabulary) add(word string, g group) {
	if stem, ok := strings.CutSuffix(word, "*"); ok {
		v.stems[stem] |= g
		return
	}
	first, _, isPhrase := strings.Cut(word, "_")
	word = strings.ReplaceAll(word, "_", " ")
	if isPhrase {
		v.phrases[first] = append(v.phrases[first], word)
	}
	v.words[word] |= g
}

// A lookup is the result of looking up a name.
type lookup struct {
	groups    group
	head      group // groups of the first word
	lead      group // groups of the first word for steps or context
	last      group // groups of the last word
	wordCount int   // number of words
}

// add adds the groups of the word at an offset of the name.
func (f *lookup) add(offset int, g group) {
	const leading = stepsWords | contextWords
	if offset == 0 {
		f.head |= g
	}
	if f.groups&leading == 0 {
		f.lead = g & leading
	}
	f.groups |= g
}

// lookUp looks up a name, word by word. It skips code spans: names of files and symbols do not
// classify a section.
func lookUp(name string) (f lookup) {
	v := theVocabulary()
	name = plainWords(name)
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == ' ' {
			i++
			continue
		}
		f.wordCount++
		if isUnspaced(r) {
			end := i
			for range longestUnspaced {
				r, size := utf8.DecodeRuneInString(name[end:])
				if !isUnspaced(r) {
					break
				}
				end += size
				f.add(i, v.words[name[i:end]]|v.phrasesIn(name[i:], name[i:end]))
			}
			i += size
			continue
		}
		end := len(name)
		if length := strings.IndexFunc(name[i:], func(r rune) bool { return r == ' ' || isUnspaced(r) }); length >= 0 {
			end = i + length
		}
		word := name[i:end]
		f.last = v.words[word]
		g := f.last | v.stems[word] | v.phrasesIn(name[i:], word)
		for n := range word {
			if n >= shortestStem {
				g |= v.stems[word[:n]]
			}
		}
		f.add(i, g)
		i = end
	}
	return f
}

// phrasesIn returns the groups of the phrases at the start of text, whose first word is word.
func (v *vocabulary) phrasesIn(text, word string) (g group) {
	for _, phrase := range v.phrases[word] {
		if after, ok := strings.CutPrefix(text, phrase); ok && (after == "" || after[0] == ' ') {
			g |= v.words[phrase]
		}
	}
	return g
}

// plainWords returns a name in lower case, without punctuation, and with single spaces.
func plainWords(name string) string {
	if len(name) > longestName {
		name = name[:longestName]
	}
	words := make([]byte, 0, longestName+utf8.UTFMax)
	inCode, gap := false, false
	for _, r := range name {
		if r == '`' {
			inCode = !inCode
		}
		if inCode || !isWord(r) {
			gap = len(words) > 0
			continue
		}
		if gap {
			words = append(words, ' ')
			gap = false
		}
		words = utf8.AppendRune(words, unicode.ToLower(r))
	}
	return string(words)
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// isUnspaced reports whether r is of a script without spaces, or of Korean, whose words
// change at the end.
func isUnspaced(r rune) bool {
	return 0x2e80 <= r && r <= 0xd7a3 && (r < 0x3000 || 0x3040 < r) || 0xf900 <= r && r <= 0xfaff || 0x20000 <= r && r <= 0x3ffff
}

// A hint classifies a section by its heading. Sections with a hint up to forWork may contain the steps.
type hint int8

const (
	neutral    hint = iota
	forSteps        // the steps
	forWork         // the work itself
	forContext      // background and decisions
	forChecks       // verification and acceptance
	forLater        // work after this plan
)

// hintOf classifies the heading of a section.
func hintOf(name string) hint {
	f := lookUp(name)
	steps, context := f.groups&stepsWords != 0, f.groups&contextWords != 0
	switch {
	case f.groups&laterWords != 0:
		return forLater
	case f.groups&checksWords != 0:
		return forChecks
	case steps && context:
		// The first word decides: "Order of work and dependencies", "Dependencies
		// between phases".
		if f.lead == stepsWords {
			return forSteps
		}
		return forContext
	case context:
		return forContext
	case steps, f.groups&workWords != 0 && f.last&workWords != 0 && f.wordCount <= 3 && endsWithPlan(name):
		return forSteps
	case f.groups&workWords != 0:
		return forWork
	}
	return neutral
}

// leadHint classifies a list by the line before it, if that is short and ends with a colon. A hint
// against the list must be in the first words: "Fix the issues:" is followed by steps.
func leadHint(lead string) hint {
	if !strings.HasSuffix(lead, ":") || strings.Count(lead, " ") > 2 {
		return neutral
	}
	hint := hintOf(lead)
	if hint > forWork && lookUp(lead).head&(contextWords|checksWords|laterWords) == 0 {
		return neutral
	}
	return hint
}

// endsWithPlan reports whether a name is "Plan", "Implementation plan" and so on.
func endsWithPlan(name string) bool {
	return strings.HasSuffix(" "+plainWords(name), " plan")
}
