package result

import (
	"errors"
	"fmt"
	"slices"
)

// ExitError is an error that knows the exit code of the command that it ends. Err is nil where all that there is to say has been printed.
type ExitError struct {
	Code ExitCode
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns what happened.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitCode is the code.
func (e *ExitError) ExitCode() ExitCode { return e.Code }

// Usage marks an error as one that a better command line, configuration, workflow or input file cures; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{ExitUsage, err}
}

// Usagef makes such an error.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// IsUsage says whether an error is of that kind.
func IsUsage(err error) bool { return err != nil && ExitCodeOf(err) == ExitUsage }

// ExitCodeOf is the code that the first error in err's tree with a method ExitCode names. Any other error kept the command from an answer.
func ExitCodeOf(err error) ExitCode {
	var known interface{ ExitCode() ExitCode }
	if errors.As(err, &known) {
		return known.ExitCode()
	}
	return ExitNotMeasurable
}

// Worst is all errors, with the exit code of the worst: a no of the gate wins over what could not be checked.
func Worst(all ...error) error {
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	if len(all) == 0 {
		return nil
	}
	code := ExitCodeOf(all[0])
	if slices.ContainsFunc(all, func(err error) bool { return ExitCodeOf(err) == ExitFailed }) {
		code = ExitFailed
	}
	return &ExitError{Code: code, Err: errors.Join(slices.DeleteFunc(all, func(err error) bool { return err.Error() == "" })...)}
}
