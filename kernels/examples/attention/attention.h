// softmax(Q K^T / sqrt(D)) V, forward, for q, k, v and out of shape [B, H, S, D]; causal hides the keys after a query.
//
// attention.cc is the CPU's implementation; one for a GPU has the same signatures, and uses `stream`.
#ifndef ATTENTION_H
#define ATTENTION_H

#include <cstdint>

#include "half.h"

struct Attention {
  int64_t B, H, S, D;
  bool causal;
};

constexpr int64_t kMaxHeadDim = 128;

// Writes out the matrix of scores of a head, softmaxes it, multiplies it by V: three passes through [S, S] floats.
template <class T>
void attention_naive(const Attention &a, const T *q, const T *k, const T *v, T *out, float *scores, void *stream);

// Walks the keys in tiles and keeps a running softmax per query (Milakov and Gimelshein, arXiv:1805.02867; as in
// FlashAttention), so that nothing of size S x S is ever written.
template <class T>
void attention_tiled(const Attention &a, const T *q, const T *k, const T *v, T *out, void *stream);

#endif
