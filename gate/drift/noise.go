package drift

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// A session is noisier than usual where its processes scatter more, over all cases together, than those of any usual session.
const (
	noiseRecords = 8   // fewer do not tell how much the scatter itself scatters
	noiseLatest  = 20  // records that are asked
	noiseRatio   = 1.5 // less is never worth a word
	noiseSpread  = 4   // times the usual spread of the scatter
)

// scatters are the standard deviations of a record's processes, in ln units, by case.
func scatters(r *baseline.Record) map[string]float64 {
	out := map[string]float64{}
	for _, c := range r.Cases {
		if len(c.ValuesNS) > 2 {
			out[c.Name] = max(leastScatter, math.Sqrt(stat.Variance(baseline.NewSession(c).Values, nil)))
		}
	}
	return out
}

// noise finds a session whose processes scatter more than they used to. One disturbed process moves all of its cases, so it is the median
// over the cases, and how much that differs from session to session, that decides.
func (j *judge) noise() []Finding {
	now, usual := scatters(j.session), map[string][]float64{}
	var past []map[string]float64
	for _, f := range j.past.Found.Found[:min(noiseLatest, len(j.past.Found.Found))] {
		of := scatters(f.Record)
		past = append(past, of)
		for name, sd := range of {
			usual[name] = append(usual[name], sd)
		}
	}
	var before []float64
	for _, of := range past {
		if x, ok := noiseOf(of, now, usual); ok {
			before = append(before, x)
		}
	}
	x, ok := noiseOf(now, now, usual)
	if !ok || len(before) < noiseRecords {
		return nil
	}
	level, spread := stats.MedianAndSpread(before)
	if x-level <= max(math.Log(noiseRatio), noiseSpread*spread) {
		return nil
	}
	return []Finding{{Kind: Noisier, Effect: result.EffectUnmeasured, Ratio: math.Exp(x - level), Of: len(now), Sessions: len(before)}}
}

// noiseOf is the median ln ratio of a session's scatters over the usual ones, over the cases that are watched now and have enough records; not
// ok where there are none.
func noiseOf(session, now map[string]float64, usual map[string][]float64) (logRatio float64, ok bool) {
	var logs []float64
	for name, sd := range session {
		if _, watched := now[name]; watched && len(usual[name]) >= noiseRecords {
			middle, _ := stats.Median(usual[name]) // never empty
			logs = append(logs, math.Log(sd/middle))
		}
	}
	logRatio, err := stats.Median(logs)
	return logRatio, err == nil
}
