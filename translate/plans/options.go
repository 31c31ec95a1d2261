package plans

// Markdown selects the form of a markdown plan for a legacy client.
type Markdown string

// The values of --markdown.
const (
	MarkdownBoth    Markdown = "both"    // entries, and the text as a message
	MarkdownEntries Markdown = "entries" // entries
	MarkdownDrop    Markdown = "drop"    // neither, except the text of a plan to approve, as a message
)

// Files selects the form of a file plan.
type Files string

// The values of --files.
const (
	FilesRead Files = "read" // the text of the file, as a markdown plan
	FilesLink Files = "link" // a link to the file
	FilesDrop Files = "drop" // nothing
)

// Options are the user's settings. All fields must be set.
type Options struct {
	SyntheticID string // the id given to a legacy plan
	Markdown    Markdown
	Files       Files

	// ReadFile reads the plan file at an absolute path. Its error is logged.
	ReadFile func(path string) ([]byte, error)
}
