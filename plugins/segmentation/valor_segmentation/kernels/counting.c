/* Pairs of pixel values, counted into a table.

   Both values of a pair are converted to codes of 8 or 16 bits, a span of pixels at a time, unless
   the images have such values already. The index of a pixel's cell is the sum of two look-ups, one
   for each code. A run of equal pairs is counted at once. If most pixels differ from their
   neighbors, indices are computed with vectors and counted in several tables, since increments of
   the same cell would wait for each other's store. */
#include "export.h"

/* Checksum of the sources at build time, by which a stale library is detected. */
EXPORT(uint32_t, valor_kernels_sources, void) { return KERNELS_SOURCES; }

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define SSE2 1
#endif

/* A BLOCK with more than BUSY ends of runs besides the first two has runs of up to about five pixels,
   and is counted pixel by pixel. Measured with 20 labels on a megapixel: 0.55 ms pixel by pixel,
   whatever the runs; by runs, 0.95 ms where they have two pixels, 0.56 with six and 0.40 with 20.
   Single pixels are counted in PIECEs whose indices are computed with vectors first. */
enum { BLOCK = 64, CHUNK = 1024, BUSY = 12, PIECE = 256, SPAN = 4 * CHUNK + 1 };
enum { LINE = 64, AHEAD = 4096 }; /* bytes */

/* Counters of neighbouring pixels are in four tables: equal neighbours would otherwise wait for each
   other's store. */
typedef struct {
    uint32_t *one, *two, *three, *four;
} Tables;

/* ---- ends of runs */

static int bits(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)((x * 0x0101010101010101u) >> 56);
}

/* Any number below 64 if there is none. */
static int first_bit(uint64_t mask) {
    mask |= 1ull << 63;
#if defined(__GNUC__)
    return __builtin_ctzll(mask);
#else
    return bits((mask & (~mask + 1)) - 1);
#endif
}

#if defined(SSE2)
#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))

static __m128i equal8(const uint8_t *t, const uint8_t *p) {
    return _mm_and_si128(_mm_cmpeq_epi8(LOAD(t), LOAD(t + 1)),
                         _mm_cmpeq_epi8(LOAD(p), LOAD(p + 1)));
}

static __m128i equal16(const uint16_t *t, const uint16_t *p) {
    return _mm_and_si128(_mm_cmpeq_epi16(LOAD(t), LOAD(t + 1)),
                         _mm_cmpeq_epi16(LOAD(p), LOAD(p + 1)));
}

static uint64_t joined(__m128i a, __m128i b, __m128i c, __m128i d) {
    return (uint64_t)(uint32_t)_mm_movemask_epi8(a) |
           (uint64_t)(uint32_t)_mm_movemask_epi8(b) << 16 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(c) << 32 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(d) << 48;
}

/* Bit mask of the pixels of a block that end a run. */
static uint64_t ends8(const uint8_t *t, const uint8_t *p) {
    return ~joined(equal8(t, p), equal8(t + 16, p + 16), equal8(t + 32, p + 32),
                   equal8(t + 48, p + 48));
}

static uint64_t ends16(const uint16_t *t, const uint16_t *p) {
    __m128i part[4];
    for (int k = 0; k < 4; k++)
        part[k] = _mm_packs_epi16(equal16(t + 16 * k, p + 16 * k),
                                  equal16(t + 16 * k + 8, p + 16 * k + 8));
    return ~joined(part[0], part[1], part[2], part[3]);
}

#else
static uint64_t joined(const uint8_t *is_end) {
    uint64_t mask = 0;
    for (int k = 0; k < BLOCK; k += 8) {
        uint64_t any;
        memcpy(&any, is_end + k, 8);
        if (any)
            for (int j = k; j < k + 8; j++) mask |= (uint64_t)is_end[j] << j;
    }
    return mask;
}

/* Bit mask of the pixels of a block that end a run. */
#define ENDS(NAME, TYPE)                                                                           \
    static uint64_t NAME(const TYPE *t, const TYPE *p) {                                           \
        uint8_t is_end[BLOCK];                                                                     \
        for (int k = 0; k < BLOCK; k++) is_end[k] = (t[k] != t[k + 1]) | (p[k] != p[k + 1]);       \
        return joined(is_end);                                                                     \
    }

ENDS(ends8, uint8_t)
ENDS(ends16, uint16_t)
#endif

/* ---- indices of cells */

/* Cell indices of codes. True codes below `true_plain` are row numbers and predicted codes below
   `plain` column numbers; the indices of such cells are below 65,536. */
typedef struct {
    const uint32_t *rows, *columns;
    uint32_t true_plain, plain;
    uint16_t row;
} Lookup;

static uint32_t index8(const uint8_t *t, const uint8_t *p, Lookup in) {
    return in.rows[*t] + in.columns[*p];
}

static uint32_t index16(const uint16_t *t, const uint16_t *p, Lookup in) {
    return in.rows[*t] + in.columns[*p];
}

