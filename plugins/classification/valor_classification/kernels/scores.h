/* Kernels over scores of the type SCORE; INDEX is an integer type of the same size. */

/* Number of ascending limits that a score reaches. */
INLINE int64_t TYPED(reached)(SCORE score, const SCORE *limits, int64_t limit_count) {
    int64_t low = 0, length = limit_count;
    if (limit_count <= FEW_LIMITS) {
        INDEX few = 0;
        for (int64_t i = 0; i < limit_count; i++) few += score >= limits[i];
        return few;
    }
    while (length) {
        int64_t half = length >> 1, above = score >= limits[low + half];
        low = above ? low + half + 1 : low;
        length = above ? length - half - 1 : half;
    }
    return low;
}

/* Evenly spaced limits: a score's bin is a product, corrected by at most one step. The scale is 0
 * if the limits are not evenly spaced. */
typedef struct {
    SCORE first, scale, last;
} TYPED(grid);

INLINE int64_t TYPED(cell)(SCORE score, TYPED(grid) grid) {
    SCORE index = (score - grid.first) * grid.scale;
    index = index > 0 ? index : 0;
    return (int64_t)(index < grid.last ? index : grid.last);
}

/* The grid of ascending limits. A cell rises with the score. So if the cell of each limit is its
 * index or the one before, the cell of a score between two limits is off by at most one. */
INLINE TYPED(grid) TYPED(grid_of)(const SCORE *limits, int64_t limit_count) {
    TYPED(grid) grid = {0, 0, 0};
    if (limit_count <= FEW_LIMITS) return grid;
    grid.first = limits[0];
    grid.last = (SCORE)(limit_count - 2);
    grid.scale = (SCORE)(limit_count - 1) / (limits[limit_count - 1] - limits[0]);
    for (int64_t i = 0; i < limit_count && grid.scale != 0; i++) {
        const int64_t cell = TYPED(cell)(limits[i], grid);
        if (cell != i && cell != i - 1) grid.scale = 0;
    }
    return grid;
}

/* Number of limits that a score reaches, by a grid that has a scale. */
INLINE int64_t TYPED(reached_in)(TYPED(grid) grid, SCORE score, const SCORE *limits) {
    const int64_t cell = TYPED(cell)(score, grid);
    return cell + (score >= limits[cell]) + (score >= limits[cell + 1]);
}

/* ---- the greatest score of each datum */

#ifdef VECTORS
#define LANES LANES_OF_16_BYTES
#else
#define LANES 1
#endif
#define TARGET
#define FOR_CPU(name) TYPED(name##_anywhere)
#include "tops.h"

#ifdef WIDE_VECTORS
#if LANES_OF_16_BYTES > 1
#define LANES LANES_OF_16_BYTES
#define TARGET __attribute__((target("avx2")))
#define FOR_CPU(name) TYPED(name##_avx2_short)
#include "tops.h"
#endif

#define LANES LANES_OF_32_BYTES
#define TARGET __attribute__((target("avx2")))
#define FOR_CPU(name) TYPED(name##_avx2)
#include "tops.h"
#endif

EXPORT(SCORE, TYPED(top_of_rows), const SCORE *values, int64_t count, int64_t width, int32_t *top,
       SCORE *scores) {
#ifdef WIDE_VECTORS
    if (width >= FEWEST && __builtin_cpu_supports("avx2")) {
#if LANES_OF_16_BYTES > 1
        if (width < SHORT) return TYPED(tops_avx2_short)(values, count, width, top, scores);
#endif
        return TYPED(tops_avx2)(values, count, width, top, scores);
    }
#endif
    return TYPED(tops_anywhere)(values, count, width, top, scores);
}

/* clang-format off */
STRUCT(TYPED(Rows),
    const SCORE *values;
    int64_t count;
    int64_t width;
    const int32_t *top; /* columns of the row maxima, or NULL to compute them */
    const SCORE *scores;
);
/* clang-format on */

/* Row maxima of a block: computed here, or copied from the caller's. */
typedef struct {
    int32_t top[LIST];
    SCORE scores[LIST];
} TYPED(tops_of_list);

typedef struct {
    const int32_t *top;
    const SCORE *scores;
} TYPED(tops_given);

