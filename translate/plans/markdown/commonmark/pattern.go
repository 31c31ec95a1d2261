package commonmark

import (
	"regexp"
	"sync"
)

// A pattern is a regular expression that is compiled when it is used first: to compile it
// takes longer than to read most texts, and every start of the program would pay for it.
type pattern struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// find returns where in s the pattern matches, nil if it does not.
func (p *pattern) find(s []byte) []byte {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled.Find(s)
}
