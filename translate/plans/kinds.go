package plans

// Kinds returns the session updates that concern plans.
func Kinds() []string { return []string{legacyUpdate, planUpdate, removalUpdate} }
