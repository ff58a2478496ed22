package result

import (
	"io"

	"github.com/org/perfgate/gate/saved"
)

// MaxArtifact is the most that is read of a result which anybody may have made, such as an artifact, in bytes. A run of 256 cases with 36
// rounds takes a third of it.
const MaxArtifact = 64 << 20

// Document is how results are saved. One that was merged of many parts may be larger than each.
var Document = saved.Kind[Result]{Schema: Schema, Bytes: 4 * MaxArtifact, Texts: Texts, Most: most}

// artifact is how a result is read that anybody may have made.
var artifact = func() saved.Kind[Result] {
	kind := Document
	kind.Bytes = MaxArtifact
	return kind
}()

// Texts are the fields that hold what people or tools wrote, of several lines; everything else is a line, such as a name.
var Texts = []string{"output", "message", "reason", "reasons", "notes", "warnings", "gaps", "passedOver", "note", "pattern", "limits", "changed", "said", "text", "cure", "facts",
	"nothing", "remedy", "missing", "how", "command", "repro"}

// ReadFile reads the result in the regular file at path. All errors name the file.
func ReadFile(path string) (*Result, error) { return Document.ReadFile(path) }

// ReadArtifact is ReadFile of what anybody may have made: at most MaxArtifact is read.
func ReadArtifact(path string) (*Result, error) { return artifact.ReadFile(path) }

// Read reads one result and nothing after it, which anybody may have made. What is wrong is a *saved.Error. Verdicts are believed as little as
// anything else: rule.Replay decides them again.
func Read(in io.Reader) (*Result, error) { return artifact.Read(in) }

// Decode is Read of a result of the user's own.
func Decode(data []byte) (*Result, error) { return Document.Decode(data) }

// WriteFile saves r at path, all of it or nothing. The folder must exist.
func WriteFile(path string, r *Result) error { return Document.Write(path, r.ruled()) }

// Write writes r as WriteFile saves it.
func Write(w io.Writer, r *Result) error { return Document.Encode(w, r.ruled()) }

// ruled is a result that names the rule.
func (r *Result) ruled() *Result {
	out := *r
	out.Policy.Rule = RuleVersion
	return &out
}
