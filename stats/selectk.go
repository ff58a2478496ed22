package stats

// kthLargest returns the k-th largest value, 1 <= k <= len(xs), and reorders xs (Hoare's selection).
func kthLargest(xs []float64, k int) float64 {
	lo, hi, want := 0, len(xs)-1, len(xs)-k
	for lo < hi {
		pivot := xs[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for xs[j] > pivot {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		switch {
		case want <= j:
			hi = j
		case want >= i:
			lo = i
		default:
			return xs[want]
		}
	}
	return xs[want]
}
