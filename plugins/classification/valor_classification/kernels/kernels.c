/* Inner loops of the classification metrics over flat arrays; the results equal those of
 * `reference`, written in NumPy, to the last bit.
 *
 * Plain C99, with vectors where the compiler supports them. All arrays, including outputs and work
 * space, are allocated by `compiled`, which also documents their contents. `scores.h` has the code
 * that depends on the type of the scores; it is included once for float32 and once for float64.
 */

#include <math.h>
#include <string.h>

#include "export.h"

/* The wide registers of newer processors, chosen when the library is loaded. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static __inline
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* Vectors of 16 bytes, supported on every processor by these compilers, and of 32 on some. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define VECTORS
#if defined(__x86_64__)
#define WIDE_VECTORS
#endif
#define EITHER(type, which, ours, theirs) ((which & (type)ours) | (~which & (type)theirs))
#define TRANSPOSE(rows)                                                                            \
    do {                                                                                           \
        const __typeof__(*rows) ab = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5),        \
                                AB = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7),        \
                                cd = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5),        \
                                CD = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);        \
        rows[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);                                     \
        rows[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);                                     \
        rows[2] = __builtin_shufflevector(AB, CD, 0, 1, 4, 5);                                     \
        rows[3] = __builtin_shufflevector(AB, CD, 2, 3, 6, 7);                                     \
    } while (0)
#endif
#endif

/* Checksum of the sources at build time, by which a stale library is detected. */
EXPORT(uint32_t, valor_kernels_sources, void) { return KERNELS_SOURCES; }

enum {
    AHEAD = 24,        /* rows of prefetch distance */
    LINE = 64,         /* bytes of a cache line */
    BLOCK = 4096,      /* scores that stay in cache */
    LIST = 1024,       /* scores or rows whose relevant entries are listed together */
    CARRIED = 1 << 20, /* lists after which limbs are below 2^63: a score adds less than 2^33 */
    FEWEST = 4,        /* scores of a row that fill a vector */
    SHORT = 16,        /* scores of a row below which short vectors are faster than long ones */
    SKIPPED = 32,      /* scores that are skipped together if none of them is listed */
    FEW_LIMITS = 32    /* thresholds up to which a linear scan beats a binary search */
};

/* clang-format off */
/* Exact sums of non-negative numbers: big integers in units of 2**-unit_bits, each stored as 32-bit
 * limbs with room for carries, the lowest limb first. */
STRUCT(Sums,
    uint64_t *limbs;
    int64_t limb_count; /* of each sum */
    int unit_bits;
);
/* clang-format on */

/* Adds a non-negative number to the limbs of a sum. */
INLINE void add_exactly(uint64_t *limbs, int unit_bits, double value) {
    uint64_t bits, mantissa, low, high;
    int exponent, index, shift;
    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> 52 & 0x7ff); /* of -0.0, too */
    mantissa = bits & 0xfffffffffffffu;
    if (exponent)
        mantissa |= (uint64_t)1 << 52;
    else
        exponent = 1;
    index = exponent - 1075 + unit_bits;
    shift = index & 31;
    limbs += index >> 5;
    low = (mantissa & 0xffffffffu) << shift;
    high = (mantissa >> 32) << shift;
    limbs[0] += low & 0xffffffffu;
    limbs[1] += (low >> 32) + (high & 0xffffffffu);
    limbs[2] += high >> 32;
}

/* The same for a number in [0, 1] and units of whole limbs. Scaled by 2^62, it fits int64. Doubles of
 * at least 2^-10 and floats of at least 2^-39 then are whole; smaller ones may take the slow path. */
INLINE void add_probability(uint64_t *limbs, int unit_bits, double value) {
    const double scaled = value * 0x1p62;
    const int64_t whole = (int64_t)scaled;
    if ((double)whole != scaled) {
        add_exactly(limbs, unit_bits, value);
        return;
    }
    limbs += unit_bits / 32;
    limbs[-1] += (uint64_t)whole >> 30;
    limbs[-2] += (uint64_t)whole << 2 & 0xffffffffu;
}

/* The same for squares: from 2^-43 on, the 53 bits of a double end above 2^-96, which is three
 * limbs. */
