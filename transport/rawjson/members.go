package rawjson

// With returns a copy of a JSON object in which the member at a path has another raw
// value, or is removed if value is nil. With appends missing members on the path, and
// replaces values on it that are not objects. All other bytes are unchanged. If a name is
// repeated, With changes each member of that name. An object that is not valid JSON is returned
// unchanged.
func With(text, value []byte, path ...string) []byte {
	var c Cursor
	c.Reset(text)
	if c.Kind() != '{' {
		if value == nil {
			return text
		}
		text = []byte("{}")
		c.Reset(text)
	}
	var members []Member
	var named []bool
	for more := c.Object(); more; more = c.NextMember() {
		m := Member{Start: c.Offset()}
		named = append(named, string(c.Name()) == path[0])
		m.Value = c.Offset()
		c.Skip()
		m.End = c.Pos()
		members = append(members, m)
	}
	if c.Err() != nil {
		return text
	}
	newValue := func(old []byte) []byte {
		if len(path) == 1 {
			return value
		}
		return With(old, value, path[1:]...)
	}
	e := Edit(nil, text, 0)
	found, keptBefore := false, false
	for i, m := range members {
		if named[i] {
			found = true
			edited := newValue(text[m.Value:m.End])
			if edited == nil {
				e.Cut(CutSpan(members, i, keptBefore))
				continue
			}
			e.Replace(m.Value, m.End, string(edited))
		}
		keptBefore = true
	}
	if added := newValue(nil); !found && added != nil {
		if len(members) > 0 {
			e.CopyTo(members[len(members)-1].End)
			e.Out = append(e.Out, ',')
		} else {
			e.CopyTo(c.Pos() - 1)
		}
		e.Out = append(append(AppendQuoted(e.Out, path[0]), ':'), added...)
	}
	return e.Finish(len(text))
}
