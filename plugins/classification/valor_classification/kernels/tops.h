/* The greatest score of each row, of one type of scores; included by `scores.h` for every kind of
 * processor. IN names what is of one kind, TARGET lets the compiler use it, and LANES is how many
 * scores it compares at a time. */

#if LANES == 8
#define ORDER {0, 1, 2, 3, 4, 5, 6, 7}
#else
#define ORDER {0, 1, 2, 3}
#endif

#if LANES > 1

typedef SCORE IN(lanes) __attribute__((vector_size(LANES * sizeof(SCORE))));
typedef PLACE IN(places) __attribute__((vector_size(LANES * sizeof(SCORE))));
typedef IN(lanes) IN(loose) __attribute__((aligned(sizeof(SCORE)), may_alias));
typedef SCORE IN(quad) __attribute__((vector_size(4 * sizeof(SCORE))));
typedef PLACE IN(codes) __attribute__((vector_size(4 * sizeof(SCORE))));

/* Raises the greatest scores of the lanes of a row, and their columns, by its next ones. */
INLINE void IN(raise)(IN(lanes) * greatest, IN(places) * columns, IN(lanes) * sum, const SCORE *row,
                      int64_t column) {
    const IN(places) own = (IN(places))ORDER + (PLACE)column;
    const IN(lanes) scores = *(const IN(loose) *)(row + column);
    const IN(places) higher = (IN(places))(scores > *greatest);
    *sum += scores;
    *greatest = (IN(lanes))EITHER(IN(places), higher, scores, *greatest);
    *columns = EITHER(IN(places), higher, own, *columns);
}

/* The greatest of four lanes that stand for all. */
INLINE void IN(fold)(const IN(lanes) * greatest, const IN(places) * columns, IN(quad) * best,
                     IN(codes) * first) {
    *best = __builtin_shufflevector(*greatest, *greatest, 0, 1, 2, 3);
    *first = __builtin_shufflevector(*columns, *columns, 0, 1, 2, 3);
#if LANES == 8
    {
        const IN(quad) others = __builtin_shufflevector(*greatest, *greatest, 4, 5, 6, 7);
        const IN(codes) theirs = __builtin_shufflevector(*columns, *columns, 4, 5, 6, 7);
        const IN(codes) higher = (IN(codes))(others > *best) |
                                 ((IN(codes))(others == *best) & (IN(codes))(theirs < *first));
        *best = (IN(quad))EITHER(IN(codes), higher, others, *best);
        *first = EITHER(IN(codes), higher, theirs, *first);
    }
#endif
}

/* The tops of four rows of LANES scores or more. The last lanes of a row may overlap those before.
 * Memory is asked for what is `ahead`, since long rows are too far apart for the processor to
 * guess. There are two sums, which do not wait for each other. */
INLINE void IN(tops_of_four)(const SCORE *rows, int64_t width, int64_t ahead, int32_t *top,
                             SCORE *scores, IN(lanes) * sums) {
    const int64_t last = width - LANES;
    IN(lanes) greatest[4];
    IN(places) columns[4];
    IN(quad) bests[4], best;
    IN(codes) firsts[4], first;
    for (int row = 0; row < 4; row++) {
        greatest[row] = *(const IN(loose) *)(rows + row * width);
        columns[row] = (IN(places))ORDER;
        sums[row % 2] += greatest[row];
    }
    for (int64_t column = LANES; column < last; column += LANES) {
        if (column % (LINE / (int64_t)sizeof(SCORE)) == 0)
            for (int row = 0; row < 4; row++) PREFETCH(rows + row * width + column + ahead);
        for (int row = 0; row < 4; row++)
            IN(raise)(greatest + row, columns + row, sums + row % 2, rows + row * width, column);
    }
    for (int row = 0; row < 4; row++) {
        IN(raise)(greatest + row, columns + row, sums + row % 2, rows + row * width, last);
        IN(fold)(greatest + row, columns + row, bests + row, firsts + row);
    }
    /* From here on, a vector holds the same lane of the four rows. */
    TRANSPOSE(bests);
    TRANSPOSE(firsts);
    best = bests[0];
    for (int lane = 1; lane < 4; lane++) {
        const IN(codes) higher = (IN(codes))(bests[lane] > best);
        best = (IN(quad))EITHER(IN(codes), higher, bests[lane], best);
    }
    first = (IN(codes)){0} + (PLACE)width;
    for (int lane = 0; lane < 4; lane++) {
        const IN(codes) earlier =
            (IN(codes))(bests[lane] == best) & (IN(codes))(firsts[lane] < first);
        first = EITHER(IN(codes), earlier, firsts[lane], first);
    }
    best += (SCORE)0;
    memcpy(scores, &best, sizeof best);
    for (int row = 0; row < 4; row++) top[row] = (int32_t)first[row];
}

#endif

/* The tops of four rows, whose comparisons do not wait for each other; answers the sum, if it is
 * asked for. */
INLINE SCORE IN(tops_side_by_side)(const SCORE *rows, int64_t width, int32_t *top, SCORE *scores,
                                   const int is_summed) {
    SCORE greatest[4], sums[4] = {0};
    PLACE places[4];
    for (int row = 0; row < 4; row++) {
        greatest[row] = rows[row * width];
        places[row] = 0;
    }
    for (PLACE column = 0; column < width; column++) {
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

/* Answers a sum that every score is part of, some of them twice: it is finite only if all are.
 * Rows too short for vectors are not summed, and the answer is NaN. */
EXPORT(TARGET SCORE, IN(tops), const SCORE *values, int64_t count, int64_t width, int32_t *top,
       SCORE *scores) {
    SCORE sum = 0;
    int64_t row = 0;
#if LANES > 1
    if (width < LANES) {
        sum = (SCORE)NAN;
        for (; row + 4 <= count; row += 4)
            IN(tops_side_by_side)(values + row * width, width, top + row, scores + row, 0);
    } else {
        IN(lanes) sums[2] = {{0}, {0}};
        for (; row + 4 <= count; row += 4) {
            const int64_t ahead = row + 12 <= count ? 8 * width : 0;
            IN(tops_of_four)(values + row * width, width, ahead, top + row, scores + row, sums);
        }
        for (int lane = 0; lane < LANES; lane++) sum += sums[0][lane] + sums[1][lane];
    }
#endif
    for (; row + 4 <= count; row += 4)
        sum += IN(tops_side_by_side)(values + row * width, width, top + row, scores + row, 1);
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
#undef IN