#define ARE_BELOW(NAME, TYPE)                                                                      \
    static int NAME(const TYPE *values, uint32_t end) {                                            \
        TYPE most = 0;                                                                             \
        for (int k = 0; k < PIECE; k++) most = values[k] > most ? values[k] : most;                \
        return most < end;                                                                         \
    }

ARE_BELOW(are_below8, uint8_t)
ARE_BELOW(are_below16, uint16_t)

/* ---- counting */

/* Pixel by pixel. */
#define COUNT_EACH(NAME, TYPE, INDEX, ARE_BELOW)                                                   \
    static void NAME(const TYPE *t, const TYPE *p, int64_t n, Lookup in, Tables to) {              \
        for (; n >= PIECE; n -= PIECE, t += PIECE, p += PIECE) {                                   \
            uint32_t indices[PIECE];                                                               \
            if (ARE_BELOW(t, in.true_plain) && ARE_BELOW(p, in.plain))                             \
                for (int k = 0; k < PIECE; k++)                                                    \
                    indices[k] = (uint16_t)((uint16_t)t[k] * in.row + (uint16_t)p[k]);             \
            else                                                                                   \
                for (int k = 0; k < PIECE; k++) indices[k] = INDEX(t + k, p + k, in);              \
            for (int k = 0; k < PIECE; k += 4) {                                                   \
                to.one[indices[k]]++;                                                              \
                to.two[indices[k + 1]]++;                                                          \
                to.three[indices[k + 2]]++;                                                        \
                to.four[indices[k + 3]]++;                                                         \
            }                                                                                      \
        }                                                                                          \
        for (int64_t k = 0; k < n; k++) to.one[INDEX(t + k, p + k, in)]++;                         \
    }

COUNT_EACH(each8, uint8_t, index8, are_below8)
COUNT_EACH(each16, uint16_t, index16, are_below16)

/* Run by run; a chunk with many runs pixel by pixel. The ends are listed first. Most blocks have up
   to two, which are written unconditionally: a mispredicted branch costs more than two stores. */
#define COUNT(NAME, TYPE, EACH, ENDS, INDEX)                                                       \
    static void NAME(const TYPE *t, const TYPE *p, int64_t n, Lookup in, Tables to) {              \
        for (; n > CHUNK; n -= CHUNK, t += CHUNK, p += CHUNK) {                                    \
            uint16_t ends[CHUNK + 2];                                                              \
            int count = 0, i = 0, next = 0;                                                        \
            for (; i < CHUNK; i += BLOCK) {                                                        \
                uint64_t last = ENDS(t + i, p + i);                                                \
                for (int k = 0; k < 2; k++) {                                                      \
                    ends[count] = (uint16_t)(i + first_bit(last));                                 \
                    count += last != 0;                                                            \
                    last &= last - 1;                                                              \
                }                                                                                  \
                if (last && bits(last) > BUSY) break;                                              \
                for (; last; last &= last - 1) ends[count++] = (uint16_t)(i + first_bit(last));    \
            }                                                                                      \
            if (i < CHUNK) {                                                                       \
                EACH(t, p, CHUNK, in, to);                                                         \
                continue;                                                                          \
            }                                                                                      \
            for (int k = 0; k < count; k++) {                                                      \
                int end = ends[k];                                                                 \
                to.one[INDEX(t + end, p + end, in)] += (uint32_t)(end + 1 - next);                 \
                next = end + 1;                                                                    \
            }                                                                                      \
            if (next < CHUNK) to.one[INDEX(t + next, p + next, in)] += (uint32_t)(CHUNK - next);   \
        }                                                                                          \
        EACH(t, p, n, in, to);                                                                     \
    }

COUNT(count8, uint8_t, each8, ends8, index8)
COUNT(count16, uint16_t, each16, ends16, index16)

/* ---- codes */

/* Codes and cell indices of the values of one side. `low` is the least known value. If `codes` is
   NULL, a code is the lower bits of a value: they differ between known values, and values too far
   from `low` get the code `other`. Otherwise `codes` has the codes of the `count` ascending
   differences from `low` in `keys`, or, without keys, of all differences below `count`;
   `codes[count]` is the code of all other values. The index of a code below `plain` is the code,
   times the length of a row for true codes. */
STRUCT(Side, const uint32_t *indices; int64_t plain; uint64_t low; uint64_t other;
       const uint64_t *keys; const uint16_t *codes; int64_t count;);

static uint16_t sought(uint64_t distance, const Side *side) {
    uint64_t count = (uint64_t)side->count;
    if (!side->keys) return side->codes[distance < count ? distance : count];
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (side->keys[middle] < distance)
            low = middle + 1;
        else
            high = middle;
    }
    return side->codes[low < count && side->keys[low] == distance ? low : count];
}

/* Prefetches the values that are converted next; the addresses may be beyond the image. */
static void prefetch(const void *values, int64_t size) {
#if defined(__GNUC__)
    for (int64_t k = 0; k < size; k += LINE) __builtin_prefetch((const char *)values + AHEAD + k);
#else
    (void)values, (void)size;
#endif
}

