// Package sandbox limits what a program that may be malicious can touch: a Policy says what, as a value, and a helper process
// applies it with Landlock, a filter of system calls (seccomp) and resource limits to itself before it becomes the program. The
// helper is the program that imports this package, started again.
//
// Landlock (https://docs.kernel.org/userspace-api/landlock.html) needs no rights and holds for the program and all that it
// starts. What it can forbid depends on the version that the kernel has. The filter closes what Landlock does not rule on: sockets, System
// V's objects, namespaces, and large interfaces of the kernel. Gaps says in words what is left.
//
//	Policy -> helper process -> Landlock, seccomp, resource limits -> the program
//	Landlock's version -> Gaps: what it cannot forbid
package sandbox
