package child

import (
	"cmp"
	"sync"
)

// Each does n pieces of work, at most so many at a time, and returns the error of the first that failed. A piece that says that other pieces may have
// spoiled it is done again, alone. alone is nil in parallel; else it has the pieces that are left to be done alone, i first: all pieces where most is 1.
func Each(n, most int, do func(i int, alone []int) (spoiled bool, err error)) error {
	errs, again := make([]error, n), make([]bool, n)
	slots := make(chan struct{}, max(1, most))
	var running sync.WaitGroup
	for i := range n {
		if again[i] = most < 2; again[i] {
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			again[i], errs[i] = do(i, nil)
		})
	}
	running.Wait()
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	var left []int
	for i, is := range again {
		if is {
			left = append(left, i)
		}
	}
	for ; len(left) > 0; left = left[1:] {
		if _, err := do(left[0], left); err != nil {
			return err
		}
	}
	return nil
}
