package programtest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

// TestInteropForms validates the permission requests and form results of all conversations
// about forms against the schemas of the TypeScript SDK. TestConversations checks that the
// program sends these messages.
func TestInteropForms(t *testing.T) {
	packages := needs.Packages(t, interopDir)
	watchFiles(t)
	files, err := filepath.Glob("testdata/conversations/forms/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sent := regexp.MustCompile(`(?m)^(?:agent< (\{.*"result":\{"action":.*)|client< (\{.*"session/request_permission".*))$`)
	var lines bytes.Buffer
	judgedCount := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sent.FindAllSubmatch(text, -1) {
			var message struct{ Params, Result json.RawMessage }
			if err := json.Unmarshal(bytes.Join(m[1:], nil), &message); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			schema, value := "zCreateElicitationResponse", message.Result
			if value == nil {
				schema, value = "zRequestPermissionRequest", message.Params
			}
			line, err := json.Marshal(map[string]any{"schema": schema, "value": value})
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
			judgedCount++
		}
	}
	if judgedCount < 40 {
		t.Errorf("found only %d messages", judgedCount)
	}
	judge := exec.Command("node", filepath.Join(interopDir, "judge.mjs"))
	judge.Env = append(os.Environ(), "INTEROP_PACKAGES="+packages)
	judge.Stdin, judge.Stderr = &lines, os.Stderr
	if out, err := judge.Output(); err != nil || len(out) > 0 {
		t.Errorf("%v: invalid messages:\n%s", err, out)
	}
}
