package report

import "fmt"

// Setup is what a verb that begins a project wrote and found, and what comes next.
type Setup struct {
	Written, Kept []string // files, and those that were there already
	Found, Notes  []string // what was recognised and chosen, and what to know of it
	Steps         []Step
}

// Step is what to do next, and the command for it; "" where there is none.
type Step struct{ What, Command string }

// Document lists what was done before what is left to do.
func (s Setup) Document() Document {
	var files []Item
	for _, path := range s.Written {
		files = append(files, Item{Label: "wrote", Text: code(path)})
	}
	for _, path := range s.Kept {
		files = append(files, Item{Label: "unchanged", Text: code(path)})
	}
	var steps []Block
	for i, step := range s.Steps {
		steps = append(steps, logOf(fmt.Sprintf("step-%d", i+1), Say(step.What), Plain, step.Command, nil))
	}
	return Document{Blocks: append(filled(pointsOf("found", Always, Plain, plainNotes(s.Found)), Block{Key: "files", List: files}, notesOf(plainNotes(s.Notes))), steps...)}
}