INLINE TYPED(tops_given) TYPED(tops_from)(const TYPED(Rows) * of, int64_t start, int64_t rows,
                                          TYPED(tops_of_list) * found) {
    const int64_t width = of->width;
    TYPED(tops_given) own;
    if (of->top) {
        own.top = of->top + start;
        own.scores = of->scores + start;
    } else {
        TYPED(top_of_rows)(of->values + start * width, rows, width, found->top, found->scores);
        own.top = found->top;
        own.scores = found->scores;
    }
    return own;
}

EXPORT(void, TYPED(top_of_runs), const int64_t *datums, const SCORE *values, int64_t count,
       int64_t *top) {
    for (int64_t entry = 0; entry < count; entry++) {
        int64_t *best = top + datums[entry];
        if (*best < 0 || values[entry] > values[*best]) *best = entry;
    }
}

EXPORT(void, TYPED(scores_in_rows), const SCORE *values, int64_t count, int64_t width,
       const int64_t *columns, SCORE *scores) {
    for (int64_t row = 0; row < count; row++) scores[row] = values[row * width + columns[row]];
}

EXPORT(WIDE int64_t, TYPED(outside), const SCORE *values, int64_t count, double low, double high) {
    const SCORE least = (SCORE)low, most = (SCORE)high;
    int64_t found = 0;
    for (int64_t start = 0; start < count; start += BLOCK) {
        int64_t stop = start + BLOCK < count ? start + BLOCK : count;
        INDEX strange = 0;
        for (int64_t i = start; i < stop; i++) strange += (values[i] < least) | (values[i] > most);
        found += strange;
    }
    return found;
}

/* ---- thresholds */

EXPORT(WIDE void, TYPED(passed), const SCORE *values, int64_t count, const SCORE *limits,
       int64_t limit_count, uint8_t *out) {
    if (limit_count > FEW_LIMITS) {
        const TYPED(grid) grid = TYPED(grid_of)(limits, limit_count);
        if (grid.scale != 0)
            for (int64_t i = 0; i < count; i++)
                out[i] = (uint8_t)TYPED(reached_in)(grid, values[i], limits);
        else
            for (int64_t i = 0; i < count; i++)
                out[i] = (uint8_t)TYPED(reached)(values[i], limits, limit_count);
        return;
    }
    for (int64_t start = 0; start < count; start += BLOCK) {
        int64_t stop = start + BLOCK < count ? start + BLOCK : count;
        memset(out + start, 0, (size_t)(stop - start));
        for (int64_t limit = 0; limit < limit_count; limit++)
            for (int64_t i = start; i < stop; i++) out[i] += values[i] >= limits[limit];
    }
}

/* Adds each row to the table's cell of its truth, the label of its top, and how many limits the
 * top's score reaches. A truth of -1 means none. Tops are computed unless given. */
EXPORT(void, TYPED(top_table), const TYPED(Rows) * of, const int64_t *labels, const int64_t *truths,
       const SCORE *limits, int64_t limit_count, int64_t label_count, int64_t *table) {
    const int64_t count = of->count;
    TYPED(tops_of_list) found;
    uint8_t bins[LIST];
    for (int64_t start = 0; start < count; start += LIST) {
        const int64_t rows = count - start < LIST ? count - start : LIST;
        const TYPED(tops_given) own = TYPED(tops_from)(of, start, rows, &found);
        TYPED(passed)(own.scores, rows, limits, limit_count, bins);
        for (int64_t row = 0; row < rows; row++) {
            int64_t pair = (truths[start + row] + 1) * (label_count + 1) + labels[own.top[row]] + 1;
            table[pair * (limit_count + 1) + bins[row]]++;
        }
    }
}

/* Scores by column and by the number of limits that they reach. Those that reach none, mostly
 * the greater part, are not counted here. */
