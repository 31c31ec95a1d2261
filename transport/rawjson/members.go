package rawjson

import "slices"

// WithoutMember returns a copy of a JSON text without the member that a path of members
// leads to. Every other byte stays. It reports false if there is none. If an object has
// several members of a name, each counts.
func WithoutMember(text []byte, path ...string) ([]byte, bool) {
	return editMembers(text, path, func(e *Editor, _ *Cursor, members []Member, named func(Member) bool) (changed bool) {
		kept := false
		for i, m := range members {
			if !named(m) {
				kept = true
				continue
			}
			e.Cut(CutSpan(members, i, kept))
			changed = true
		}
		return changed
	})
}

// WithValue returns a copy of a JSON text in which the member that a path leads to has
// another value. Every other byte stays. It reports false if there is no such member. If an
// object has several members of a name, each counts.
func WithValue(text []byte, value string, path ...string) ([]byte, bool) {
	return editMembers(text, path, func(e *Editor, _ *Cursor, members []Member, named func(Member) bool) (changed bool) {
		for _, m := range members {
			if named(m) {
				e.Replace(m.Value, m.End, value)
				changed = true
			}
		}
		return changed
	})
}

// WithObject returns a copy of a JSON text in which a path of members leads to an object.
// Where there is none, an empty one is added as the last member, or takes the place of
// another value. Every other byte stays. It reports false if the object is there. text
// must be an object.
func WithObject(text []byte, path ...string) ([]byte, bool) {
	changed := false
	for i := range path {
		edited, is := editMembers(text, path[:i+1], func(e *Editor, c *Cursor, members []Member, named func(Member) bool) (changed bool) {
			found := false
			for _, m := range members {
				if !named(m) {
					continue
				}
				if found = true; text[m.Value] != '{' {
					e.Replace(m.Value, m.End, "{}")
					changed = true
				}
			}
			if found {
				return changed
			}
			end, comma := c.Pos()-1, ""
			if len(members) > 0 {
				end, comma = members[len(members)-1].End, ","
			}
			e.Replace(end, end, comma+string(AppendQuoted(nil, path[i]))+":{}")
			return true
		})
		if is {
			text, changed = edited, true
		}
	}
	return text, changed
}

// editMembers edits each object that a path without its last name leads to. edit is
// given the members of the object behind which c is; named reports whether one has the
// last name.
func editMembers(text []byte, path []string, edit func(e *Editor, c *Cursor, members []Member, named func(Member) bool) bool) ([]byte, bool) {
	var c Cursor
	c.Reset(text)
	e := Edit(nil, text, 0)
	changed := false
	var walk func(path []string)
	walk = func(path []string) {
		if c.Kind() != '{' {
			c.Skip()
			return
		}
		var members, named []Member
		for more := c.Object(); more; more = c.NextMember() {
			m := Member{Start: c.Offset()}
			is := string(c.Name()) == path[0]
			m.Value = c.Offset()
			if is && len(path) > 1 {
				walk(path[1:])
			} else {
				c.Skip()
			}
			m.End = c.Pos()
			if members = append(members, m); is {
				named = append(named, m)
			}
		}
		if len(path) == 1 && c.Err() == nil {
			changed = edit(&e, &c, members, func(m Member) bool { return slices.Contains(named, m) }) || changed
		}
	}
	if walk(path); !changed || c.Err() != nil {
		return text, false
	}
	return e.Finish(len(text)), true
}
