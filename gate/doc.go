// Package gate has no code itself: it is the picture of all packages below. A run is data on its way, and each step leaves a value that
// can be printed, saved and replayed:
//
//	perfgate.yaml
//	  -> configuration              gate/config
//	  -> cases; base and head       gate/plan; gate/repo
//	  -> builds                     kernels
//	  -> parity                     gate/parity
//	  -> samples of processes       gate/measure
//	  -> comparison, verdict        gate/rule: Compare, Decide, for each case
//	  -> evidence                   gate/profile, gate/profile/explain
//	  -> findings, exit code        gate/rule: Conclude, for the run
//	  -> result.json                gate/result
//	  -> report, comment, record    gate/report, gate/render, gate/github, gate/baseline
//
// gate/run runs these steps in order. Everything after the samples can be repeated from a saved result: gate/rule, Replay.
//
// # Packages
//
// A package imports only what stands above it.
//
//	ground: types and arithmetic; no clock, no dice
//	  stats                       statistics with their sources
//	  gate/text                   numbers, units, visible text, widths, lines that are safe in logs
//	  gate/untrusted              reads files that others may have made
//	  gate/saved                  the codec of every JSON document that perfgate keeps
//	  gate/result                 a run as data: cases, processes, comparisons, findings, evidence
//	  gate/rule                   samples to comparison, verdict, findings and exit code; replay and merge
//
//	processes: processes that perfgate starts, and where they run
//	  gate/machine                this machine, its GPUs, locks and clocks
//	  kernels/observe             which files a process tree asks the Linux kernel for
//	  kernels/sandbox             what a process may touch: Landlock, seccomp
//	  kernels/child               supervised processes, some of them prestarted, that leave nothing behind
//	  kernels/task                tasks of kernel competitions: their formats
//	  kernels/checkout            what leads from this process into a checkout
//	  kernels                     builds adapters, and talks to the processes that load them
//
//	what to do: what a run is asked for: configuration, cases, sides
//	  gate/benchmark              benchmarks and sample files that a team has: their formats
//	  gate/config                 perfgate.yaml, read strictly
//	  gate/plan                   cases that are timed, cases that are fuzzed, shards
//	  gate/repo                   git: both sides, and what differs between them
//
//	over time: what was measured before
//	  gate/baseline               records: what commits measured, stores, screening
//	  gate/history                levels of a case over time, their change points, drift
//	  gate/drift                  the default branch and its machine, compared with records
//
//	stages: a run, step by step
//	  gate/parity                 is head right: fuzzing, shrinking, tolerance, the output checker
//	  gate/measure                rounds of fresh processes, of adapters and of benchmarks, until a stop rule holds
//	  gate/profile                Nsight Compute, counters and compiled code, as data
//	  gate/profile/explain        two profiles to a cause
//	  gate/identity               are both sides the same to the processes that run them?
//	  gate/run                    the stages in order: build, parity, rounds, evidence, result
//	  gate/request                the option table; flags or a job request, to the options of a run or to an open store
//
//	around a run: several runs, and what was saved
//	  gate/search                 bisect, drift, judge, versus and compare: what is measured or compared
//
//	saying it: results for people and other programs
//	  gate/report                 what a report says: a document with every sentence, table and figure
//	  gate/render                 that document: terminal, Markdown, HTML, JUnit, CSV
//	  gate/github                 comment, check run, commit status; the event; the log of a job
//	  gate/action                 steps of the GitHub action, trust, the workflows that init writes
//
//	without a run: what a person does before the first run, and tests of perfgate itself
//	  gate/trial                  tries a team's benchmark, to write its first configuration
//	  gate/simulate               error rates and power of the rule, simulated
//	  gate/doctor                 is this machine fit to measure?
//
//	command line: what a person types
//	  cmd/perfgate                a file for each verb: flags, one call, one answer
//	  cmd/simulate                prints the tables of a simulation
//
//	support of tests: and of contributors; the product imports none of it
//	  docs                        tests of what pages say of each other
//	  docs/gallery                a program for one of its pictures
//	  gate                        the picture of all, as a package comment
//	  cmd/perfgate/stories        what users do with the command, from a shell
//	  cmd/perfgate/usertest       a user of the command
//	  gate/action/e2e             the action and its workflows, run by a workflow engine
//	  gate/internal/comments      comments of types and fields, which pages are made of
//	  gate/internal/fakegithub    GitHub's REST API, with state
//	  gate/internal/layout        this table, and tests of the architecture
//	  gate/internal/layout/count  prints lines and budgets
//	  gate/internal/machinetest   NVIDIA drivers and GPUs that are mocks
//	  gate/internal/markdowntest  what GitHub would act on in Markdown
//	  gate/internal/ruletest      cases that the rule has decided
//	  kernels/kernelstest         builds and runs kernels
//	  kernels/kernelstest/fakeharness a harness process that times nothing: adapters say what launches take
package gate
