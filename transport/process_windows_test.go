package transport

// actHere knows no more words than act.
func actHere(string, string) bool { return false }
