/* Edits: the substitutions, deletions and insertions that make one text of another.
 *
 * The table of distances is kept as bits, a column for each token of the right text: where a
 * distance is one more than in the row above, and where it is one less (Hyyro, "A bit-vector
 * algorithm for computing Levenshtein and Damerau edit distances", 2003). A large table is never
 * kept: the right text is cut in halves (Hirschberg, 1975). Which of the shortest ways is found
 * is that of rapidfuzz. */

#include "masks.h"

/* Kinds of edits, as in `kernels/values.py`. */
enum { HIT = 0, SUBSTITUTION = 1, DELETION = 2, INSERTION = 3, KINDS = 4 };
CONSTANT(edit_hit, HIT);
CONSTANT(edit_substitution, SUBSTITUTION);
CONSTANT(edit_deletion, DELETION);
CONSTANT(edit_insertion, INSERTION);

/* Split the right text (Hirschberg) if the table has at least this many bytes, rows and columns.
 * These are the limits of rapidfuzz: where it splits decides which of several shortest alignments it
 * finds, so that other limits would give other counts. */
enum { MOST_BYTES = 1024 * 1024, FEWEST_ROWS = 65, FEWEST_COLUMNS = 10 };

typedef struct {
    uint64_t *masks, *columns; /* of the left text; of the table: more and less, by turns */
    int64_t mask_room, column_room;
    int32_t *places; /* of each number of a token: which mask it has, or -1 */
    int64_t *counts; /* of the pair at hand, by kind */
    uint8_t *edits;  /* where the next edit goes; null where they are only counted */
} Work;

static inline void note(Work *work, int kind, int64_t times) {
    work->counts[kind] += times;
    if (work->edits) memset(work->edits, kind, times), work->edits += times;
}

static inline int bit(const uint64_t *bits, int64_t at) { return bits[at / BITS] >> at % BITS & 1; }

/* The next column, for a token that stands in the rows of `own`, null for none. */
static void step(const uint64_t *before, const uint64_t *own, int64_t words, uint64_t *now) {
    uint64_t more_carried = 1, less_carried = 0;
    for (int64_t word = 0; word < words; word++) {
        const uint64_t more = before[word], less = before[words + word];
        const uint64_t same = own ? own[word] : 0, match = same | less_carried;
        const uint64_t diagonal = (((match & more) + more) ^ more) | match | less;
        uint64_t right_more = less | ~(diagonal | more), right_less = diagonal & more;
        const uint64_t more_next = right_more >> (BITS - 1), less_next = right_less >> (BITS - 1);
        right_more = right_more << 1 | more_carried;
        right_less = right_less << 1 | less_carried;
        more_carried = more_next;
        less_carried = less_next;
        now[word] = right_less | ~(diagonal | right_more);
        now[words + word] = right_more & diagonal;
    }
}

/* The column before the first token: each distance is one more than the one above. */
static void first_column(uint64_t *column, int64_t words) {
    memset(column, -1, words * sizeof *column);
    memset(column + words, 0, words * sizeof *column);
}

static const uint64_t *own_rows(const Work *work, int32_t token, int64_t words) {
    return work->places[token] < 0 ? NULL : work->masks + work->places[token] * words;
}

/* A table of which the columns are kept where the shortest ways are: with so many edits at the
 * most, none is farther from the diagonal. */
typedef struct {
    uint64_t *kept;      /* of each column some words of more, then of less */
    int64_t most, words; /* edits; words of a whole column */
    int64_t width;       /* words that are kept of a column */
} Table;

static inline int64_t first_kept(const Table *table, int64_t column) {
    const int64_t first = column - table->most - 2, last = table->words - table->width;
    if (!last || first < 0) return 0;
    return first / BITS < last ? first / BITS : last;
}

static void keep(const Table *table, const uint64_t *now, int64_t column) {
    const size_t size = table->width * sizeof *now;
    uint64_t *kept = table->kept + 2 * column * table->width;
    now += first_kept(table, column);
    memcpy(kept, now, size);
    memcpy(kept + table->width, now + table->words, size);
}

static int fill(Work *work, Table *table, const int32_t *left, int64_t rows, const int32_t *right,
                int64_t columns) {
    const int64_t words = table->words, all = 2 * (columns + 1) * table->width;
    uint64_t *now;
    if (!mask(&work->masks, &work->mask_room, left, rows, work->places) ||
        !has_room(&work->columns, &work->column_room, all + 2 * words)) {
        unmask(left, rows, work->places);
        return 0;
    }
    table->kept = work->columns;
    if (table->width == words) {
        first_column(now = table->kept, words);
        for (int64_t i = 0; i < columns; i++, now += 2 * words)
            step(now, own_rows(work, right[i], words), words, now + 2 * words);
    } else {
        first_column(now = table->kept + all, words);
        keep(table, now, 0);
        for (int64_t i = 0; i < columns; i++) {
            step(now, own_rows(work, right[i], words), words, now);
            keep(table, now, i + 1);
        }
    }
    unmask(left, rows, work->places);
    return 1;
}

/* Edits of two texts, so many at the most, that a table in memory tells. Read from the end, a
 * token of the left text that can be deleted is; else one of the right text is inserted where the
 * distance is less than without the left one; else both go together. */
