package stats
