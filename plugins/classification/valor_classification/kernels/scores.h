/* Kernels over scores of one type: SCORE, and a whole number PLACE of the same size. */

/* Number of ascending limits that a score reaches. */
INLINE int64_t OF(reached)(SCORE score, const SCORE *limits, int64_t limit_count) {
    int64_t low = 0, length = limit_count;
    if (limit_count <= FEW_LIMITS) {
        PLACE few = 0;
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

/* ---- the greatest score of each datum */

INLINE void OF(raise)(SCORE *greatest, const SCORE *scores, int count) {
    for (int i = 0; i < count; i++) greatest[i] = scores[i] > greatest[i] ? scores[i] : greatest[i];
}

/* The top of a row of LANES scores and more; its last block overlaps the one before it. */
INLINE void OF(top_of_row)(const SCORE *row, int64_t width, int32_t *top, SCORE *score) {
    const int64_t last = width - LANES;
    SCORE lanes[LANES], greatest;
    PLACE first = LANES;
    memcpy(lanes, row + last, sizeof lanes);
    for (int64_t column = 0; column < last; column += LANES)
        OF(raise)(lanes, row + column, LANES);
    for (int half = LANES / 2; half; half /= 2) OF(raise)(lanes, lanes + half, half);
    greatest = lanes[0];
    for (int64_t column = 0;; column += LANES) {
        PLACE found = 0;
        if (column > last) column = last;
        for (int lane = 0; lane < LANES; lane++) found |= row[column + lane] == greatest;
        if (!found) continue;
        for (PLACE lane = 0; lane < LANES; lane++) {
            PLACE place = row[column + lane] == greatest ? lane : LANES;
            first = place < first ? place : first;
        }
        *top = (int32_t)(column + first);
        *score = greatest + (SCORE)0;
        return;
    }
}

/* The tops of ROWS short rows, whose comparisons do not wait for each other. */
INLINE void OF(tops_side_by_side)(
    const SCORE *rows, int64_t width, int32_t *top, SCORE *scores
) {
    SCORE greatest[ROWS];
    PLACE places[ROWS];
    for (int row = 0; row < ROWS; row++) {
        greatest[row] = rows[row * width];
        places[row] = 0;
    }
    for (PLACE column = 1; column < width; column++) {
        for (int row = 0; row < ROWS; row++) {
            const SCORE score = rows[row * width + column];
            places[row] = score > greatest[row] ? column : places[row];
            greatest[row] = score > greatest[row] ? score : greatest[row];
        }
    }
    for (int row = 0; row < ROWS; row++) {
        top[row] = (int32_t)places[row];
        scores[row] = greatest[row] + (SCORE)0;
    }
}

KERNEL WIDE void OF(top_of_rows)(
    const SCORE *values, int64_t count, int64_t width, int32_t *top, SCORE *scores
) {
    int64_t row = 0;
    if (width >= LANES) {
        for (; row < count; row++)
            OF(top_of_row)(values + row * width, width, top + row, scores + row);
        return;
    }
    for (; row + ROWS <= count; row += ROWS)
        OF(tops_side_by_side)(values + row * width, width, top + row, scores + row);
    for (; row < count; row++) {
        const SCORE *own = values + row * width;
        int64_t best = 0;
        for (int64_t column = 1; column < width; column++)
            if (own[column] > own[best]) best = column;
        top[row] = (int32_t)best;
        scores[row] = own[best] + (SCORE)0;
    }
}

KERNEL void OF(top_of_runs)(
    const int64_t *datums, const SCORE *values, int64_t count, int64_t *top
) {
    for (int64_t entry = 0; entry < count; entry++) {
        int64_t *best = top + datums[entry];
        if (*best < 0 || values[entry] > values[*best]) *best = entry;
    }
}

KERNEL void OF(scores_in_rows)(
    const SCORE *values, int64_t count, int64_t width, const int64_t *columns, SCORE *scores
) {
    for (int64_t row = 0; row < count; row++) scores[row] = values[row * width + columns[row]];
}

KERNEL WIDE int64_t OF(outside)(const SCORE *values, int64_t count, double low, double high) {
    const SCORE least = (SCORE)low, most = (SCORE)high;
    int64_t found = 0;
    for (int64_t start = 0; start < count; start += BLOCK) {
        int64_t stop = start + BLOCK < count ? start + BLOCK : count;
        PLACE strange = 0;
        for (int64_t i = start; i < stop; i++) strange += (values[i] < least) | (values[i] > most);
        found += strange;
    }
    return found;
}

/* ---- thresholds */

KERNEL WIDE void OF(passed)(
    const SCORE *values, int64_t count, const SCORE *limits, int64_t limit_count, uint8_t *out
) {
    if (limit_count > FEW_LIMITS) {
        for (int64_t i = 0; i < count; i++)
            out[i] = (uint8_t)OF(reached)(values[i], limits, limit_count);
        return;
    }
    for (int64_t start = 0; start < count; start += BLOCK) {
        int64_t stop = start + BLOCK < count ? start + BLOCK : count;
        memset(out + start, 0, (size_t)(stop - start));
        for (int64_t limit = 0; limit < limit_count; limit++)
            for (int64_t i = start; i < stop; i++) out[i] += values[i] >= limits[limit];
    }
}

/* Adds each row to the table's cell of its truth, the label of its top, and how many limits that
 * reaches. A truth of -1 is none. */
KERNEL void OF(top_table)(
    const SCORE *values, int64_t count, int64_t width, const int64_t *labels,
    const int64_t *truths, const SCORE *limits, int64_t limit_count, int64_t label_count,
    int64_t *table
) {
    int32_t top[LIST];
    SCORE scores[LIST];
    uint8_t bins[LIST];
    for (int64_t start = 0; start < count; start += LIST) {
        const int64_t rows = count - start < LIST ? count - start : LIST;
        OF(top_of_rows)(values + start * width, rows, width, top, scores);
        OF(passed)(scores, rows, limits, limit_count, bins);
        for (int64_t row = 0; row < rows; row++) {
            int64_t pair = (truths[start + row] + 1) * (label_count + 1) + labels[top[row]] + 1;
            table[pair * (limit_count + 1) + bins[row]]++;
        }
    }
}

/* Scores by column and by the number of limits that they reach. Those that reach none, mostly
 * the greater part, are not counted here. */
KERNEL WIDE void OF(threshold_histogram)(
    const SCORE *values, int64_t count, int64_t width, const SCORE *limits, int64_t limit_count,
    int64_t *table
) {
    int32_t places[LIST];
    SCORE kept[LIST];
    PLACE bins[LIST];
    const SCORE lowest = limits[0];
    const int64_t size = count * width;
    uint32_t column = 0;
    for (int64_t start = 0; start < size; start += LIST) {
        const SCORE *block = values + start;
        int32_t length = start + LIST < size ? LIST : (int32_t)(size - start);
        int32_t found = 0, i = 0;
        for (; i + SKIPPED <= length; i += SKIPPED) {
            PLACE some = 0;
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
        } else {
            for (i = 0; i < found; i++)
                bins[i] = (PLACE)OF(reached)(kept[i], limits, limit_count);
        }
        for (i = 0; i < found; i++) {
            const uint32_t own = (column + (uint32_t)places[i]) % (uint32_t)width;
            table[own * (limit_count + 1) + bins[i]]++;
        }
        column = (column + (uint32_t)length) % (uint32_t)width;
    }
}

/* Datums, those that hit, and exact sums of scores from 0 on, in units of 2**-unit_bits, by the
 * number of limits that each score reaches. */
KERNEL void OF(reliability)(
    const SCORE *values, const uint8_t *hits, int64_t count, const SCORE *limits,
    int64_t limit_count, int64_t *counts, int64_t *hit_counts, uint64_t *limbs,
    int64_t limb_count, int unit_bits
) {
    uint8_t bins[LIST];
    int64_t blocks = 0;
    for (int64_t start = 0; start < count; start += LIST) {
        const int64_t rows = count - start < LIST ? count - start : LIST;
        const SCORE *own = values + start;
        OF(passed)(own, rows, limits, limit_count, bins);
        for (int64_t i = 0; i < rows; i++) {
            counts[bins[i]]++;
            hit_counts[bins[i]] += hits[start + i];
            add_exactly(limbs + bins[i] * limb_count, unit_bits, own[i]);
        }
        if (++blocks % CARRIED == 0) carry_all(limbs, limit_count + 1, limb_count);
    }
    carry_all(limbs, limit_count + 1, limb_count);
}

/* ---- ranking */

/* Scores of the cells of a matrix whose datum truly has the column's label, column by column.
 * The matrix comes in chunks, whose first rows are `starts`; `ends` are where the columns'
 * scores end, and become where they begin. */
KERNEL void OF(positives)(
    const SCORE *const *chunks, const int64_t *starts, int64_t chunk_count, int64_t width,
    const int64_t *rows, const int64_t *columns, int64_t count, int64_t *ends, SCORE *scores
) {
    int64_t chunk = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = rows[i];
        if (row < starts[chunk] || row >= starts[chunk + 1]) {
            int64_t last = chunk_count;
            chunk = 0;
            while (last - chunk > 1) {
                int64_t middle = (chunk + last) / 2;
                if (row < starts[middle]) last = middle;
                else chunk = middle;
            }
        }
        scores[--ends[columns[i]]] = chunks[chunk][(row - starts[chunk]) * width + columns[i]];
    }
}

/* Adds the scores of some columns that reach the column's `least` to a copy of it. Copies have
 * space for `step` scores and are written up to their `ends`. */
KERNEL void OF(gather)(
    const SCORE *rows, int64_t count, int64_t width, int64_t columns, const SCORE *least,
    SCORE *copies, int64_t step, int64_t *ends
) {
    for (int64_t row = 0; row < count; row++) {
        const SCORE *scores = rows + row * width;
        /* Rows longer than what is read of them are too far apart for the processor to guess. */
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

/* How a label's positives rank among its scores, both ascending. Answers the number of scores
 * below each positive plus that of scores not above it, summed over the positives, and adds the
 * precisions at them to `limbs`. `below` scores are left out since they are below all positives;
 * the unlisted tie with each other below everything. */
KERNEL int64_t OF(rank)(
    const SCORE *scores, int64_t count, const SCORE *positives, int64_t positive_count,
    int64_t below, int64_t unlisted_positives, int64_t unlisted, uint64_t *limbs,
    int64_t limb_count, int unit_bits
) {
    int64_t found = 0, wins = 0;
    for (int64_t i = 0; i < positive_count;) {
        const SCORE score = positives[i];
        const int64_t first = i;
        int64_t size, lower;
        while (i < positive_count && positives[i] == score) i++;
        size = i - first;
        while (found < count && scores[found] < score) found++;
        lower = found;
        while (found < count && scores[found] == score) found++;
        wins += size * (2 * below + lower + found);
        add_exactly(
            limbs, unit_bits,
            (double)(size * (positive_count - first)) / (double)(count - lower)
        );
        if ((i & 0xffffff) < size) carry(limbs, limb_count);
    }
    if (unlisted_positives)
        add_exactly(
            limbs, unit_bits,
            (double)(unlisted_positives * (positive_count + unlisted_positives))
                / (double)(below + count + unlisted)
        );
    carry(limbs, limb_count);
    return wins;
}

/* The points of a curve of ascending scores, the greatest first; answers how many. Where `bends`
 * is set, a point is left out if the steps before and after it are the same. */
KERNEL int64_t OF(rank_curve)(
    const SCORE *scores, int64_t count, const SCORE *positives, int64_t positive_count,
    int64_t unlisted_positives, int64_t unlisted_negatives, int bends, SCORE *thresholds,
    int64_t *true_positives, int64_t *false_positives
) {
    int64_t found = count, matched = positive_count, points = 0;
    int64_t true_before = -1, false_before = -1;
    int unlisted = unlisted_positives + unlisted_negatives > 0;
    while (found || unlisted) {
        SCORE threshold = (SCORE)-INFINITY;
        int64_t true_step = unlisted_positives, false_step = unlisted_negatives;
        if (found) {
            const int64_t last = found, last_matched = matched;
            threshold = scores[found - 1];
            while (found && scores[found - 1] == threshold) found--;
            while (matched && positives[matched - 1] == threshold) matched--;
            true_step = last_matched - matched;
            false_step = last - found - true_step;
        } else {
            unlisted = 0;
        }
        if (bends && points > 1 && true_step == true_before && false_step == false_before)
            points--;
        true_before = true_step;
        false_before = false_step;
        thresholds[points] = threshold + (SCORE)0;
        true_positives[points] = positive_count - matched;
        false_positives[points] = count - found - true_positives[points];
        if (threshold == (SCORE)-INFINITY) {
            true_positives[points] += unlisted_positives;
            false_positives[points] += unlisted_negatives;
        }
        points++;
    }
    return points;
}

/* ---- the rank of the truth */

KERNEL WIDE void OF(ranks_of_truth)(
    const SCORE *values, int64_t count, int64_t width, const int64_t *truths, int64_t unlisted,
    int64_t *ranks
) {
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
            PLACE before = 0;
            for (int64_t i = start; i < middle; i++) before += scores[i] >= score;
            for (int64_t i = middle; i < stop; i++) before += scores[i] > score;
            rank += before;
        }
        ranks[row] = rank;
    }
}

KERNEL void OF(ranks_of_truth_in_runs)(
    const int64_t *datums, const SCORE *values, int64_t count, const int64_t *truths,
    int64_t *ranks
) {
    for (int64_t entry = 0; entry < count; entry++) {
        const int64_t truth = truths[datums[entry]];
        if (truth < 0) continue;
        ranks[datums[entry]] += values[entry] > values[truth]
            || (values[entry] == values[truth] && entry < truth);
    }
}
