package plans

// Merge is how several live plans become the one plan of a legacy client.
type Merge string

// The values of --merge.
const (
	MergeAll    Merge = "all"    // all of them, one after another
	MergeLatest Merge = "latest" // the one that was updated last
)

// Markdown is how a markdown plan becomes entries.
type Markdown string

// The values of --markdown.
const (
	MarkdownBoth    Markdown = "both"    // entries, and the text as a message
	MarkdownEntries Markdown = "entries" // its tasks, steps or items, an entry each
	MarkdownText    Markdown = "text"    // one entry, the text as it is
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

// Empty is what an empty legacy plan becomes for a client of plan operations.
type Empty string

// The values of --empty.
const (
	EmptyUpdate Empty = "update" // a plan without entries
	EmptyRemove Empty = "remove" // the removal of the plan
)

// Options are a user's choices. All fields must be set.
type Options struct {
	SyntheticID string // the id given to a legacy plan
	Merge       Merge
	Markdown    Markdown
	Files       Files
	Empty       Empty

	// ReadFile reads a plan file by its absolute path. The error says why the
	// file could not be read.
	ReadFile func(path string) ([]byte, error)
}
