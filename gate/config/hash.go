package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
)

// CaseHash names what gives the cases of a kernel their meaning, so that records are compared only where a case is
// still the same question: the kernel's name, the names of its parameters in order, adapter, flags, interpreter, pinned
// choices, build command, the commands of its environment, cache and epoch. What changes which cases there are (values, ranges, measure), what is being tested (sources) or how results
// are judged (parity, gate) is left out: the case's name holds its values, and a record stays good when a tolerance
// moves. The result is a SHA-256 in hex; "" for a kernel that is not there.
func (c *Config) CaseHash(kernel string) string {
	k, ok := c.Kernel(kernel)
	if !ok {
		return ""
	}
	// The tags are part of the hash: renaming a Go field must not orphan every record.
	meaning := struct {
		Kernel      string   `json:"kernel"`
		Params      []string `json:"params"`
		Adapter     string   `json:"adapter"`
		Flags       []string `json:"flags"`
		Command     string   `json:"command"`
		Cache       string   `json:"cache"`
		Bench       []string `json:"bench,omitempty"`
		Python      string   `json:"python,omitempty"`
		Pin         string   `json:"pin,omitempty"`
		Environment []string `json:"environment,omitempty"`
		Epoch       int64    `json:"epoch,omitempty"` // the first one is left out
	}{Kernel: k.Name, Params: []string{}, Adapter: k.Adapter, Flags: append([]string{}, k.Flags...), Cache: k.Cache, Pin: listWords(reflect.ValueOf(k.Pin), `ordered:"no"`)}
	for _, p := range k.Params {
		meaning.Params = append(meaning.Params, p.Name)
	}
	if b := k.Bench; b != nil {
		meaning.Bench = append([]string{b.Format, b.Time, b.Build, b.Command, b.Script}, b.Args...)
		if b.Table != nil {
			meaning.Bench = append(meaning.Bench, b.Table.String())
		}
	}
	if k.NeedsPython() {
		meaning.Python = cmp.Or(k.Python, c.Python)
	}
	if e := c.EnvironmentOf(k); e != nil {
		meaning.Environment = []string{e.Fetch, e.Build}
	}
	if k.Epoch > 1 {
		meaning.Epoch = k.Epoch
	}
	if k.Build != nil {
		meaning.Command = k.Build.Command
	}
	// Strings and lists of them always marshal.
	text, _ := json.Marshal(meaning)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
