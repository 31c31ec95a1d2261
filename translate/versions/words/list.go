package words

import "acp-plan-proxy/transport/rawjson"

// A list is the members of an object or the elements of an array that are being
// written, with commas between them.
type list []byte

// addText adds a member, name and value, or an element as it is written.
func (l *list) addText(text []byte) {
	l.next()
	*l = append(*l, text...)
}

func (l *list) add(name string, value []byte) {
	l.next()
	*l = append(rawjson.AppendQuoted(*l, name), ':')
	*l = append(*l, value...)
}

func (l *list) addString(name string, s []byte) { l.add(name, rawjson.AppendQuoted(nil, s)) }

// addObjects adds each of the named members of o whose value is an object.
func (l *list) addObjects(o rawjson.Object, names ...string) {
	for _, name := range names {
		if value := o.Get(name); isObject(value) {
			l.add(name, value)
		}
	}
}

// addUnlessEmpty adds an object of the members if there are any.
func (l *list) addUnlessEmpty(name string, members list) {
	if len(members) > 0 {
		l.add(name, members.object())
	}
}

func (l *list) next() {
	if len(*l) > 0 {
		*l = append(*l, ',')
	}
}

func (l list) object() []byte { return append(append([]byte("{"), l...), '}') }

func (l list) array() []byte { return append(append([]byte("["), l...), ']') }

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

func isTrue(value []byte) bool { return string(value) == "true" }
