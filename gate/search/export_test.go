package search

// What tests of the package see of it.
const AssumedProcessSD = assumedProcessSD

var ReadResult = readResult
