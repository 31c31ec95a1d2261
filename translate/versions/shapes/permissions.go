package shapes

import "acp-plan-proxy/transport/rawjson"

// PermissionOption is an option of a permission request. An option of a kind that version 1
// lacks is a rejection there, so that no client selects it automatically.
var PermissionOption = Object{
	{"optionId", mustString},
	{"name", mustString},
	{"kind", towards{orDefault{oneOf{"allow_once", "allow_always", "reject_once", "reject_always"}, `"reject_once"`}, mustString}},
}

// Results for a question that the user has cancelled.
const (
	NoPermission = `{"outcome":{"outcome":"cancelled"}}`
	NoForm       = `{"action":"cancel"}`
)

// PermissionAnswer writes the result of a permission request. It returns the option that the
// user has chosen, if any. A result that cannot be read, or that the other version may not
// know, approves nothing.
func PermissionAnswer(w *Writer, result []byte) (option []byte, chosen bool) {
	o := rawjson.Members(result)
	outcome := o.Object("outcome")
	kind, _ := outcome.Text("outcome")
	option, chosen = outcome.Text("optionId")
	chosen = chosen && string(kind) == "selected"
	if !chosen && (string(kind) != "cancelled" || option != nil) { // some agents read the id alone
		w.JSON(NoPermission)
		return nil, false
	}
	Object{{"outcome", Object{}}}.writeMembers(w, o)
	return option, chosen
}