INLINE void add_square(uint64_t *limbs, int unit_bits, double value) {
    if (value < 0x1p-43) {
        add_exactly(limbs, unit_bits, value);
        return;
    }
    limbs += unit_bits / 32;
    for (int limb = 1; limb <= 3; limb++) {
        const double scaled = value * 0x1p32;
        const int64_t whole = (int64_t)scaled;
        limbs[-limb] += (uint64_t)whole;
        value = scaled - (double)whole;
    }
}

static void carry(uint64_t *limbs, int64_t count) {
    for (int64_t i = 0; i + 1 < count; i++) {
        limbs[i + 1] += limbs[i] >> 32;
        limbs[i] &= 0xffffffffu;
    }
}

static void carry_all(const Sums *sums, int64_t count) {
    for (int64_t sum = 0; sum < count; sum++)
        carry(sums->limbs + sum * sums->limb_count, sums->limb_count);
}

#define SCORE float
#define INDEX int32_t
#define LANES_OF_16_BYTES 4
#define LANES_OF_32_BYTES 8
#define TYPED(name) name##_float32
#include "scores.h"
#undef SCORE
#undef INDEX
#undef LANES_OF_16_BYTES
#undef LANES_OF_32_BYTES
#undef TYPED

#define SCORE double
#define INDEX int64_t
#define LANES_OF_16_BYTES 1 /* the code for vectors has at least four lanes */
#define LANES_OF_32_BYTES 4
#define TYPED(name) name##_float64
#include "scores.h"

EXPORT(void, confusion_table, const int64_t *truths, const int32_t *predictions,
       const uint8_t *bins, int64_t count, int64_t label_count, int64_t bin_count, int64_t *table) {
    for (int64_t i = 0; i < count; i++)
        table[((truths[i] + 1) * (label_count + 1) + predictions[i] + 1) * bin_count + bins[i]]++;
}

/* ---- rankings of resamples */

/* Ranks the rows of a label by descending score, each as often as the weight of its group. A mark
 * is four times the group, plus two for the last row of a score, plus one for a positive. Below
 * them are `below` negatives, and last the unlisted rows, which tie. Writes the positives and the
 * negatives to `totals`, adds precisions to `sum`, and returns pairs of a positive and a lower
 * negative counted twice, plus tied pairs. */
EXPORT(int64_t, rank_weighted, const int32_t *marks, int64_t count, const int32_t *weights,
       int64_t below, int64_t unlisted_positives, int64_t unlisted_negatives, int64_t *totals,
       const Sums *sum) {
    uint64_t *const limbs = sum->limbs;
    const int64_t limb_count = sum->limb_count;
    const int unit_bits = sum->unit_bits;
    int64_t all = 0, positives = 0, negatives_before = 0, positives_before = 0, losses = 0;
    double numerators[LIST], denominators[LIST];
    for (int64_t start = 0; start < count; start += LIST) {
        const int64_t stop = start + LIST < count ? start + LIST : count;
        int64_t found = 0;
        /* No branches, because the processor cannot predict them. */
        for (int64_t i = start; i < stop; i++) {
            const int32_t mark = marks[i];
            const int64_t weight = weights[mark >> 2], is_last = mark >> 1 & 1;
            int64_t size, negatives;
            all += weight;
            positives += weight & -(int64_t)(mark & 1);
            negatives = all - positives;
            size = (positives - positives_before) & -is_last;
            losses += size * (negatives + negatives_before);
            numerators[found] = (double)(size * positives);
            denominators[found] = (double)all;
            found += size > 0;
            positives_before = is_last ? positives : positives_before;
            negatives_before = is_last ? negatives : negatives_before;
        }
        for (int64_t i = 0; i < found; i++)
            add_exactly(limbs, unit_bits, numerators[i] / denominators[i]);
        if (start / LIST % CARRIED == CARRIED - 1) carry(limbs, limb_count);
    }
    carry(limbs, limb_count);
    all += below;
    if (unlisted_positives) {
        const int64_t negatives = all - positives;
        losses += unlisted_positives * (2 * negatives + unlisted_negatives);
        add_exactly(limbs, unit_bits,
                    (double)(unlisted_positives * (positives + unlisted_positives)) /
                        (double)(all + unlisted_positives + unlisted_negatives));
        carry(limbs, limb_count);
    }
    totals[0] = positives + unlisted_positives;
    totals[1] = all - positives + unlisted_negatives;
    return 2 * totals[0] * totals[1] - losses;
}
