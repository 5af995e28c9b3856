/* Pairs of pixel values, counted into a table.

   A pixel's place in the table is the sum of what its true value and its predicted value look up.
   Runs of equal pairs are counted as one. Pixels that differ from their neighbors are spread over
   several tables, so that equal ones close together do not wait for each other's store. */
#include "kernels.h"

#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define SSE2 1
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#endif

enum { BLOCK = 64, BUSY = 12, BUFFER = 2048 };

typedef struct {
    uint32_t *one, *two, *three, *four;
} Tables;

#if defined(SSE2)
static int first_bit(uint64_t mask) {
#if defined(_MSC_VER)
    unsigned long bit;
    _BitScanForward64(&bit, mask);
    return (int)bit;
#else
    return __builtin_ctzll(mask);
#endif
}

static int bits(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)((x * 0x0101010101010101u) >> 56);
}

#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))

static __m128i equal8(const uint8_t *t, const uint8_t *p) {
    return _mm_and_si128(_mm_cmpeq_epi8(LOAD(t), LOAD(t + 1)),
                         _mm_cmpeq_epi8(LOAD(p), LOAD(p + 1)));
}

static __m128i equal16(const uint16_t *t, const uint16_t *p) {
    return _mm_and_si128(_mm_cmpeq_epi16(LOAD(t), LOAD(t + 1)),
                         _mm_cmpeq_epi16(LOAD(p), LOAD(p + 1)));
}

static __m128i equal32(const uint32_t *t, const uint32_t *p) {
    return _mm_and_si128(_mm_cmpeq_epi32(LOAD(t), LOAD(t + 1)),
                         _mm_cmpeq_epi32(LOAD(p), LOAD(p + 1)));
}

static uint64_t joined(__m128i a, __m128i b, __m128i c, __m128i d) {
    return (uint64_t)(uint32_t)_mm_movemask_epi8(a) |
           (uint64_t)(uint32_t)_mm_movemask_epi8(b) << 16 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(c) << 32 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(d) << 48;
}

/* Which of the next pixels are the last of a run. */
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

static uint64_t ends32(const uint32_t *t, const uint32_t *p) {
    __m128i part[4];
    for (int k = 0; k < 64; k += 16)
        part[k / 16] = _mm_packs_epi16(
            _mm_packs_epi32(equal32(t + k, p + k), equal32(t + k + 4, p + k + 4)),
            _mm_packs_epi32(equal32(t + k + 8, p + k + 8), equal32(t + k + 12, p + k + 12)));
    return ~joined(part[0], part[1], part[2], part[3]);
}
#else
/* Whether each of the next eight bytes equals the one that is `width` bytes behind it. */
static int is_flat(const void *at, int width) {
    uint64_t here, next;
    memcpy(&here, at, 8);
    memcpy(&next, (const char *)at + width, 8);
    return here == next;
}
#endif

/* Where values are counted. A lookup of wide values has a place for all others at its end. */
typedef struct {
    const uint32_t *rows, *columns;
    uint32_t true_size, size;
} Lookup;

static uint32_t place8(const uint8_t *t, const uint8_t *p, Lookup in) {
    return in.rows[*t] + in.columns[*p];
}

static uint32_t place16(const uint16_t *t, const uint16_t *p, Lookup in) {
    return in.rows[*t] + in.columns[*p];
}

static uint32_t place32(const uint32_t *t, const uint32_t *p, Lookup in) {
    return in.rows[*t < in.true_size ? *t : in.true_size] +
           in.columns[*p < in.size ? *p : in.size];
}

