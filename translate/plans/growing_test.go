package plans

import "testing"

// TestGrowingText tests when a legacy client receives the list of a markdown plan whose text grows.
func TestGrowingText(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "the list waits until the text is complete: until any other message of the session",
		talk: `
			> markdown p: # T\n- A\n
			< plan A
			> markdown p: # T\n- A\n- B\n
			> markdown p: # T\n- A\n- B\n- run 'go te
			> markdown p: # T\n- A\n- B\n- run 'go test'
			other> {"sessionUpdate":"x"}
			< =
			> {"sessionUpdate":"x"}
			< plan A | B | run 'go test'
			< =
			> {"sessionUpdate":"x"}
			< =`,
	}, {
		name: "the list waits until the end of the turn",
		talk: `
			> markdown p: - A\n
			< plan A
			> markdown p: - A\n- [x] B
			turn
			< plan B (completed)
			turn`,
	}, {
		name: "the list waits until the agent ends",
		talk: `
			> markdown p: - A\n
			< plan A
			> markdown p: - A\n- B
			ends
			< plan A | B`,
	}, {
		name: "a message about another plan brings the list of both",
		talk: `
			> markdown p: - A\n
			< plan A
			> markdown p: - A\n- B\n
			> markdown q: - C
			< plan [p] A | [p] B | [q] C
			> markdown p: - A\n- B\n- E
			> removed q
			< plan A | B | E
			turn`,
	}, {
		name: "of two texts that grow in turn, each completes the other",
		talk: `
			> markdown p: - A\n
			< plan A
			> markdown q: - B\n
			< plan [p] A | [q] B
			> markdown p: - A\n- C\n
			> markdown q: - B\n- D
			< plan [p] A | [p] C | [q] B
			turn
			< plan [p] A | [p] C | [q] B | [q] D`,
	}, {
		name: "the list of a complete text is not sent again if it is the same",
		talk: `
			> markdown p: - A\n
			< plan A
			> markdown p: - A\n\nThe end.
			turn`,
	}, {
		name: "headings and paragraphs wait, because more of the text may bring steps",
		talk: `
			> markdown p: # Plan\n\nSome words.
			> {"sessionUpdate":"x"}
			< plan Some words.
			< =
			> markdown p: # Plan\n\nSome words.\n\n- A
			turn
			< plan A`,
	}, {
		name: "while a text without steps waits, the list of the previous text stays",
		talk: `
			> markdown p: # One\n- A
			< plan A
			> markdown p: # Two
			turn
			< plan`,
	}, {
		name: "a plan that was removed, or became a list, has no text at the end of the turn",
		talk: `
			> markdown p: Some words.
			> removed p
			turn
			> markdown p: Some words.
			> items p: A
			< plan A
			turn`,
	}, {
		name: "a plan whose list has waited can be removed",
		talk: `
			> markdown p: Some words.
			turn
			< plan Some words.
			> removed p
			< plan`,
	}, {
		name: "the file name is the title of the complete text, too",
		talk: `
			> items q: A
			< plan A
			> markdown p /t/x.md: - B\n
			< plan [q] A | [x.md] B
			> markdown p /t/x.md: - B\n- C
			turn
			< plan [q] A | [x.md] B | [x.md] C`,
	}, {
		name: "the repetition of a text does not complete it, and shows the same list",
		talk: `
			> markdown p: Some words.
			> markdown p: Some words.
			turn
			< plan Some words.
			> markdown p: Some words.
			< plan Some words.`,
	}, {
		name: "an empty text has no entries",
		talk: `
			> markdown p: - A
			< plan A
			> markdown p:  \n
			< plan`,
	}, {
		name:   "nothing waits for a client of plan operations",
		client: newClient,
		talk: `
			> markdown p: Some words.
			< =
			turn`,
	}})
}
