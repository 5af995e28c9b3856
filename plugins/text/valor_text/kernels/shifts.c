/* Edits with shifts: runs of words may also be moved, each at the cost of one edit (Snover et
 * al., "A study of translation edit rate with targeted human annotation", 2006). Finding the
 * fewest is hard; what is tried, in which order, and when the search ends is that of sacrebleu. */

#include <math.h>

#include "kernels.h"

/* Limits of sacrebleu; with others, different shifts would be found. BEAM is the number of columns on
 * each side of the diagonal in which distances are computed. */
enum { LONGEST_SHIFT = 10, FARTHEST_SHIFT = 50, BEAM = 25, MOST_TRIED = 1000 };
enum { TOGETHER = 0, DROPPED = 1, ADDED = 2 }; /* of the response's words: how a cell was reached */
/* Cost of cells beyond the beam: more than any distance, and small enough that a few additions, of
 * the costs of neighbours, stay within 32 bits. */
enum { FAR = 1 << 29 };

/* The table of distances between the words of a response, a row each, and those of a reference.
 * A row holds the cells of the beam around the diagonal, and as many beyond it as the next row
 * reads. */
typedef struct {
    int64_t rows, columns;  /* words of the response, and of the reference */
    int64_t width;          /* cells of a row, with one before the first */
    int64_t *first, *last;  /* of each row: the first column, and one beyond the last */
    int32_t *costs, *tried; /* rows as the response stands, and as it would with a shift */
    uint8_t *ways;          /* of each cell: how it was reached */
} Table;

/* What a response is like beside its reference. */
typedef struct {
    int64_t *place;         /* of each word of the reference: the response's word beside it */
    int64_t *wrong, *other; /* wrong words before each of the response, and of the reference */
    uint8_t *ways;          /* from the first words to the last */
} Alignment;

typedef struct {
    int64_t gain, length, start, target;
} Shift;

static int32_t *row_of(const Table *table, int32_t *costs, int64_t row) {
    return costs + row * table->width + 1;
}

static void set_beam(Table *table) {
    const double ratio = (double)table->columns / (double)table->rows;
    const int64_t beam = BEAM < ratio / 2 ? (int64_t)ceil(ratio / 2 + BEAM) : BEAM;
    const int64_t all = table->columns + 1, widest = 2 * beam + (int64_t)ceil(ratio) + 4;
    for (int64_t row = 1; row <= table->rows; row++) {
        const int64_t diagonal = (int64_t)floor(row * ratio);
        table->first[row] = diagonal > beam ? diagonal - beam : 0;
        table->last[row] = diagonal + beam < all && row < table->rows ? diagonal + beam : all;
    }
    /* Of the row before the first word, what the next one reads. */
    table->first[0] = table->first[1] > 1 ? table->first[1] - 1 : 0;
    table->last[0] = table->first[0] + widest < all ? table->first[0] + widest : all;
    table->width = (widest < all ? widest : all) + 2;
}

/* The cells of a row from those of the one before; answers the least that a way through this row
 * can cost to the end. */
static int32_t fill_row(const Table *table, int64_t row, int32_t word, const int32_t *reference,
                        int32_t *costs, uint8_t *ways) {
    const int64_t first = table->first[row], last = table->last[row];
    const int32_t *above = row_of(table, costs, row - 1) - table->first[row - 1];
    const int64_t reach = row < table->rows ? table->last[row + 1] : last;
    const int64_t ahead = table->columns - table->rows + row;
    int32_t *now = row_of(table, costs, row) - first;
    int32_t left = FAR, least = FAR;
    now[first - 1] = FAR;
    for (int64_t column = first; column < last; column++) {
        int32_t cost = FAR, rest;
        uint8_t way = TOGETHER;
        if (column && above[column - 1] + (word != reference[column - 1]) < cost)
            cost = above[column - 1] + (word != reference[column - 1]);
        if (above[column] + 1 < cost) cost = above[column] + 1, way = DROPPED;
        if (left + 1 < cost) cost = left + 1, way = ADDED;
        now[column] = left = cost;
        if (ways) ways[row * table->width + column - first] = way;
        rest = (int32_t)(ahead > column ? ahead - column : column - ahead);
        if (cost + rest < least) least = cost + rest;
    }
    for (int64_t column = last; column < reach; column++) now[column] = FAR;
    return least;
}

