package history

var _ = 1
