"""How far processes of a side scatter within a round, case by case: scatter.py NAME=RESULT.json[.gz]...

Prints a row a case: its standard deviation in each result, in percent of time, and the range of SM clocks that its processes counted.
"""
import collections
import gzip
import json
import math
import sys


def read(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as f:
        return json.load(f)


def scatter(case):
    groups, clocks = collections.defaultdict(list), []
    for p in case.get('processes') or []:
        if p['variant']['role'] in ('base', 'head') and p.get('purpose', 'rounds') in ('', 'rounds'):
            groups[p['round'], p['variant']['role']].append(math.log(p['valueNs']))
            clocks.append(p.get('clockMHz', 0))
    squares = sum((y - sum(g) / len(g)) ** 2 for g in groups.values() for y in g)
    freedom = sum(len(g) - 1 for g in groups.values())
    return (100 * math.sqrt(squares / freedom) if freedom else float('nan')), min(clocks, default=0), max(clocks, default=0)


named = [a.split('=', 1) for a in sys.argv[1:]]
rows = collections.defaultdict(dict)
for name, path in named:
    for case in read(path)['cases']:
        rows[case['name']][name] = scatter(case)
print('| case | ' + ' | '.join(f'{n}, % | clocks, MHz' for n, _ in named) + ' |')
print('|---|' + '--:|--:|' * len(named))
for case, by in rows.items():
    print(f'| {case} | ' + ' | '.join('%.3f | %.0f-%.0f' % by[n] if n in by else '– | –' for n, _ in named) + ' |')
