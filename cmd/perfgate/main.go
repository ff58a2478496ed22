// Command perfgate is the performance gate for kernels; `perfgate help` lists its verbs.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"context"
)

func main() {
	// The first signal asks every stage to end and clean up; a second one finds the default handler and ends us at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