EXPORT(WIDE void, TYPED(threshold_histogram), const SCORE *values, int64_t count, int64_t width,
       const SCORE *limits, int64_t limit_count, int64_t *table) {
    int32_t places[LIST];
    SCORE kept[LIST];
    INDEX bins[LIST];
    const TYPED(grid) grid = TYPED(grid_of)(limits, limit_count);
    const SCORE lowest = limits[0];
    const int64_t size = count * width;
    uint32_t column = 0;
    for (int64_t start = 0; start < size; start += LIST) {
        const SCORE *block = values + start;
        int32_t length = start + LIST < size ? LIST : (int32_t)(size - start);
        int32_t found = 0, i = 0;
        for (; i + SKIPPED <= length; i += SKIPPED) {
            INDEX some = 0;
            for (int32_t j = i; j < i + SKIPPED; j++) some |= block[j] >= lowest;
            if (!some) continue;
            for (int32_t j = i; j < i + SKIPPED; j++) {
                places[found] = j;
                found += block[j] >= lowest;
            }
        }
        for (; i < length; i++) {
            places[found] = i;
            found += block[i] >= lowest;
        }
        for (i = 0; i < found; i++) kept[i] = block[places[i]];
        if (limit_count <= FEW_LIMITS) {
            for (i = 0; i < found; i++) bins[i] = 1;
            for (int64_t limit = 1; limit < limit_count; limit++)
                for (i = 0; i < found; i++) bins[i] += kept[i] >= limits[limit];
        } else if (grid.scale != 0) {
            for (i = 0; i < found; i++) bins[i] = (INDEX)TYPED(reached_in)(grid, kept[i], limits);
        } else {
            for (i = 0; i < found; i++)
                bins[i] = (INDEX)TYPED(reached)(kept[i], limits, limit_count);
        }
        for (i = 0; i < found; i++) {
            const uint32_t own = (column + (uint32_t)places[i]) % (uint32_t)width;
            table[own * (limit_count + 1) + bins[i]]++;
        }
        column = (column + (uint32_t)length) % (uint32_t)width;
    }
}

/* Adds scores in [0, 1] to the table by the number of limits that they reach and whether they hit,
 * and to the exact sums of their bins. Returns how many are outside. */
INLINE int64_t TYPED(add_to_bins)(const SCORE *values, const uint8_t *hits, int64_t count,
                                  const SCORE *limits, int64_t limit_count, int64_t *table,
                                  const Sums *sums) {
    uint64_t *const limbs = sums->limbs;
    const int64_t limb_count = sums->limb_count;
    const int unit_bits = sums->unit_bits;
    uint8_t bins[LIST];
    const int64_t strange = TYPED(outside)(values, count, 0, 1);
    TYPED(passed)(values, count, limits, limit_count, bins);
    for (int64_t i = 0; i < count; i++) {
        if (strange && (values[i] < 0 || values[i] > 1)) continue;
        table[2 * bins[i] + hits[i]]++;
        add_probability(limbs + bins[i] * limb_count, unit_bits, values[i]);
    }
    return strange;
}

EXPORT(int64_t, TYPED(reliability), const SCORE *values, const uint8_t *hits, int64_t count,
       const SCORE *limits, int64_t limit_count, int64_t *table, const Sums *sums) {
    int64_t strange = 0, lists = 0;
    for (int64_t start = 0; start < count; start += LIST) {
        const int64_t rows = count - start < LIST ? count - start : LIST;
        strange += TYPED(add_to_bins)(values + start, hits + start, rows, limits, limit_count,
                                      table, sums);
        if (++lists % CARRIED == 0) carry_all(sums, limit_count + 1);
    }
    carry_all(sums, limit_count + 1);
    return strange;
}

/* The same for the tops of rows, which hit if their label is the truth. */
EXPORT(int64_t, TYPED(top_reliability), const TYPED(Rows) * of, const int64_t *labels,
       const int64_t *truths, const SCORE *limits, int64_t limit_count, int64_t *table,
       const Sums *sums) {
    const int64_t count = of->count;
    TYPED(tops_of_list) found;
    uint8_t hits[LIST];
    int64_t strange = 0, lists = 0;
    for (int64_t start = 0; start < count; start += LIST) {
        const int64_t rows = count - start < LIST ? count - start : LIST;
        const TYPED(tops_given) own = TYPED(tops_from)(of, start, rows, &found);
        for (int64_t row = 0; row < rows; row++)
            hits[row] = labels[own.top[row]] == truths[start + row];
        strange += TYPED(add_to_bins)(own.scores, hits, rows, limits, limit_count, table, sums);
        if (++lists % CARRIED == 0) carry_all(sums, limit_count + 1);
    }
    carry_all(sums, limit_count + 1);
    return strange;
}

/* Adds the squared differences between scores in [0, 1] and truth, which is 1 in the columns that
 * `truths` gives for their `datums`, ascending, and 0 elsewhere. The first row is that of datum
 * `first`. Rows without a truth are skipped; a column of -1 means none. */