static int edit_by_table(Work *work, const int32_t *left, int64_t rows, const int32_t *right,
                         int64_t columns, int64_t most) {
    const int64_t words = words_of(rows), near = words_of(2 * most + BITS + 2);
    int64_t row = rows, column = columns, above; /* rows above those that are kept */
    int64_t *counts = work->counts;
    uint8_t *at = work->edits ? work->edits + rows + columns : NULL;
    Table table = {NULL, most, words, near < words ? near : words};
    const uint64_t *now;
    if (!fill(work, &table, left, rows, right, columns)) return 0;
    now = table.kept + 2 * column * table.width;
    above = BITS * first_kept(&table, column);
    while (row && column) {
        int kind;
        if (bit(now, row - 1 - above)) {
            kind = DELETION, row--;
        } else {
            column--, now -= 2 * table.width;
            above = BITS * first_kept(&table, column);
            if (bit(now + table.width, row - 1 - above))
                kind = INSERTION;
            else
                row--, kind = left[row] == right[column] ? HIT : SUBSTITUTION;
        }
        counts[kind]++;
        if (at) *--at = (uint8_t)kind;
    }
    counts[DELETION] += row;
    counts[INSERTION] += column;
    if (at) {
        uint8_t *end = work->edits + rows + columns;
        at -= row, memset(at, DELETION, row);
        at -= column, memset(at, INSERTION, column);
        memmove(work->edits, at, end - at);
        work->edits += end - at;
    }
    return 1;
}

/* Distances of the first so many tokens of the left text from the whole right one. */
static int distances(Work *work, const int32_t *left, int64_t rows, const int32_t *right,
                     int64_t columns, int64_t *found) {
    const int64_t words = words_of(rows);
    int64_t distance = columns;
    if (!mask(&work->masks, &work->mask_room, left, rows, work->places) ||
        !has_room(&work->columns, &work->column_room, 2 * words)) {
        unmask(left, rows, work->places);
        return 0;
    }
    first_column(work->columns, words);
    for (int64_t i = 0; i < columns; i++)
        step(work->columns, own_rows(work, right[i], words), words, work->columns);
    unmask(left, rows, work->places);
    found[0] = distance;
    for (int64_t row = 0; row < rows; row++) {
        distance += bit(work->columns, row) - bit(work->columns + words, row);
        found[row + 1] = distance;
    }
    return 1;
}

/* Where the left text is cut so that its parts are nearest to the halves of the right one, the
 * first of such places; their distances come back in `near`. -1 where there is no memory. */
static int64_t cut(Work *work, const int32_t *left, int64_t rows, const int32_t *right,
                   int64_t columns, int64_t *near) {
    const int64_t half = columns / 2, rest = columns - half;
    int64_t *before = malloc(2 * (rows + 1) * sizeof *before), best = -1;
    int32_t *reversed = malloc((rows + rest) * sizeof *reversed);
    if (before && reversed) {
        int64_t *after = before + rows + 1;
        for (int64_t i = 0; i < rows; i++) reversed[i] = left[rows - 1 - i];
        for (int64_t i = 0; i < rest; i++) reversed[rows + i] = right[columns - 1 - i];
        if (distances(work, left, rows, right, half, before) &&
            distances(work, reversed, rows, reversed + rows, rest, after)) {
            best = 0;
            for (int64_t row = 1; row <= rows; row++)
                if (before[row] + after[rows - row] < before[best] + after[rows - best]) best = row;
            near[0] = before[best];
            near[1] = after[rows - best];
        }
    }
    free(before);
    free(reversed);
    return best;
}

static int edit(Work *work, const int32_t *left, int64_t rows, const int32_t *right,
                int64_t columns, int64_t most) {
    int64_t same = 0, band;
    while (same < rows && same < columns && left[same] == right[same]) same++;
    note(work, HIT, same);
    left += same, right += same, rows -= same, columns -= same;
    for (same = 0; rows && columns && left[rows - 1] == right[columns - 1]; same++)
        rows--, columns--;
    if (most > rows && most > columns) most = rows > columns ? rows : columns;
    band = rows < 2 * most + 1 ? rows : 2 * most + 1;
    if (!rows || !columns) {
        note(work, DELETION, rows);
        note(work, INSERTION, columns);
    } else if (2 * band * columns / 8 < MOST_BYTES || rows < FEWEST_ROWS ||
               columns < FEWEST_COLUMNS) {
        if (!edit_by_table(work, left, rows, right, columns, most)) return 0;
    } else {
        int64_t near[2];
        const int64_t half = columns / 2, at = cut(work, left, rows, right, columns, near);
        if (at < 0 || !edit(work, left, at, right, half, near[0]) ||
            !edit(work, left + at, rows - at, right + half, columns - half, near[1]))
            return 0;
    }
    note(work, HIT, same);
    return 1;
}

/* Hits, substitutions, deletions and insertions that make the right text of each pair of its
 * left one, and, unless `edits` is null, which they are, one pair behind the other. `known` is
 * one more than the greatest number of a token. Answers NO_MEMORY or 0. */
EXPORT(int64_t, edits, const int32_t *ids, const int64_t *starts, int64_t known,
       const int64_t *lefts, const int64_t *rights, int64_t pairs, int64_t *counts,
       uint8_t *edits) {
    Work work = {NULL, NULL, 0, 0, malloc((known + 1) * sizeof *work.places), counts, edits};
    int64_t answer = work.places ? 0 : NO_MEMORY;
    if (work.places) memset(work.places, -1, (known + 1) * sizeof *work.places);
    memset(counts, 0, KINDS * pairs * sizeof *counts);
    for (int64_t pair = 0; !answer && pair < pairs; pair++) {
        const int64_t rows = starts[lefts[pair] + 1] - starts[lefts[pair]];
        const int64_t columns = starts[rights[pair] + 1] - starts[rights[pair]];
        work.counts = counts + KINDS * pair;
        if (!edit(&work, ids + starts[lefts[pair]], rows, ids + starts[rights[pair]], columns,
                  INT64_MAX / 8))
            answer = NO_MEMORY;
    }
    free(work.masks);
    free(work.columns);
    free(work.places);
    return answer;
}
