package shapes

import "acp-plan-proxy/transport/rawjson"

// PermissionOption is what a user can answer to a permission request. An option of a
// kind that version 1 lacks is a rejection there: nothing must choose it by itself.
var PermissionOption = Object{
	{"optionId", must{String}},
	{"name", must{String}},
	{"kind", towards{or{word{"allow_once", "allow_always", "reject_once", "reject_always"}, `"reject_once"`}, must{String}}},
}

// Answers that say that the user has cancelled.
const (
	NoPermission = `{"outcome":{"outcome":"cancelled"}}`
	NoForm       = `{"action":"cancel"}`
)

// PermissionAnswer writes the answer to a permission request. It returns the option
// that the user has chosen; chosen is false without one. An answer that cannot be read,
// or that the other version may not know, approves nothing.
func PermissionAnswer(w *Writer, result []byte) (option []byte, chosen bool) {
	o := rawjson.Members(result)
	outcome := o.Object("outcome")
	kind, _ := outcome.Text("outcome")
	option, chosen = outcome.Text("optionId")
	chosen = chosen && string(kind) == "selected"
	if !chosen && string(kind) != "cancelled" {
		w.JSON(NoPermission)
		return nil, false
	}
	Object{{"outcome", Object{}}}.write(w, o)
	return option, chosen
}
