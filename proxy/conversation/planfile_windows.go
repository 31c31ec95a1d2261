package conversation

import "os"

func openPlanFile(path string) (*os.File, error) { return os.Open(path) }
