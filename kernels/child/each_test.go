package child

import (
	"errors"
	"slices"
	"sync"
	"testing"
)

// What others may have spoiled is done once more, in order and with nothing beside it, and nothing else is. One at a time is alone at once.
func TestEachRepeatsAloneWhatWasSpoiled(t *testing.T) {
	for most, want := range map[int][][]int{1: {{0, 1, 2, 3}, {1, 2, 3}, {2, 3}, {3}}, 3: {{1, 3}, {3}}} {
		var mu sync.Mutex
		running, beside, alone := 0, 0, [][]int(nil)
		err := Each(4, most, func(i int, left []int) (bool, error) {
			mu.Lock()
			running++
			if left == nil {
				beside++
			} else if alone = append(alone, slices.Clone(left)); running > 1 || left[0] != i {
				t.Errorf("%d of %v is one of %d", i, left, running)
			}
			mu.Unlock()
			defer func() { mu.Lock(); running--; mu.Unlock() }()
			return i%2 == 1, nil
		})
		if err != nil || !slices.EqualFunc(alone, want, slices.Equal) || beside != map[int]int{1: 0, 3: 4}[most] {
			t.Errorf("%d at once: %d beside others, alone %v, %v", most, beside, alone, err)
		}
	}
}

// The error of the first is returned, once all have ended, and nothing is done once more.
func TestEachReturnsTheFirstError(t *testing.T) {
	failed := []error{errors.New("0"), errors.New("1")}
	err := Each(2, 2, func(i int, alone []int) (bool, error) {
		if alone != nil {
			t.Error("done once more")
		}
		return true, failed[i]
	})
	if !errors.Is(err, failed[0]) {
		t.Error(err)
	}
}
