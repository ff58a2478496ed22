package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Within writes a policy to a new file, for a program that reads it and takes it upon itself: the filter of system calls; a second one for
// when it has opened what it needs, where that is stricter: without sockets; what Landlock is to forbid in hexadecimal; then for each
// exception what is allowed in hexadecimal, a blank and the path; each ended by a zero byte. An instruction of a filter has 16 hexadecimal
// digits (code in 4, jumps in 2 each, constant in 8); without seccomp there is none. For a program that another one starts in a sandbox: of
// files and system calls, both policies hold, and the outer one alone of all else.
func Within(p Policy, file string) error {
	var text bytes.Buffer
	if err := p.writeFilter(&text); err != nil {
		return err
	}
	text.WriteByte(0)
	if p.Sockets {
		later := p
		later.Sockets = false
		if err := later.writeFilter(&text); err != nil {
			return err
		}
	}
	text.WriteByte(0)
	forbidden := filesOf(LandlockABI())
	fmt.Fprintf(&text, "%x\x00", uint64(forbidden))
	for _, a := range p.accesses() {
		fmt.Fprintf(&text, "%x %s\x00", uint64(a.rights&forbidden), a.path)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the policy: %w", err)
	}
	_, err = f.Write(text.Bytes())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the policy: %w", err)
	}
	return nil
}

func (p Policy) writeFilter(to io.Writer) error {
	if !Seccomp() {
		return nil
	}
	filter, err := p.filter(0)
	if err != nil {
		return err
	}
	for _, i := range filter {
		fmt.Fprintf(to, "%04x%02x%02x%08x", i.Op, i.Jt, i.Jf, i.K)
	}
	return nil
}