/* Codes from lower bits. One check for all values detects values too far from `low`. */
#define NARROW(NAME, TYPE, CODE, MOST)                                                             \
    static void NAME(const TYPE *values, int64_t n, const Side *side, CODE *codes) {               \
        TYPE low = (TYPE)side->low, any = 0;                                                       \
        int64_t i = 0;                                                                             \
        for (; i + BLOCK <= n; i += BLOCK) {                                                       \
            prefetch(values + i, BLOCK * sizeof(TYPE));                                            \
            for (int64_t j = i; j < i + BLOCK; j++) {                                              \
                codes[j] = (CODE)values[j];                                                        \
                any |= (TYPE)(values[j] - low);                                                    \
            }                                                                                      \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            codes[i] = (CODE)values[i];                                                            \
            any |= (TYPE)(values[i] - low);                                                        \
        }                                                                                          \
        if (any <= MOST) return;                                                                   \
        for (int64_t j = 0; j < n; j++)                                                            \
            if ((TYPE)(values[j] - low) > MOST) codes[j] = (CODE)side->other;                      \
    }

#define SEEK(NAME, TYPE)                                                                           \
    static void NAME(const TYPE *values, int64_t n, const Side *side, uint16_t *codes) {           \
        TYPE low = (TYPE)side->low, known = values[0];                                             \
        uint16_t code = sought((TYPE)(known - low), side);                                         \
        for (int64_t j = 0; j < n; j++) {                                                          \
            if (values[j] != known) {                                                              \
                known = values[j];                                                                 \
                code = sought((TYPE)(known - low), side);                                          \
            }                                                                                      \
            codes[j] = code;                                                                       \
        }                                                                                          \
    }

NARROW(narrow16to8, uint16_t, uint8_t, UINT8_MAX)
NARROW(narrow32to8, uint32_t, uint8_t, UINT8_MAX)
NARROW(narrow64to8, uint64_t, uint8_t, UINT8_MAX)
NARROW(narrow32to16, uint32_t, uint16_t, UINT16_MAX)
NARROW(narrow64to16, uint64_t, uint16_t, UINT16_MAX)
SEEK(seek32, uint32_t)
SEEK(seek64, uint64_t)

/* Codes of a span of pixels: the image itself, or written to `codes`. */
static const uint8_t *codes8(const void *values, int64_t width, int64_t n, const Side *side,
                             uint8_t *codes) {
    if (width == 1) return values;
    if (width == 2)
        narrow16to8(values, n, side, codes);
    else if (width == 4)
        narrow32to8(values, n, side, codes);
    else
        narrow64to8(values, n, side, codes);
    return codes;
}

static const uint16_t *codes16(const void *values, int64_t width, int64_t n, const Side *side,
                               uint16_t *codes) {
    if (width == 2) return values;
    if (width == 1)
        for (int64_t j = 0; j < n; j++) codes[j] = ((const uint8_t *)values)[j];
    else if (width == 4)
        (side->codes ? seek32 : narrow32to16)(values, n, side, codes);
    else
        (side->codes ? seek64 : narrow64to16)(values, n, side, codes);
    return codes;
}

/* Counts n pixels of two images, with codes of one or two bytes, into `tables`: four tables, one
   every `stride` counters, or one table if `stride` is 0. */
EXPORT(void, count_pairs, int64_t n, const void *true_values, int64_t true_width, const Side *rows,
       const void *values, int64_t width, const Side *columns, int64_t code_width, int64_t row,
       uint32_t *tables, int64_t stride) {
    const char *truth = true_values, *prediction = values;
    const Lookup in = {rows->indices, columns->indices, (uint32_t)rows->plain,
                       (uint32_t)columns->plain, (uint16_t)row};
    const Tables to = {tables, tables + stride, tables + 2 * stride, tables + 3 * stride};
    int is_coded = true_width == code_width && width == code_width;
    while (n > 0) {
        /* The last pixel of a span only serves for comparison with the one before. */
        int64_t span = is_coded || n < SPAN ? n : SPAN;
        if (code_width == 1) {
            uint8_t true_codes[SPAN], codes[SPAN];
            count8(codes8(truth, true_width, span, rows, true_codes),
                   codes8(prediction, width, span, columns, codes), span, in, to);
        } else {
            uint16_t true_codes[SPAN], codes[SPAN];
            count16(codes16(truth, true_width, span, rows, true_codes),
                    codes16(prediction, width, span, columns, codes), span, in, to);
        }
        n -= span;
        truth += span * true_width;
        prediction += span * width;
    }
}

/* Adds up consecutive tables. */
EXPORT(void, collect_counts, int64_t cells, int64_t tables, const uint32_t *counts,
       int64_t *totals) {
    for (int64_t table = 0; table < tables; table++) {
        const uint32_t *part = counts + table * cells;
        for (int64_t cell = 0; cell < cells; cell++) totals[cell] += part[cell];
    }
}
