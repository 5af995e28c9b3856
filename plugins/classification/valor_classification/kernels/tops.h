/* The greatest score of each row, of one type of scores; part of `scores.h`. */

#ifdef VECTORS

typedef SCORE OF(quad) __attribute__((vector_size(4 * sizeof(SCORE))));
typedef PLACE OF(codes) __attribute__((vector_size(4 * sizeof(SCORE))));

/* Raises the greatest scores of four lanes of a row, and their columns, by its next four. */
INLINE void OF(raise)(OF(quad) *greatest, OF(codes) *columns, const SCORE *row, int64_t column) {
    const OF(codes) own = (OF(codes)){0, 1, 2, 3} + (PLACE)column;
    OF(quad) scores;
    OF(codes) higher;
    memcpy(&scores, row + column, sizeof scores);
    higher = (OF(codes))(scores > *greatest);
    *greatest = (OF(quad))EITHER(OF(codes), higher, scores, *greatest);
    *columns = EITHER(OF(codes), higher, own, *columns);
}

/* The tops of four rows of four scores or more. The last four of a row may overlap those before.
 * Memory is asked for what is `ahead`, since long rows are too far apart for the processor to
 * guess. */
INLINE void OF(tops_of_four)(
    const SCORE *rows, int64_t width, int64_t ahead, int32_t *top, SCORE *scores
) {
    const int64_t last = width - 4;
    OF(quad) greatest[4], best;
    OF(codes) columns[4], first;
    for (int row = 0; row < 4; row++) {
        memcpy(greatest + row, rows + row * width, sizeof best);
        columns[row] = (OF(codes)){0, 1, 2, 3};
    }
    for (int64_t column = 4; column < last; column += 4) {
        if (column % (LINE / (int64_t)sizeof(SCORE)) == 0)
            for (int row = 0; row < 4; row++) PREFETCH(rows + row * width + column + ahead);
        for (int row = 0; row < 4; row++)
            OF(raise)(greatest + row, columns + row, rows + row * width, column);
    }
    for (int row = 0; row < 4; row++)
        OF(raise)(greatest + row, columns + row, rows + row * width, last);
    /* From here on, a vector holds the same lane of the four rows. */
    TRANSPOSE(greatest);
    TRANSPOSE(columns);
    best = greatest[0];
    for (int lane = 1; lane < 4; lane++) {
        OF(codes) higher = (OF(codes))(greatest[lane] > best);
        best = (OF(quad))EITHER(OF(codes), higher, greatest[lane], best);
    }
    first = (OF(codes)){0} + (PLACE)width;
    for (int lane = 0; lane < 4; lane++) {
        OF(codes) earlier = (OF(codes))(greatest[lane] == best);
        earlier &= (OF(codes))(columns[lane] < first);
        first = EITHER(OF(codes), earlier, columns[lane], first);
    }
    best += (SCORE)0;
    memcpy(scores, &best, sizeof best);
    for (int row = 0; row < 4; row++) top[row] = (int32_t)first[row];
}

#endif

/* The tops of four rows, whose comparisons do not wait for each other. */
INLINE void OF(tops_side_by_side)(
    const SCORE *rows, int64_t width, int32_t *top, SCORE *scores
) {
    SCORE greatest[4];
    PLACE places[4];
    for (int row = 0; row < 4; row++) {
        greatest[row] = rows[row * width];
        places[row] = 0;
    }
    for (PLACE column = 1; column < width; column++) {
        for (int row = 0; row < 4; row++) {
            const SCORE score = rows[row * width + column];
            places[row] = score > greatest[row] ? column : places[row];
            greatest[row] = score > greatest[row] ? score : greatest[row];
        }
    }
    for (int row = 0; row < 4; row++) {
        top[row] = (int32_t)places[row];
        scores[row] = greatest[row] + (SCORE)0;
    }
}

KERNEL WIDE void OF(top_of_rows)(
    const SCORE *values, int64_t count, int64_t width, int32_t *top, SCORE *scores
) {
    int64_t row = 0;
#ifdef VECTORS
    /* Turning four float64 rows costs more than short ones save. */
    if (width >= (sizeof(SCORE) == sizeof(float) ? 4 : 16)) {
        for (; row + 4 <= count; row += 4) {
            const int64_t ahead = row + 12 <= count ? 8 * width : 0;
            OF(tops_of_four)(values + row * width, width, ahead, top + row, scores + row);
        }
    }
#endif
    for (; row + 4 <= count; row += 4)
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
