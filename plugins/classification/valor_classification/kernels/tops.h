/* The greatest score of each row, for one type of scores. `scores.h` includes this file once for
 * each kind of processor: FOR_CPU makes names for that kind, TARGET enables its instructions, and
 * LANES is the number of scores in one comparison. */

#if LANES == 8
#define ORDER {0, 1, 2, 3, 4, 5, 6, 7}
#else
#define ORDER {0, 1, 2, 3}
#endif

#if LANES > 1

typedef SCORE FOR_CPU(lanes) __attribute__((vector_size(LANES * sizeof(SCORE))));
typedef INDEX FOR_CPU(indices) __attribute__((vector_size(LANES * sizeof(SCORE))));
typedef FOR_CPU(lanes) FOR_CPU(loose) __attribute__((aligned(sizeof(SCORE)), may_alias));
typedef SCORE FOR_CPU(quad) __attribute__((vector_size(4 * sizeof(SCORE))));
typedef INDEX FOR_CPU(codes) __attribute__((vector_size(4 * sizeof(SCORE))));

/* Updates the greatest scores of each lane, and their columns, with the next scores of a row. */
INLINE void FOR_CPU(raise)(FOR_CPU(lanes) * greatest, FOR_CPU(indices) * columns,
                           FOR_CPU(lanes) * sum, const SCORE *row, int64_t column) {
    const FOR_CPU(indices) own = (FOR_CPU(indices))ORDER + (INDEX)column;
    const FOR_CPU(lanes) scores = *(const FOR_CPU(loose) *)(row + column);
    const FOR_CPU(indices) higher = (FOR_CPU(indices))(scores > *greatest);
    *sum += scores;
    *greatest = (FOR_CPU(lanes))EITHER(FOR_CPU(indices), higher, scores, *greatest);
    *columns = EITHER(FOR_CPU(indices), higher, own, *columns);
}

/* The greatest of four lanes. */
INLINE void FOR_CPU(fold)(const FOR_CPU(lanes) * greatest, const FOR_CPU(indices) * columns,
                          FOR_CPU(quad) * best, FOR_CPU(codes) * first) {
    *best = __builtin_shufflevector(*greatest, *greatest, 0, 1, 2, 3);
    *first = __builtin_shufflevector(*columns, *columns, 0, 1, 2, 3);
#if LANES == 8
    {
        const FOR_CPU(quad) others = __builtin_shufflevector(*greatest, *greatest, 4, 5, 6, 7);
        const FOR_CPU(codes) theirs = __builtin_shufflevector(*columns, *columns, 4, 5, 6, 7);
        const FOR_CPU(codes) higher =
            (FOR_CPU(codes))(others > *best) |
            ((FOR_CPU(codes))(others == *best) & (FOR_CPU(codes))(theirs < *first));
        *best = (FOR_CPU(quad))EITHER(FOR_CPU(codes), higher, others, *best);
        *first = EITHER(FOR_CPU(codes), higher, theirs, *first);
    }
#endif
}

/* The tops of four rows of LANES scores or more. The last lanes of a row may overlap those before.
 * The rows `ahead` are prefetched, since the processor does not predict strides this long. Two
 * independent sums hide the latency of additions. */
