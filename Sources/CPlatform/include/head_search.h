#ifndef TRAVERTINE_HEAD_SEARCH_H
#define TRAVERTINE_HEAD_SEARCH_H

// Searches in short ascending arrays of 32-bit numbers, without a branch that depends on them: the
// inner loops of an index look-up. In C because Swift's SIMD types have no way to the instruction
// that turns a comparison into a bit mask. Inlined into their callers.

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>

static inline __m128i travertine_four(const int32_t *numbers) {
    return _mm_loadu_si128((const __m128i *)numbers);
}
#endif

/// How many of 12 ascending numbers are at or below `x`.
static inline intptr_t travertine_count_at_or_below_12(const int32_t *numbers, int32_t x) {
#if defined(__SSE2__)
    __m128i four_x = _mm_set1_epi32(x);
    __m128i a = _mm_cmpgt_epi32(travertine_four(numbers), four_x);
    __m128i b = _mm_cmpgt_epi32(travertine_four(numbers + 4), four_x);
    __m128i c = _mm_cmpgt_epi32(travertine_four(numbers + 8), four_x);
    __m128i above = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, c));
    return __builtin_ctz((uint32_t)_mm_movemask_epi8(above) | 1u << 12);
#else
    intptr_t count = 0;
    for (int i = 0; i < 12; i++) count += numbers[i] <= x;
    return count;
#endif
}

/// How many of 8 ascending numbers are at or below `x`.
static inline intptr_t travertine_count_at_or_below_8(const int32_t *numbers, int32_t x) {
#if defined(__SSE2__)
    __m128i four_x = _mm_set1_epi32(x);
    __m128i a = _mm_cmpgt_epi32(travertine_four(numbers), four_x);
    __m128i b = _mm_cmpgt_epi32(travertine_four(numbers + 4), four_x);
    __m128i above = _mm_packs_epi32(a, b);
    above = _mm_packs_epi16(above, above);
    return __builtin_ctz((uint32_t)_mm_movemask_epi8(above) | 1u << 8);
#else
    intptr_t count = 0;
    for (int i = 0; i < 8; i++) count += numbers[i] <= x;
    return count;
#endif
}

/// How many of 16 ascending numbers are at or below `x`.
static inline intptr_t travertine_count_at_or_below_16(const int32_t *numbers, int32_t x) {
#if defined(__SSE2__)
    __m128i four_x = _mm_set1_epi32(x);
    __m128i a = _mm_cmpgt_epi32(travertine_four(numbers), four_x);
    __m128i b = _mm_cmpgt_epi32(travertine_four(numbers + 4), four_x);
    __m128i c = _mm_cmpgt_epi32(travertine_four(numbers + 8), four_x);
    __m128i d = _mm_cmpgt_epi32(travertine_four(numbers + 12), four_x);
    __m128i above = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
    return __builtin_ctz((uint32_t)_mm_movemask_epi8(above) | 1u << 16);
#else
    intptr_t count = 0;
    for (int i = 0; i < 16; i++) count += numbers[i] <= x;
    return count;
#endif
}

/// How many of `count` ascending numbers are below `x`; `count` is a multiple of 8, and 16 numbers
/// may be read from any multiple of 16 up to it (what comes after the end does not matter).
///
/// One number of each cache line is compared first: all lines are asked for at once, in a loop
/// whose length depends on `count` alone.
static inline intptr_t travertine_count_below(
    const int32_t *numbers, intptr_t count, int32_t x) {
    intptr_t group = 0;
#pragma clang loop vectorize(disable) unroll_count(2)
    for (intptr_t i = 15; i < count; i += 16) group += numbers[i] < x;
    group *= 16;
    const int32_t *line = numbers + group;
#if defined(__SSE2__)
    __m128i four_x = _mm_set1_epi32(x);
    __m128i a = _mm_cmpgt_epi32(four_x, travertine_four(line));
    __m128i b = _mm_cmpgt_epi32(four_x, travertine_four(line + 4));
    __m128i c = _mm_cmpgt_epi32(four_x, travertine_four(line + 8));
    __m128i d = _mm_cmpgt_epi32(four_x, travertine_four(line + 12));
    __m128i below = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
    group += __builtin_ctz(~(uint32_t)_mm_movemask_epi8(below));
#else
    intptr_t below = 0;
    while (below < 16 && line[below] < x) below++;
    group += below;
#endif
    return group < count ? group : count;
}

#endif
