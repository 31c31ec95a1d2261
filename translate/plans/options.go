package plans

// Markdown is how a markdown plan becomes entries.
type Markdown string

// The values of --markdown.
const (
	MarkdownBoth    Markdown = "both"    // entries, and the text as a message
	MarkdownEntries Markdown = "entries" // its tasks, steps or items, an entry each
	MarkdownDrop    Markdown = "drop"    // none
)

// Files is what becomes of a file plan.
type Files string

// The values of --files.
const (
	FilesRead Files = "read" // the file is read, as markdown
	FilesLink Files = "link" // the name of the file
	FilesDrop Files = "drop" // none
)

// Options are a user's choices. All fields must be set.
type Options struct {
	SyntheticID string // the id given to a legacy plan
	Markdown    Markdown
	Files       Files

	// ReadFile reads a plan file by its absolute path. The error says why the
	// file could not be read.
	ReadFile func(path string) ([]byte, error)
}
