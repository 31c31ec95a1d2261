package v1agent

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"acp-plan-proxy/translate/versions/shapes"
)

// FuzzBridge gives a bridge the lines of any text, see bridgetest.
func FuzzBridge(f *testing.F) {
	f.Add(uint8(0xff), "")
	for _, text := range seeds() {
		f.Add(uint8(0xff), text)
		f.Add(uint8(0), text)
	}
	f.Fuzz(func(t *testing.T, can uint8, text string) {
		p := newPeer(shapes.V1Agent{
			Load: can&1 > 0, Resume: can&2 > 0, List: can&4 > 0, Close: can&8 > 0, Delete: can&16 > 0, Logout: can&32 > 0,
		})
		if err := p.Run(text); err != nil {
			t.Fatal(err)
		}
	})
}

// seeds returns the messages of each conversation in testdata.
func seeds() (conversations []string) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, talk := range strings.Split("\n"+string(text), "\n# ")[1:] {
			steps := regexp.MustCompile(`(?m)^(client>|agent>|wait) .*$`).FindAllString(talk, -1)
			conversations = append(conversations, strings.Join(steps, "\n"))
		}
	}
	return conversations
}