static void first_row(const Table *table, int32_t *costs) {
    int32_t *now = row_of(table, costs, 0);
    now[-1] = FAR;
    for (int64_t column = table->first[0]; column < table->last[0]; column++)
        now[column - table->first[0]] = (int32_t)column;
}

static int32_t distance(const Table *table, int32_t *costs) {
    return row_of(table, costs, table->rows)[table->columns - table->first[table->rows]];
}

/* Distance of a response that differs from the one in the table from a row on, or FAR as soon as
 * it is known to be above `most`. */
static int32_t distance_from(const Table *table, int64_t row, const int32_t *response,
                             const int32_t *reference, int32_t most) {
    memcpy(row_of(table, table->tried, row) - 1, row_of(table, table->costs, row) - 1,
           table->width * sizeof *table->costs);
    while (row++ < table->rows)
        if (fill_row(table, row, response[row - 1], reference, table->tried, NULL) > most)
            return FAR;
    return distance(table, table->tried);
}

static void align(const Table *table, Alignment *found) {
    int64_t row = table->rows, column = table->columns, at = row + column, end = at;
    while (row || column) {
        const uint8_t way =
            row ? table->ways[row * table->width + column - table->first[row]] : ADDED;
        found->ways[--at] = way;
        if (way != ADDED) row--;
        if (way != DROPPED) column--;
    }
    found->wrong[0] = found->other[0] = 0;
    for (; at < end; at++) {
        const uint8_t way = found->ways[at];
        int64_t is_wrong = 1;
        if (way == TOGETHER) {
            const int32_t *now = row_of(table, table->costs, row + 1) - table->first[row + 1];
            const int32_t *above = row_of(table, table->costs, row) - table->first[row];
            is_wrong = now[column + 1] != above[column];
        }
        if (way != ADDED) row++, found->wrong[row] = found->wrong[row - 1] + is_wrong;
        if (way != DROPPED) {
            found->place[column++] = row - 1;
            found->other[column] = found->other[column - 1] + is_wrong;
        }
    }
}

static int32_t *copied(int32_t *to, const int32_t *words, int64_t first, int64_t last) {
    if (last > first) memcpy(to, words + first, (last - first) * sizeof *to), to += last - first;
    return to;
}

/* A response with a run of words moved before the word that stands at its target; where that is
 * within the run or behind it, so many words further. */
static void move(const int32_t *words, int64_t count, const Shift *shift, int32_t *moved) {
    const int64_t start = shift->start, stop = start + shift->length;
    int64_t target = shift->target;
    if (target < start) {
        moved = copied(moved, words, 0, target);
        moved = copied(moved, words, start, stop);
        moved = copied(moved, words, target, start);
        copied(moved, words, stop, count);
        return;
    }
    if (target <= stop) target += shift->length;
    if (target > count) target = count;
    moved = copied(moved, words, 0, start);
    moved = copied(moved, words, stop, target);
    moved = copied(moved, words, start, stop);
    copied(moved, words, target, count);
}

static int is_better(const Shift *one, const Shift *other) {
    if (one->gain != other->gain) return one->gain > other->gain;
    if (one->length != other->length) return one->length > other->length;
    if (one->start != other->start) return one->start < other->start;
    return one->target < other->target;
}

/* Tries the places for one run of words, which the reference has at `at`. */
static void try_run(const Table *table, const int32_t *response, const int32_t *reference,
                    const Alignment *aligned, Shift run, int64_t at, int32_t *moved, int64_t *tried,
                    Shift *best) {
    const int32_t before = distance(table, table->costs);
    int64_t previous = -1;
    for (int64_t offset = -1; offset < run.length; offset++) {
        int32_t after;
        run.target = at + offset < 0 ? 0 : aligned->place[at + offset] + 1;
        if (run.target == previous) continue;
        previous = run.target;
        ++*tried;
        move(response, table->rows, &run, moved);
        after = distance_from(table, run.target < run.start ? run.target : run.start, moved,
                              reference, before - (int32_t)(best->gain > 1 ? best->gain : 1));
        if (after == FAR) continue;
        run.gain = before - after;
        if (run.gain > 0 && is_better(&run, best)) *best = run;
    }
}