EXPORT(void, TYPED(squared_errors), const SCORE *values, int64_t count, int64_t width,
       int64_t first, const int64_t *datums, const int64_t *truths, int64_t truth_count,
       const Sums *sum) {
    uint64_t *const limbs = sum->limbs;
    const int unit_bits = sum->unit_bits;
    int64_t end = 0;
    for (int64_t row = 0; row < count; row++) {
        const int64_t start = end;
        if (row % LIST == 0) carry(limbs, sum->limb_count);
        while (end < truth_count && datums[end] == first + row) end++;
        if (start == end) continue;
        for (int64_t column = 0; column < width; column++) {
            double error = values[row * width + column];
            for (int64_t truth = start; truth < end; truth++)
                if (truths[truth] == column) error -= 1;
            add_square(limbs, unit_bits, error * error);
        }
    }
    carry(limbs, sum->limb_count);
}

/* ---- ranking */

/* Scores of the cells of a matrix whose datum truly has the column's label, column by column.
 * The matrix comes in chunks, whose first rows are `starts`. `ends` holds the end of each column's
 * scores, and on return their start. */
EXPORT(void, TYPED(positives), const SCORE *const *chunks, const int64_t *starts,
       int64_t chunk_count, int64_t width, const int64_t *rows, const int64_t *columns,
       int64_t count, int64_t *ends, SCORE *scores) {
    int64_t chunk = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = rows[i];
        if (row < starts[chunk] || row >= starts[chunk + 1]) {
            int64_t last = chunk_count;
            chunk = 0;
            while (last - chunk > 1) {
                int64_t middle = (chunk + last) / 2;
                if (row < starts[middle])
                    last = middle;
                else
                    chunk = middle;
            }
        }
        scores[--ends[columns[i]]] = chunks[chunk][(row - starts[chunk]) * width + columns[i]];
    }
}

/* Appends the scores of columns that reach the column's `least` to its copy. Copies have space for
 * `step` scores and are written up to their `ends`. */
EXPORT(void, TYPED(gather), const SCORE *rows, int64_t count, int64_t width, int64_t columns,
       const SCORE *least, SCORE *copies, int64_t step, int64_t *ends) {
    for (int64_t row = 0; row < count; row++) {
        const SCORE *scores = rows + row * width;
        /* The processor does not predict strides this long. */
        if (width > columns && row + AHEAD < count)
            for (int64_t column = 0; column < columns; column += LINE / (int64_t)sizeof(SCORE))
                PREFETCH(scores + AHEAD * width + column);
        for (int64_t column = 0; column < columns; column++) {
            const SCORE score = scores[column];
            const int64_t end = ends[column];
            copies[column * step + end] = score;
            ends[column] = end + (score >= least[column]);
        }
    }
}

/* clang-format off */
STRUCT(TYPED(Label),
    const SCORE *scores; /* of positives and negatives, ascending */
    int64_t count;
    const SCORE *positives; /* ascending */
    int64_t positive_count;
    int64_t unlisted_positives; /* without a score: they tie with each other below everything */
    int64_t unlisted_negatives;
);
/* clang-format on */

/* Ranks of a label's positives among its scores. Returns the number of scores below each positive
 * plus the number not above it, summed over the positives, and adds their precisions to `sum`. The
 * arrays exclude `below` scores, which are below all positives. */
EXPORT(int64_t, TYPED(rank), const TYPED(Label) * of, int64_t below, const Sums *sum) {
    const SCORE *scores = of->scores, *positives = of->positives;
    const int64_t count = of->count, positive_count = of->positive_count;
    const int64_t unlisted_positives = of->unlisted_positives;
    const int64_t unlisted = unlisted_positives + of->unlisted_negatives;
    uint64_t *const limbs = sum->limbs;
    const int64_t limb_count = sum->limb_count;
    const int unit_bits = sum->unit_bits;
    int64_t found = 0, wins = 0;
    for (int64_t i = 0; i < positive_count;) {
        const SCORE score = positives[i];
        const int64_t first = i;
        int64_t size, lower;
        /* NaN is not equal to itself. */
        do i++;
        while (i < positive_count && positives[i] == score);
        size = i - first;
        while (found < count && scores[found] < score) found++;
        lower = found;
        while (found < count && scores[found] == score) found++;
        wins += size * (2 * below + lower + found);
        add_exactly(limbs, unit_bits,
                    (double)(size * (positive_count - first)) / (double)(count - lower));
        if ((i & 0xffffff) < size) carry(limbs, limb_count);
    }
    if (unlisted_positives)
        add_exactly(limbs, unit_bits,
                    (double)(unlisted_positives * (positive_count + unlisted_positives)) /
                        (double)(below + count + unlisted));
    carry(limbs, limb_count);
    return wins;
}

