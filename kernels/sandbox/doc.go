// Package sandbox limits what a program that may be hostile can touch: a Policy says what, as a value, and a helper process
// applies it with Landlock and resource limits to itself before it becomes the program.
//
// Landlock (https://docs.kernel.org/userspace-api/landlock.html) needs no rights and holds for the program and all that it
// starts. What it can forbid depends on the version that the kernel has; Gaps says in words what is left.
package sandbox
