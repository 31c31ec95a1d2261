package terminal

import (
	"errors"
	"strings"
	"testing"
)

// TestTable checks the widths of cells, with colours and without.
func TestTable(t *testing.T) {
	draw := func(color bool) string {
		var out strings.Builder
		table := NewTable(&out, color, 10, 8)
		table.Text("A heading over both of the columns")
		table.Rule()
		table.Row([]Line{{{Green, "✓"}, {"", " Größe"}}, {{Red, "abcdefgh"}, {"", "i"}}, {{"", "abcdefg"}, {Dim, "hi"}}}, table.Cell(1, Bold, "one", "two three"))
		if table.Err != nil {
			t.Error(table.Err)
		}
		return out.String()
	}
	const want = "A heading over\nboth of the\ncolumns\n──────────────────\n✓ Größe   one\nabcdefgh  two\nabcdefg…  three\n"
	if got := draw(false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	colored := draw(true)
	if plain := strings.NewReplacer(string(Green), "", string(Red), "", string(Dim), "", string(Bold), "", reset, "").Replace(colored); colored == want || plain != want {
		t.Errorf("in colours: %q", colored)
	}
}

// TestTableError checks that a table stores the first error and prints nothing behind it.
func TestTableError(t *testing.T) {
	w := &failing{}
	table := NewTable(w, false, 10)
	table.Text("one")
	table.Text("two")
	if w.writes != 1 || table.Err == nil {
		t.Errorf("%d writes, %v", w.writes, table.Err)
	}
}

type failing struct{ writes int }

func (f *failing) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("full")
}

func TestHang(t *testing.T) {
	for _, tt := range []struct {
		width int
		want  string
	}{
		{0, "label  a text of words"},
		{16, "label  a text of\n       words"},
		{3, "label  a\n       text\n       of\n       words"},
	} {
		if got := Hang("label  ", "a text  of words", tt.width); got != tt.want {
			t.Errorf("width %d: %q, want %q", tt.width, got, tt.want)
		}
	}
}