/* `rank` of several columns of a matrix of `datums` rows. Copies of their scores begin every `step`
 * scores and end at `ends`; the positives of each column begin at `starts`. */
EXPORT(void, TYPED(rank_columns), const SCORE *copies, int64_t step, const int64_t *ends,
       const SCORE *positives, const int64_t *starts, int64_t columns, int64_t datums,
       int64_t *wins, const Sums *sums) {
    for (int64_t column = 0; column < columns; column++) {
        const int64_t start = starts[column], count = ends[column];
        const TYPED(Label) label = {copies + column * step,     count, positives + start,
                                    starts[column + 1] - start, 0,     0};
        const Sums sum = {sums->limbs + column * sums->limb_count, sums->limb_count,
                          sums->unit_bits};
        wins[column] = TYPED(rank)(&label, datums - count, &sum);
    }
}

/* Points of a curve, the greatest score first; returns how many. With `bends`, points
 * between two equal steps are dropped. */
EXPORT(int64_t, TYPED(rank_curve), const TYPED(Label) * of, int bends, SCORE *thresholds,
       int32_t *true_positives, int32_t *false_positives) {
    const SCORE *scores = of->scores, *positives = of->positives;
    const int64_t count = of->count, positive_count = of->positive_count;
    const int64_t unlisted_positives = of->unlisted_positives;
    const int64_t unlisted_negatives = of->unlisted_negatives;
    int64_t found = count, matched = positive_count, points = 0;
    int64_t true_before = -1, false_before = -1;
    int unlisted = unlisted_positives + unlisted_negatives > 0;
    while (found || unlisted) {
        SCORE threshold = (SCORE)-INFINITY;
        int64_t true_step = unlisted_positives, false_step = unlisted_negatives;
        if (found) {
            const int64_t last = found, last_matched = matched;
            threshold = scores[found - 1];
            do found--;
            while (found && scores[found - 1] == threshold);
            while (matched && positives[matched - 1] == threshold) matched--;
            true_step = last_matched - matched;
            false_step = last - found - true_step;
        } else {
            unlisted = 0;
        }
        if (bends && points > 1 && true_step == true_before && false_step == false_before) points--;
        true_before = true_step;
        false_before = false_step;
        thresholds[points] = threshold + (SCORE)0;
        true_positives[points] = (int32_t)(positive_count - matched);
        false_positives[points] = (int32_t)(count - found - positive_count + matched);
        if (threshold == (SCORE)-INFINITY) {
            true_positives[points] += (int32_t)unlisted_positives;
            false_positives[points] += (int32_t)unlisted_negatives;
        }
        points++;
    }
    return points;
}

/* ---- the rank of the truth */

EXPORT(WIDE void, TYPED(ranks_of_truth), const SCORE *values, int64_t count, int64_t width,
       const int64_t *truths, int64_t unlisted, int64_t *ranks) {
    for (int64_t row = 0; row < count; row++) {
        const SCORE *scores = values + row * width;
        const int64_t truth = truths[row];
        int64_t rank = 0;
        if (truth < 0) {
            ranks[row] = unlisted;
            continue;
        }
        for (int64_t start = 0; start < width; start += BLOCK) {
            const SCORE score = scores[truth];
            const int64_t stop = start + BLOCK < width ? start + BLOCK : width;
            const int64_t middle = truth < start ? start : truth < stop ? truth : stop;
            INDEX before = 0;
            for (int64_t i = start; i < middle; i++) before += scores[i] >= score;
            for (int64_t i = middle; i < stop; i++) before += scores[i] > score;
            rank += before;
        }
        ranks[row] = rank;
    }
}

EXPORT(void, TYPED(ranks_of_truth_in_runs), const int64_t *datums, const SCORE *values,
       int64_t count, const int64_t *truths, int64_t *ranks) {
    for (int64_t entry = 0; entry < count; entry++) {
        const int64_t truth = truths[datums[entry]];
        if (truth < 0) continue;
        ranks[datums[entry]] +=
            values[entry] > values[truth] || (values[entry] == values[truth] && entry < truth);
    }
}