INLINE void FOR_CPU(tops_of_four)(const SCORE *rows, int64_t width, int64_t ahead, int32_t *top,
                                  SCORE *scores, FOR_CPU(lanes) * sums) {
    const int64_t last = width - LANES;
    FOR_CPU(lanes) greatest[4];
    FOR_CPU(indices) columns[4];
    FOR_CPU(quad) bests[4], best;
    FOR_CPU(codes) firsts[4], first;
    for (int row = 0; row < 4; row++) {
        greatest[row] = *(const FOR_CPU(loose) *)(rows + row * width);
        columns[row] = (FOR_CPU(indices))ORDER;
        sums[row % 2] += greatest[row];
    }
    for (int64_t column = LANES; column < last; column += LANES) {
        if (column % (LINE / (int64_t)sizeof(SCORE)) == 0)
            for (int row = 0; row < 4; row++) PREFETCH(rows + row * width + column + ahead);
        for (int row = 0; row < 4; row++) FOR_CPU(raise)
        (greatest + row, columns + row, sums + row % 2, rows + row * width, column);
    }
    for (int row = 0; row < 4; row++) {
        FOR_CPU(raise)(greatest + row, columns + row, sums + row % 2, rows + row * width, last);
        FOR_CPU(fold)(greatest + row, columns + row, bests + row, firsts + row);
    }
    /* From here on, a vector holds the same lane of the four rows. */
    TRANSPOSE(bests);
    TRANSPOSE(firsts);
    best = bests[0];
    for (int lane = 1; lane < 4; lane++) {
        const FOR_CPU(codes) higher = (FOR_CPU(codes))(bests[lane] > best);
        best = (FOR_CPU(quad))EITHER(FOR_CPU(codes), higher, bests[lane], best);
    }
    first = (FOR_CPU(codes)){0} + (INDEX)width;
    for (int lane = 0; lane < 4; lane++) {
        const FOR_CPU(codes) earlier =
            (FOR_CPU(codes))(bests[lane] == best) & (FOR_CPU(codes))(firsts[lane] < first);
        first = EITHER(FOR_CPU(codes), earlier, firsts[lane], first);
    }
    best += (SCORE)0;
    memcpy(scores, &best, sizeof best);
    for (int row = 0; row < 4; row++) top[row] = (int32_t)first[row];
}

#endif

/* The tops of four rows, compared independently of each other; returns the sum, if requested. */
INLINE SCORE FOR_CPU(tops_side_by_side)(const SCORE *rows, int64_t width, int32_t *top,
                                        SCORE *scores, const int is_summed) {
    SCORE greatest[4], sums[4] = {0};
    INDEX places[4];
    for (int row = 0; row < 4; row++) {
        greatest[row] = rows[row * width];
        places[row] = 0;
    }
    for (INDEX column = 0; column < width; column++) {
        for (int row = 0; row < 4; row++) {
            const SCORE score = rows[row * width + column];
            if (is_summed) sums[row] += score;
            places[row] = score > greatest[row] ? column : places[row];
            greatest[row] = score > greatest[row] ? score : greatest[row];
        }
    }
    for (int row = 0; row < 4; row++) {
        top[row] = (int32_t)places[row];
        scores[row] = greatest[row] + (SCORE)0;
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

/* Returns a sum of all scores, with duplicates: it is finite only if all scores are. Rows too
 * short for vectors are not summed, and the result is NaN. */
EXPORT(TARGET SCORE, FOR_CPU(tops), const SCORE *values, int64_t count, int64_t width, int32_t *top,
       SCORE *scores) {
    SCORE sum = 0;
    int64_t row = 0;
#if LANES > 1
    if (width < LANES) {
        sum = (SCORE)NAN;
        for (; row + 4 <= count; row += 4)
            FOR_CPU(tops_side_by_side)(values + row * width, width, top + row, scores + row, 0);
    } else {
        FOR_CPU(lanes) sums[2] = {{0}, {0}};
        for (; row + 4 <= count; row += 4) {
            const int64_t ahead = row + 12 <= count ? 8 * width : 0;
            FOR_CPU(tops_of_four)
            (values + row * width, width, ahead, top + row, scores + row, sums);
        }
        for (int lane = 0; lane < LANES; lane++) sum += sums[0][lane] + sums[1][lane];
    }
#endif
    for (; row + 4 <= count; row += 4)
        sum += FOR_CPU(tops_side_by_side)(values + row * width, width, top + row, scores + row, 1);
    for (; row < count; row++) {
        const SCORE *own = values + row * width;
        int64_t best = 0;
        for (int64_t column = 0; column < width; column++) {
            sum += own[column];
            if (own[column] > own[best]) best = column;
        }
        top[row] = (int32_t)best;
        scores[row] = own[best] + (SCORE)0;
    }
    return sum;
}

#undef ORDER
#undef LANES
#undef TARGET
#undef FOR_CPU
