/* Longest common subsequences, many rows of the table at a time.
 *
 * Column j of the table holds the lengths for the first j tokens of one text. From one row to the
 * next a length stays or grows by one; a column is kept as bits, row by row, 0 where it grows
 * (Hyyro, "Bit-parallel LCS-length computation revisited", 2004). */

#include "masks.h"

/* The room that texts of some tokens need, grown when it is not enough. */
typedef struct {
    uint64_t *masks;   /* of the left text */
    uint64_t *columns; /* columns of the table */
    int64_t mask_room, column_room;
} Work;

static int mask_left(Work *work, const int32_t *left, int64_t rows, int32_t *places) {
    return mask(&work->masks, &work->mask_room, left, rows, places);
}

/* The next column, for a token that stands in the rows of `own`; `now` may be `before`. */
static void step(const uint64_t *before, const uint64_t *own, int64_t words, uint64_t *now) {
    uint64_t carry = 0;
    for (int64_t word = 0; word < words; word++) {
        const uint64_t old = before[word], both = old & own[word];
        const uint64_t sum = old + both, carried = sum + carry;
        carry = (sum < old) | (carried < sum);
        now[word] = carried | (old & ~both);
    }
}

static int64_t grown(const uint64_t *column, int64_t rows) {
    int64_t length = 0;
    for (int64_t row = 0; row < rows; row++) length += !(column[row / BITS] >> row % BITS & 1);
    return length;
}

/* Length of a longest common subsequence of each pair of texts. `known` is one more than the
 * greatest number of a token. Answers NO_MEMORY or 0. */
EXPORT(int64_t, longest_common, const int32_t *ids, const int64_t *starts, int64_t known,
       const int64_t *lefts, const int64_t *rights, int64_t pairs, int64_t *lengths) {
    Work work = {NULL, NULL, 0, 0};
    int32_t *places = malloc((known + 1) * sizeof *places);
    int64_t answer = places ? 0 : NO_MEMORY;
    if (places) memset(places, -1, (known + 1) * sizeof *places);
    for (int64_t pair = 0; !answer && pair < pairs; pair++) {
        const int32_t *left = ids + starts[lefts[pair]], *right = ids + starts[rights[pair]];
        const int64_t rows = starts[lefts[pair] + 1] - starts[lefts[pair]];
        const int64_t columns = starts[rights[pair] + 1] - starts[rights[pair]];
        const int64_t words = words_of(rows);
        lengths[pair] = 0;
        if (!rows || !columns) continue;
        if (!mask_left(&work, left, rows, places) ||
            !has_room(&work.columns, &work.column_room, words)) {
            answer = NO_MEMORY;
            break;
        }
        memset(work.columns, -1, words * sizeof *work.columns);
        for (int64_t column = 0; column < columns; column++) {
            const int32_t place = places[right[column]];
            if (place >= 0) step(work.columns, work.masks + place * words, words, work.columns);
        }
        lengths[pair] = grown(work.columns, rows);
        unmask(left, rows, places);
    }
    free(work.masks);
    free(work.columns);
    free(places);
    return answer;
}

/* End of the line that begins at a token. */
static int64_t line_end(const int32_t *lines, int64_t first, int64_t stop) {
    int64_t at = first;
    while (at < stop && lines[at] == lines[first]) at++;
    return at;
}

/* Marks the tokens of a left line that one of the longest subsequences it has in common with a
 * right line takes: read from the end, a token that both end with is taken, else the right
 * line loses its last token where that leaves a longer one, else the left line. */
static int take(Work *work, const int32_t *left, int64_t rows, const int32_t *right,
                int64_t columns, const int32_t *places, uint8_t *taken) {
    const int64_t words = words_of(rows);
    int64_t row = rows - 1, column = columns;
    if (!has_room(&work->columns, &work->column_room, (columns + 1) * words)) return 0;
    memset(work->columns, -1, words * sizeof *work->columns);
    for (int64_t i = 0; i < columns; i++) {
        const uint64_t *before = work->columns + i * words;
        uint64_t *now = work->columns + (i + 1) * words;
        if (places[right[i]] < 0)
            memcpy(now, before, words * sizeof *now);
        else
            step(before, work->masks + places[right[i]] * words, words, now);
    }
    while (row >= 0 && column > 0) {
        const uint64_t *now = work->columns + column * words;
        if (left[row] == right[column - 1]) taken[row--] = 1, column--;
        /* Where a length grows in this row, the column before has the longer one. */
        else if (!(now[row / BITS] >> row % BITS & 1))
            column--;
        else
            row--;
    }
    return 1;
}

/* Hits of each pair's left text: of the tokens that a longest subsequence with some line of the
 * right text takes, line by line, each as often as both texts have it. Answers NO_MEMORY or 0. */
EXPORT(int64_t, lines_in_common, const int32_t *ids, const int32_t *lines, const int64_t *starts,
       int64_t known, const int64_t *lefts, const int64_t *rights, int64_t pairs, int64_t *hits) {
    Work work = {NULL, NULL, 0, 0};
    int64_t longest = 0, answer = 0;
    int32_t *places = malloc((known + 1) * sizeof *places);
    int32_t *left_counts = calloc(known + 1, sizeof *left_counts);
    int32_t *right_counts = calloc(known + 1, sizeof *right_counts);
    uint8_t *taken;
    for (int64_t pair = 0; pair < pairs; pair++) {
        const int64_t rows = starts[lefts[pair] + 1] - starts[lefts[pair]];
        if (rows > longest) longest = rows;
    }
    taken = malloc(longest + 1);
    if (!places || !left_counts || !right_counts || !taken)
        answer = NO_MEMORY;
    else
        memset(places, -1, (known + 1) * sizeof *places);
    for (int64_t pair = 0; !answer && pair < pairs; pair++) {
        const int64_t left = starts[lefts[pair]], left_stop = starts[lefts[pair] + 1];
        const int64_t right = starts[rights[pair]], right_stop = starts[rights[pair] + 1];
        int64_t found = 0;
        for (int64_t at = left; at < left_stop; at++) left_counts[ids[at]]++;
        for (int64_t at = right; at < right_stop; at++) right_counts[ids[at]]++;
        for (int64_t first = left, end; !answer && first < left_stop; first = end) {
            end = line_end(lines, first, left_stop);
            memset(taken, 0, end - first);
            if (!mask_left(&work, ids + first, end - first, places)) answer = NO_MEMORY;
            for (int64_t other = right, stop; !answer && other < right_stop; other = stop) {
                stop = line_end(lines, other, right_stop);
                if (!take(&work, ids + first, end - first, ids + other, stop - other, places,
                          taken))
                    answer = NO_MEMORY;
            }
            unmask(ids + first, end - first, places);
            for (int64_t at = first; at < end; at++) {
                if (!taken[at - first] || !left_counts[ids[at]] || !right_counts[ids[at]]) continue;
                left_counts[ids[at]]--;
                right_counts[ids[at]]--;
                found++;
            }
        }
        for (int64_t at = left; at < left_stop; at++) left_counts[ids[at]] = 0;
        for (int64_t at = right; at < right_stop; at++) right_counts[ids[at]] = 0;
        hits[pair] = found;
    }
    free(work.masks);
    free(work.columns);
    free(places);
    free(left_counts);
    free(right_counts);
    free(taken);
    return answer;
}
