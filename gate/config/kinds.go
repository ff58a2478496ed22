package config

import "github.com/org/perfgate/gate/benchmark"

// What a kernel is made of says what can be done with it. Other packages ask these questions, and HasAdapter, in place of looking for its parts.

// IsSelfTimed says that a benchmark times the kernel and says which cases it has: these are rows, and no values of parameters.
func (k Kernel) IsSelfTimed() bool { return k.Bench != nil }

// HidesTensors says that the kernel is a benchmark and nothing else: no adapter shows its tensors, so that limits and parity do not apply.
func (k Kernel) HidesTensors() bool { return k.IsSelfTimed() && !k.HasAdapter() }

// IsInterpreted says that an interpreter runs the adapter.
func (k Kernel) IsInterpreted() bool { return IsPython(k.Adapter) }

// IsCompiled says that the adapter is compiled before it runs, by perfgate or by a command.
func (k Kernel) IsCompiled() bool { return k.HasAdapter() && !k.IsInterpreted() }

// ReadsWhenRun says that the kernel reads files of any kind when it runs, so that its build does not tell which.
func (k Kernel) ReadsWhenRun() bool { return k.IsSelfTimed() || k.IsInterpreted() }

// Format is that of the kernel's benchmark; nil where it has none.
func (k Kernel) Format() benchmark.Format {
	if k.Bench == nil {
		return nil
	}
	format, _ := benchmark.Named(k.Bench.Format) // a configuration with another is refused
	return format
}

// Command is a command of the configuration, for sh, by the key that has it.
type Command struct{ Key, Line string }

// Commands are those that build a kernel or run it. They read what they like.
func (k Kernel) Commands() []Command {
	var out []Command
	add := func(key, line string) {
		if line != "" {
			out = append(out, Command{key, line})
		}
	}
	if k.Build != nil {
		add("build", k.Build.Command)
	}
	if k.Bench != nil {
		add("build", k.Bench.Build)
		add("bench", k.Bench.Command)
		if k.Bench.Check != nil {
			add("check", k.Bench.Check.Command)
		}
	}
	return out
}

// RunsCommands says whether commands, or a script, of the configuration build the kernel or run it.
func (k Kernel) RunsCommands() bool { return k.Build != nil || k.Bench != nil }

// BuildsByCommand says whether a command builds the kernel or its benchmark.
func (k Kernel) BuildsByCommand() bool {
	return k.Build != nil || k.Bench != nil && k.Bench.Build != ""
}

// AsksOtherwise says whether another configuration asks something else of a kernel's cases: of an adapter by what CaseHash names, of a benchmark, which
// says itself what it times, by any of its keys.
func (c *Config) AsksOtherwise(other *Config, kernel string) bool {
	k, _ := c.Kernel(kernel)
	return k.IsSelfTimed() && len(DiffRules(other, c, []string{kernel})) > 0 || other.CaseHash(kernel) != c.CaseHash(kernel)
}

// IsInterpreted says that an interpreter runs a competitor's adapter.
func (r Competitor) IsInterpreted() bool { return IsPython(r.Adapter) }
