// Package export writes a run for other programs: JUnit XML for the dashboards of CI services, and CSV. Both say what the report says, and
// what was not compared is in neither of them a success.
package export
