"""By how much the calibrated time of a launch differs from what base's processes take in the first two rounds: calibration.py RESULT.json.gz...

Prints a row a case: the median and both ends over the results, in percent of base's time.
"""
import collections
import gzip
import json
import statistics
import sys

found, took = collections.defaultdict(list), {}
for path in sys.argv[1:]:
    with gzip.open(path, 'rt') as f:
        cases = json.load(f)['cases']
    for case in cases:
        base = [p['valueNs'] for p in case['processes'] if (p.get('side') or p['variant']['role']) == 'base' and p['round'] < 2]
        took[case['name']] = statistics.mean(base)
        found[case['name']].append(100 * (case['method']['launchNs'] / took[case['name']] - 1))
print('| case | launch, µs | calibrated time, % off | least | most |')
print('|:--|--:|--:|--:|--:|')
for case, off in sorted(found.items(), key=lambda item: took[item[0]]):
    print(f'| {case} | {took[case] / 1e3:.4g} | {statistics.median(off):+.1f} | {min(off):+.1f} | {max(off):+.1f} |')