/* One pixel after the other. */
#define COUNT_EACH(NAME, TYPE, PLACE)                                                              \
    static void NAME(const TYPE *t, const TYPE *p, int64_t n, Lookup in, Tables to) {              \
        int64_t j = 0;                                                                             \
        for (; j + 4 <= n; j += 4) {                                                               \
            to.one[PLACE(t + j, p + j, in)]++;                                                     \
            to.two[PLACE(t + j + 1, p + j + 1, in)]++;                                             \
            to.three[PLACE(t + j + 2, p + j + 2, in)]++;                                           \
            to.four[PLACE(t + j + 3, p + j + 3, in)]++;                                            \
        }                                                                                          \
        for (; j < n; j++) to.one[PLACE(t + j, p + j, in)]++;                                      \
    }

COUNT_EACH(each8, uint8_t, place8)
COUNT_EACH(each16, uint16_t, place16)
COUNT_EACH(each32, uint32_t, place32)

/* Run after run; a block with many of them pixel by pixel. */
#if defined(SSE2)
#define COUNT(NAME, TYPE, EACH, ENDS, PLACE)                                                       \
    static void NAME(const TYPE *t, const TYPE *p, int64_t n, Lookup in, Tables to) {              \
        int64_t first = 0, i = 0;                                                                  \
        for (; i + BLOCK < n; i += BLOCK) {                                                        \
            uint64_t last = ENDS(t + i, p + i);                                                    \
            if (!last) continue;                                                                   \
            if (bits(last) > BUSY) {                                                               \
                if (first < i) to.one[PLACE(t + first, p + first, in)] += (uint32_t)(i - first);   \
                EACH(t + i, p + i, BLOCK, in, to);                                                 \
                first = i + BLOCK;                                                                 \
                continue;                                                                          \
            }                                                                                      \
            do {                                                                                   \
                int64_t end = i + first_bit(last) + 1;                                             \
                to.one[PLACE(t + first, p + first, in)] += (uint32_t)(end - first);                \
                first = end;                                                                       \
                last &= last - 1;                                                                  \
            } while (last);                                                                        \
        }                                                                                          \
        if (first < i) to.one[PLACE(t + first, p + first, in)] += (uint32_t)(i - first);           \
        EACH(t + i, p + i, n - i, in, to);                                                         \
    }

COUNT(count8, uint8_t, each8, ends8, place8)
COUNT(count16, uint16_t, each16, ends16, place16)
COUNT(count32, uint32_t, each32, ends32, place32)
#else
#define COUNT(NAME, TYPE, EACH, PLACE)                                                             \
    static void NAME(const TYPE *t, const TYPE *p, int64_t n, Lookup in, Tables to) {              \
        const int64_t step = 8 / (int64_t)sizeof(TYPE);                                            \
        int64_t first = 0, i = 0;                                                                  \
        for (; i + step < n; i += step) {                                                          \
            if (is_flat(t + i, sizeof(TYPE)) && is_flat(p + i, sizeof(TYPE))) continue;            \
            if (first < i) to.one[PLACE(t + first, p + first, in)] += (uint32_t)(i - first);       \
            EACH(t + i, p + i, step, in, to);                                                      \
            first = i + step;                                                                      \
        }                                                                                          \
        if (first < i) to.one[PLACE(t + first, p + first, in)] += (uint32_t)(i - first);           \
        EACH(t + i, p + i, n - i, in, to);                                                         \
    }

COUNT(count8, uint8_t, each8, place8)
COUNT(count16, uint16_t, each16, place16)
COUNT(count32, uint32_t, each32, place32)
#endif

