// Package observe sees which files a process tree asks the Linux kernel for: opened, looked up, listed or started, whatever came of it.
//
// Install puts a seccomp filter with a listener on the calling thread, which then becomes the program. The Linux kernel stops each system
// call that takes or reveals a path until the process that holds the listener has answered; Listen reads the path from the memory of the
// caller, records it, and lets the call go on as if nothing had happened (SECCOMP_USER_NOTIF_FLAG_CONTINUE).
//
// What it is no barrier against: between reading and going on, code that wants to can put another path into its memory. So a report is
// evidence about processes whose code was reviewed. It does not see what no system call shows: cpuid, the auxiliary vector, the vDSO's clocks;
// nor time, randomness, scheduling, and what /proc says of other processes, which are no files.
//
//	thread -> seccomp filter and listener -> paths of each system call -> Report: path, how it was asked for, what came of it
package observe
