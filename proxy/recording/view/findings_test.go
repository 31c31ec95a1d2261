package view

import "testing"

// beginLines are the first events of a version 1 conversation with session s.
var beginLines = []string{
	`{"type":"request","ts":0,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":{}}}}`,
	`{"type":"response","ts":0,"from":"Agent","to":"Client","id":1,"is_error":false,"payload":{"protocolVersion":1}}`,
	`{"type":"request","ts":0,"protocol":"acp","from":"Client","to":"Agent","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`,
	`{"type":"response","ts":0,"from":"Agent","to":"Client","id":2,"is_error":false,"payload":{"sessionId":"s"}}`,
	`{"type":"request","ts":1,"protocol":"acp","from":"Client","to":"Agent","id":3,"method":"session/prompt","session":"s","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go"}]}}`,
}

// TestFindings checks that the page shows the findings of lint, and that the user's view contains
// nothing of a session that the client does not know.
func TestFindings(t *testing.T) {
	const unknownSession = `{"type":"notification","ts":2,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","session":"t","params":{"sessionId":"t","update":{"sessionUpdate":"plan","entries":[{"content":"Read","priority":"high","status":"pending"}]}}}`
	lines := append(beginLines[:5:5], unknownSession,
		updateLine(3, "Agent", "Proxy", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"- [ ] Write"}}`),
		updateLine(3, "Proxy", "Client", `{"sessionUpdate":"plan","entries":[{"content":"Write","priority":"medium","status":"pending"}]}`),
		updateLine(4, "Agent", "Proxy", `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"q","entries":[{"content":"Test","priority":"high","status":"pending"}]}}`),
		updateLine(4, "Proxy", "Client", `{"sessionUpdate":"plan","entries":[{"content":"Test","priority":"high","status":"pending"}]}`))
	b := newBrowser(t)
	b.openAt(serve(t, recordLines(t, lines...)), "#6")
	b.await(`document.querySelector("#count-finding").textContent === "1 finding" && document.querySelectorAll(".row .finding").length === 1`)
	b.await(`document.querySelector(".findings").innerText.includes("(unknown-session). This is the agent’s mistake.")`)
	b.hasTexts("#client-plans", "No plan.")
	b.selectEvent("#9")
	b.hasTexts("#explanation p", "The agent sent plan “q” as a list: 1 entry.|The client, which knows one list only, got one: 1 entry.")

	// A search without a hit, under a filter, removes the highlights.
	b.selectOption("kind", "Plans")
	b.search("Test")
	b.await(`CSS.highlights.get("hit").size > 0`)
	b.search("Testimony")
	b.await(`CSS.highlights.get("hit").size === 0`)

	b.openAt(serve(t, recordLines(t, append(beginLines[:5:5], `{"type":"response","ts":3,"from":"Agent","to":"Client","id":3,"is_error":false,"payload":{"stopReason":"end_turn"}}`)...)), "")
	b.await(`document.querySelector("#judged").textContent === "No errors, losses or findings."`)
	b.openAt(serve(t, recordLines(t, lines[5])), "")
	b.await(`document.querySelector("#judged").textContent.startsWith("Not judged: the recording has no initialize")`)
}
