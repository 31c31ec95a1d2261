package versions

// Results are the results of requests that are the same in both versions, by the
// method's name in version 2. Of each, what the other side cannot read is left
// out; a result that lacks what is required has no form.
var Results = map[string]Shape{
	"auth/login":        {},
	"auth/logout":       {},
	"auth/status":       {{Name: "state", Convert: String, Required: true}, {Name: "accounts", Convert: Array(orLost(account.Convert, "account"))}},
	"providers/list":    {{Name: "providers", Convert: Array(orLost(provider.Convert, "provider")), Required: true}},
	"providers/set":     {},
	"providers/disable": {},
	"session/archive":   {},
	"session/set_title": {{Name: "title", Convert: String, Required: true}},
	"session/status":    {{Name: "status", Convert: String, Required: true}, {Name: "state", Convert: Leave}}, // version 1 has no states
	"session/unarchive": {},
}

var (
	account = Shape{
		{Name: "label", Convert: String, Required: true},
		{Name: "active", Convert: OrNull(Boolean)},
		{Name: "name", Convert: StringOrNull},
		{Name: "email", Convert: StringOrNull},
		{Name: "organization", Convert: StringOrNull},
	}
	provider = Shape{
		{Name: "providerId", Convert: String, Required: true},
		{Name: "supported", Convert: Array(String), Default: "[]"},
		{Name: "required", Convert: Boolean, Required: true},
		{Name: "current", Convert: OrNull(orLost(Shape{
			{Name: "apiType", Convert: String, Required: true},
			{Name: "baseUrl", Convert: withScheme, Required: true},
		}.Convert, "address of a provider"))},
	}
)

// orLost returns a Convert that notes a loss of that kind for values without a
// form.
func orLost(convert Convert, kind string) Convert {
	return func(w *Writer, value []byte) bool {
		if convert(w, value) {
			return true
		}
		w.Lose(kind, "one that cannot be read was left out")
		return false
	}
}