/* The shift that saves the most edits; no gain where none does. */
static Shift best_shift(const Table *table, const int32_t *response, const int32_t *reference,
                        const Alignment *aligned, int32_t *moved, int64_t *tried) {
    Shift best = {0, 0, 0, 0};
    for (int64_t start = 0; start < table->rows; start++) {
        int64_t at = start > FARTHEST_SHIFT ? start - FARTHEST_SHIFT : 0;
        for (; at < table->columns && at <= start + FARTHEST_SHIFT; at++) {
            for (int64_t length = 1; length <= LONGEST_SHIFT && start + length <= table->rows &&
                                     at + length <= table->columns &&
                                     response[start + length - 1] == reference[at + length - 1];
                 length++) {
                const int64_t place = aligned->place[at];
                if (aligned->wrong[start + length] == aligned->wrong[start] ||
                    aligned->other[at + length] == aligned->other[at] ||
                    (start <= place && place < start + length))
                    continue;
                try_run(table, response, reference, aligned, (Shift){0, length, start, 0}, at,
                        moved, tried, &best);
                if (*tried >= MOST_TRIED) return best;
            }
        }
    }
    return best;
}

/* Fewest edits found for a response, whose words are moved about. */
static int64_t edits_of(Table *table, Alignment *aligned, int32_t *response,
                        const int32_t *reference, int32_t *moved) {
    int64_t shifts = 0, tried = 0, from = 0;
    if (!table->columns || !table->rows) return table->columns + table->rows;
    first_row(table, table->costs);
    for (;;) {
        Shift best;
        for (int64_t row = from + 1; row <= table->rows; row++)
            fill_row(table, row, response[row - 1], reference, table->costs, table->ways);
        align(table, aligned);
        best = best_shift(table, response, reference, aligned, moved, &tried);
        if (tried >= MOST_TRIED || best.gain <= 0) return shifts + distance(table, table->costs);
        move(response, table->rows, &best, moved);
        memcpy(response, moved, table->rows * sizeof *response);
        from = best.target < best.start ? best.target : best.start;
        shifts++;
    }
}

/* Number of edits, shifts among them, that make the response of each pair of its reference.
 * Answers NO_MEMORY or 0. */
EXPORT(int64_t, shifted_edits, const int32_t *ids, const int64_t *starts, const int64_t *responses,
       const int64_t *references, int64_t pairs, int64_t *edits) {
    for (int64_t pair = 0; pair < pairs; pair++) {
        const int64_t first = starts[responses[pair]];
        const int64_t rows = starts[responses[pair] + 1] - first;
        const int64_t columns = starts[references[pair] + 1] - starts[references[pair]];
        Table table = {rows, columns, 0, NULL, NULL, NULL, NULL, NULL};
        Alignment aligned = {NULL, NULL, NULL, NULL};
        int64_t *numbers = malloc((3 * rows + 2 * columns + 8) * sizeof *numbers), cells;
        int32_t *words = malloc((2 * rows + 2) * sizeof *words);
        int has_memory = numbers && words;
        if (has_memory) {
            table.first = numbers;
            table.last = table.first + rows + 2;
            aligned.wrong = table.last + rows + 2;
            aligned.other = aligned.wrong + rows + 1;
            aligned.place = aligned.other + columns + 1;
            if (rows) set_beam(&table);
            cells = (rows + 1) * table.width;
            table.costs = malloc(2 * (cells + 1) * sizeof *table.costs);
            table.ways = malloc(cells + rows + columns + 1);
            has_memory = table.costs && table.ways;
        }
        if (has_memory) {
            table.tried = table.costs + cells;
            aligned.ways = table.ways + cells;
            memcpy(words, ids + first, rows * sizeof *words);
            edits[pair] =
                edits_of(&table, &aligned, words, ids + starts[references[pair]], words + rows);
        }
        free(numbers);
        free(words);
        free(table.costs);
        free(table.ways);
        if (!has_memory) return NO_MEMORY;
    }
    return 0;
}