static uint32_t looked_up(uint64_t value, const uint64_t *keys, const uint32_t *places,
                          int64_t count) {
    if (count < 0) return places[value < (uint64_t)-count ? value : (uint64_t)-count];
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (keys[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && keys[low] == value ? places[low] : places[count];
}

/* Adds what each pixel looks up: in a table of all values, or among sorted keys. */
#define ADD_DENSE(NAME, TYPE)                                                                      \
    static void NAME(const TYPE *values, int64_t n, const uint32_t *places, uint32_t *sums) {      \
        for (int64_t j = 0; j < n; j++) sums[j] += places[values[j]];                              \
    }
#define ADD_SOUGHT(NAME, TYPE)                                                                     \
    static void NAME(const TYPE *values, int64_t n, const uint64_t *keys, const uint32_t *places,  \
                     int64_t count, uint32_t *sums) {                                              \
        TYPE known = values[0];                                                                    \
        uint32_t place = looked_up(known, keys, places, count);                                    \
        for (int64_t j = 0; j < n; j++) {                                                          \
            if (values[j] != known) {                                                              \
                known = values[j];                                                                 \
                place = looked_up(known, keys, places, count);                                     \
            }                                                                                      \
            sums[j] += place;                                                                      \
        }                                                                                          \
    }

ADD_DENSE(add8, uint8_t)
ADD_DENSE(add16, uint16_t)
ADD_SOUGHT(add32, uint32_t)
ADD_SOUGHT(add64, uint64_t)

static void add(const char *values, int64_t width, int64_t from, int64_t n, const uint64_t *keys,
                const uint32_t *places, int64_t count, uint32_t *sums) {
    const void *at = values + width * from;
    if (width == 1)
        add8(at, n, places, sums);
    else if (width == 2)
        add16(at, n, places, sums);
    else if (width == 4)
        add32(at, n, keys, places, count, sums);
    else
        add64(at, n, keys, places, count, sums);
}

static void count_places(const uint32_t *places, int64_t n, Tables to) {
    int64_t j = 0;
    while (j + 4 <= n) {
        uint32_t place = places[j];
        if (place == places[j + 1] && place == places[j + 2] && place == places[j + 3]) {
            int64_t first = j;
            for (j += 4; j < n && places[j] == place; j++) continue;
            to.one[place] += (uint32_t)(j - first);
            continue;
        }
        to.one[place]++;
        to.two[places[j + 1]]++;
        to.three[places[j + 2]]++;
        to.four[places[j + 3]]++;
        j += 4;
    }
    for (; j < n; j++) to.one[places[j]]++;
}

/* Counts n pixels of two images into `tables`: four of them, `stride` apart, or one, if that is 0.
   Values of one or two bytes look up their place in a table of all values. Wider ones are sought
   among `count` sorted keys, or looked up in a table of the values below -`count`; the place
   behind the last is that of all other values. */
EXPORT void count_pairs(int64_t n, const void *truth, int64_t true_width,
                        const uint64_t *true_keys, const uint32_t *rows, int64_t true_count,
                        const void *prediction, int64_t width, const uint64_t *keys,
                        const uint32_t *columns, int64_t count, uint32_t *tables, int64_t stride) {
    const Lookup in = {rows, columns, (uint32_t)-true_count, (uint32_t)-count};
    Tables to = {tables, tables + stride, tables + 2 * stride, tables + 3 * stride};
    if (true_width == 1 && width == 1) {
        count8(truth, prediction, n, in, to);
        return;
    }
    if (true_width == 2 && width == 2) {
        count16(truth, prediction, n, in, to);
        return;
    }
    if (true_width == 4 && width == 4 && true_count < 0 && count < 0) {
        count32(truth, prediction, n, in, to);
        return;
    }
    uint32_t places[BUFFER];
    for (int64_t i = 0; i < n; i += BUFFER) {
        int64_t some = n - i < BUFFER ? n - i : BUFFER;
        memset(places, 0, (size_t)some * sizeof(uint32_t));
        add(truth, true_width, i, some, true_keys, rows, true_count, places);
        add(prediction, width, i, some, keys, columns, count, places);
        count_places(places, some, to);
    }
}

/* Adds up some tables, one behind the other, and clears them for the next images. */
EXPORT void collect_counts(int64_t cells, int64_t tables, uint32_t *counts, int64_t *totals) {
    for (int64_t table = 0; table < tables; table++) {
        uint32_t *some = counts + table * cells;
        for (int64_t cell = 0; cell < cells; cell++) totals[cell] += some[cell];
        memset(some, 0, (size_t)cells * sizeof(uint32_t));
    }
}
