package shapes

import "acp-plan-proxy/transport/rawjson"

// PermissionOption is an option of a permission request. In version 1, reject_once replaces kinds
// that only version 2 has, so that no client selects such an option automatically.
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

// PermissionAnswer writes the result of a permission request. It returns the id of the option that
// the user has chosen, if any. A result that cannot be read, or that the target version may not
// know, becomes NoPermission.
func PermissionAnswer(w *Writer, result []byte) (option []byte, chosen bool) {
	o := rawjson.Members(result)
	outcome := o.Object("outcome")
	kind, _ := outcome.Text("outcome")
	option, chosen = outcome.Text("optionId")
	chosen = chosen && string(kind) == "selected"
	if !chosen && (string(kind) != "cancelled" || option != nil) { // some agents read only the id
		w.JSON(NoPermission)
		return nil, false
	}
	Object{{"outcome", Object{}}}.writeMembers(w, o)
	return option, chosen
}
