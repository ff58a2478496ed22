#!/usr/bin/env python3
"""Prints the perfgate.yaml of right or wrong kernels, or those that parity misjudged.

    configure.py right|wrong
    configure.py judge right|wrong RESULT.json
"""

import json
import sys

SIZES = {
    "rows": ("rows: {fuzz: {min: 1, max: 13}}, n: {fuzz: {min: 1, max: 5003, near: 64}}", "rows: 7, n: 523"),
    "product": ("m: {fuzz: {min: 1, max: 47, near: 8}}, n: {fuzz: {min: 1, max: 53, near: 8}}, k: {fuzz: {min: 1, max: 1201, near: 32}}", "m: 19, n: 23, k: 317"),
    "taps": ("m: {fuzz: {min: 1, max: 47, near: 8}}, n: {fuzz: {min: 1, max: 53, near: 8}}, k: {fuzz: {min: 4, max: 1201, near: 32}}", "m: 19, n: 23, k: 317"),
    "heads": ("b: {fuzz: {min: 1, max: 3}}, h: {fuzz: {min: 1, max: 4}}, s: {fuzz: {min: 1, max: 150, near: 32}}, d: {values: [4, 32, 64]}", "b: 1, h: 2, s: 96, d: 32"),
    "short": ("rows: {fuzz: {min: 1, max: 13}}, n: {fuzz: {min: 1, max: 300, near: 16}}", "rows: 7, n: 101"),
}
# adapter, sizes, right variants, wrong variants
OPERATIONS = {
    "softmax": ("rows.pg.cc", "rows", "online blocked polynomial", "no_maximum forgets_rescale tail7 earlier_maximum last_mask"),
    "variance": ("rows.pg.cc", "rows", "welford double pairwise", "one_pass unbiased nan_of_one"),
    "layernorm": ("rows.pg.cc", "rows", "double newton", "no_newton no_epsilon unaligned"),
    "cumsum": ("rows.pg.cc", "rows", "blocks hillis", "ends_at_4096 exclusive_block"),
    "normalise": ("rows.pg.cc", "rows", "lanes", "no_epsilon race ends_at_4096 tail7 half_sums"),
    "cosine": ("rows.pg.cc", "rows", "right", "last_row first_norm_twice"),
    "entropy": ("rows.pg.cc", "rows", "online blocks", "last_label log_of_share padding_zero"),
    "rms": ("rows.pg.cc", "rows", "right rounds_twice", "half_sums small_epsilon gain_and_one"),
    "sigmoid": ("rows.pg.cc", "rows", "polynomial", "overflows clipped"),
    "gemm": ("products.pg.cc", "product", "blocks ijk pairwise kahan strassen", "tail7 last_row_short index16 unaligned transposed_square half_sums"),
    "gemm16": ("products.pg.cc", "product", "bf16_storage f16_storage", "half_sums cut_off"),
    "quantised": ("products.pg.cc", "product", "int32 float_sums", "wraps16 scales_swapped half_scales"),
    "complex": ("products.pg.cc", "product", "four_products three_products", "conjugate_last"),
    "filter": ("products.pg.cc", "product", "direct winograd fft", "wraps odd_edge earlier_weights"),
    "causal": ("attention.pg.cc", "heads", "plain flash", "last_row last_head batch_for_head no_maximum one_more forgets_rescale multiple_of_8"),
    "ragged": ("attention.pg.cc", "heads", "plain flash", "nan_of_none one_more last_head"),
    "flash16": ("attention.pg.cc", "heads", "flash", "last_row no_maximum"),
    "rope": ("attention.pg.cc", "heads", "near far", "last_position interleaved_at_4 base_1000"),
    "edit": ("discrete.pg.cc", "short", "right", "narrow_band tail7"),
    "bits": ("discrete.pg.cc", "rows", "right", "sign sign_narrow low_half"),
    "table": ("discrete.pg.cc", "rows", "right", "absolute last_wins"),
    "scan": ("discrete.pg.cc", "rows", "blocks", "int32 int32_small"),
    "histogram": ("discrete.pg.cc", "rows", "lanes", "toward_zero race drops_above lane_lost"),
    "scatter": ("discrete.pg.cc", "rows", "reversed", "tail7 overwrites_last"),
    "segments": ("discrete.pg.cc", "rows", "lanes", "empty_repeats"),
    "compact": ("discrete.pg.cc", "rows", "right", "keeps_zero clears"),
    "sort": ("discrete.pg.cc", "short", "stable any_ties_values", "last_two"),
    "nucleus": ("discrete.pg.cc", "short", "right", "exclusive"),
    "dropout": ("discrete.pg.cc", "rows", "right", "mask_again scale"),
    "special": ("discrete.pg.cc", "short", "right", "nan_dropped zero_sign infinity denormal"),
}



def config(which):
    print("version: 1\ndevice: cpu\nkernels:")
    for name, (adapter, sizes, right, wrong) in OPERATIONS.items():
        for variant in (right if which == "right" else wrong).split():
            drawn, measured = SIZES["taps" if variant in ("winograd", "fft") else sizes]
            print(f"  - {{name: {name}-{variant}, adapter: {adapter}, flags: [-O3, -march=native], params: {{{drawn}}}, measure: [{{{measured}}}]}}")


def judge(which, path):
    with open(path) as file:
        for k in json.load(file)["kernels"]:
            p = k["parity"]
            if p["status"] != ("passed" if which == "right" else "failed"):
                print(path.rpartition("/")[2], k["name"], p["status"], p.get("reason", ""), (p.get("failure") or {}).get("message", "")[:300])


if sys.argv[1] == "judge":
    judge(*sys.argv[2:])
else:
    config(sys.argv[1])
