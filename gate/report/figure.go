package report

// Figure is a picture as data.
type Figure struct {
	Caption Text
}
