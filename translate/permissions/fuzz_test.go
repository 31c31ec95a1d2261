package permissions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
)

// FuzzAnswers checks that any response of a client yields one response to the agent: the
// selected option, the agent's reject option, cancelled, or the client's error.
func FuzzAnswers(f *testing.F) {
	for _, name := range []string{"avante", "acpx", "CodeCompanion.nvim", "t3-code", "happy-cli", "hapi", "acp-ui"} {
		f.Add(name, "\x00\x00\x02", "allow", uint8(0))
		f.Add(name, "\x00\x01\x03", "reject", uint8(3))
		f.Add(name, "\x01\x01", "", uint8(6))
		f.Add(name, "\x00\x03\x02\x01\x04", "allow_once", uint8(9))
	}
	kinds := []string{"allow_once", "allow_always", "reject_once", "reject_always", "other"}
	ids := []string{"allow", "allow_once", "allow_always", "reject", "allow-once", "cancel", "proceed_once", "x"}
	// Each byte of shape is an option: its kind is in the lower three bits, its id in the others. how
	// selects an option, or unofferedID, and makes the response cancelled or an error.
	f.Fuzz(func(t *testing.T, client, shape, unofferedID string, how uint8) {
		if profileOf(client).Name == "" && client != "avante" || len(shape) > 12 {
			return
		}
		kindOf := make(map[string]string)
		var options, listed []string
		for i, b := range []byte(shape) {
			id := ids[int(b>>3)%len(ids)]
			if kindOf[id] != "" {
				id = fmt.Sprintf("%s%d", id, i)
			}
			kindOf[id] = kinds[int(b&7)%len(kinds)]
			options = append(options, id+" "+kindOf[id]+" Name"+fmt.Sprint(i))
			listed = append(listed, fmt.Sprintf(`{"optionId":%q,"kind":%q,"name":"Name%d"}`, id, kindOf[id], i))
		}
		s := newStage(client)
		original := "options 7 | [" + strings.Join(listed, ",") + "]"
		lines := templates.Send(s, "agent> "+original)
		response := ""
		allowed := "" // name of the option that the user allowed
		for range len(options) + 2 {
			var request struct {
				ID     json.RawMessage
				Method string
				Params struct {
					Options []struct{ OptionID, Name, Kind string }
				}
			}
			last := lines[strings.LastIndexByte(lines, '\n')+1:]
			if last == "client< =" && !s.checksIDs() {
				return // the client shows every option
			}
			if last == "client< =" {
				last = templates.Expand("client< " + original)
			}
			if last = strings.TrimPrefix(last, "client< "); json.Unmarshal([]byte(last), &request) != nil || request.Method != "session/request_permission" {
				t.Fatalf("the client gets %s", lines)
			}
			var offered []string
			for _, o := range request.Params.Options {
				if slices.Contains(offered, o.OptionID) {
					t.Fatalf("two options with one id: %s", last)
				}
				offered = append(offered, o.OptionID)
			}
			id := unofferedID
			if n := int(how) % (len(offered) + 2); n < len(offered) {
				id = offered[n]
			}
			if i := slices.Index(offered, id); i >= 0 && strings.HasPrefix(request.Params.Options[i].Kind, "allow") {
				allowed = request.Params.Options[i].Name
			}
			quoted, _ := json.Marshal(id)
			response = "result " + string(request.ID) + ` | {"outcome":{"outcome":"selected","optionId":` + string(quoted) + "}}"
			switch how >> 6 {
			case 1:
				response, allowed = "cancelled "+string(request.ID), ""
			case 2:
				response, allowed = "failed "+string(request.ID), ""
			}
			if lines = templates.Send(s, "client> "+response); lines == "agent< =" {
				lines = templates.Expand("agent< " + response)
			}
			if strings.HasPrefix(lines, "agent< ") {
				break
			}
		}
		var got struct {
			ID     int
			Result struct {
				Outcome struct {
					Outcome  string
					OptionID *string
				}
			}
			Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines, "agent< ")), &got); err != nil || got.ID != 7 || strings.Contains(lines, "\n") {
			t.Fatalf("the agent gets %s", lines)
		}
		o := got.Result.Outcome
		switch {
		case got.Error != nil:
			if how>>6 != 2 {
				t.Errorf("an error that the client has not given: %s", lines)
			}
		case o.Outcome == "cancelled":
			if allowed != "" {
				t.Errorf("%s was allowed, and is cancelled", allowed)
			}
		case o.OptionID == nil:
			t.Errorf("no option: %s", lines)
		case strings.HasPrefix(kindOf[*o.OptionID], "allow"):
			if !slices.Contains(options, *o.OptionID+" "+kindOf[*o.OptionID]+" "+allowed) {
				t.Errorf("the agent gets %s, allowed was %q of %q", *o.OptionID, allowed, options)
			}
		case kindOf[*o.OptionID] == "":
			t.Errorf("the agent has not offered %q", *o.OptionID)
		case allowed != "":
			t.Errorf("%s was allowed, and %s is the answer", allowed, *o.OptionID)
		}
		ended := 0
		for _, r := range s.ended.All() {
			ended += keep.EntryCost + len("7") + r.size() - asking.RequestCost
		}
		if s.pending.Len() != 0 || s.share.Used() != keep.SessionCost+ended || s.asker.Pending() != 0 {
			t.Errorf("%d requests are kept", s.pending.Len())
		}
		if again := templates.Send(s, "client> "+response); how>>6 != 2 && again != "" {
			t.Errorf("for a second response, the agent gets %s", again)
		}
	})
}
