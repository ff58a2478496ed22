// Package explain says why one kernel takes longer than another, from two profiles of Nsight Compute.
//
//	two profiles -> pairs of launches -> account of time by term -> causes with their shares, or the word "unexplained"
//
// A kernel's cycles follow from four numbers that every profile has (Little's law, applied to warps):
//
//	cycles = instructions · latency / (warps · schedulers)
//
// instructions are those executed by warps, latency is the mean number of cycles from one issue of a warp to its next (what
// Nsight calls warp cycles per issued instruction, the sum of the stall reasons and the issue itself), warps is the mean
// number of resident warps of a scheduler over all elapsed cycles. The logarithm of the ratio of two kernels' cycles is
// therefore a sum: more instructions + fewer warps + longer latency. Each term is split further by what the counters say of
// it, and where one unit (DRAM, L2, L1, the issue slots, a pipe) is close to its peak on the slower side, that unit's work
// decides instead. Several kernels of one launch are weighted with logarithmic means, which keeps the sum exact (the LMDI
// of B. W. Ang, Energy Policy 32, 2004).
//
// A cause is named where it covers at least half of the log ratio that the gate measured. Nothing is named otherwise.
package explain
