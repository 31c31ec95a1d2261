package versions

import "acp-plan-proxy/transport/rawjson"

// A list is the members of an object or the elements of an array that are being
// written, with commas between them.
type list []byte

func (l *list) next() {
	if len(*l) > 0 {
		*l = append(*l, ',')
	}
}

func (l *list) add(name string, value []byte) {
	l.next()
	*l = append(rawjson.AppendQuoted(*l, name), ':')
	*l = append(*l, value...)
}

// addObject adds the member if its value is an object.
func (l *list) addObject(name string, value []byte) {
	if isObject(value) {
		l.add(name, value)
	}
}

// addList adds an object of the members if there are any.
func (l *list) addList(name string, members list) {
	if len(members) > 0 {
		l.add(name, append(append([]byte("{"), members...), '}'))
	}
}

// comma writes a comma unless an object or array has just begun.
func comma(out []byte) []byte {
	if last := out[len(out)-1]; last == '{' || last == '[' {
		return out
	}
	return append(out, ',')
}

func appendName(out []byte, name string) []byte {
	out = append(comma(out), '"')
	return append(append(out, name...), `":`...)
}

func appendField(out []byte, f rawjson.Field) []byte { return append(comma(out), f.Text...) }
