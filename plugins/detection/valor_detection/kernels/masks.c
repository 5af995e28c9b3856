/* Masks as run lengths: conversion of segmentations, sizes and IoUs.

   Rows are ragged: row i has the elements from rows[i] up to rows[i + 1]. Every function processes
   the rows from `first` up to `last`, so threads can share them. `sizes` has the height and width
   of each row's image. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { DONE = -1, NO_MEMORY = -2 };

CONSTANT(masks_no_memory, NO_MEMORY);

/* ---- Compressed text: groups of five bits, the lowest first; 32 is the continuation bit. ---- */

enum { ZERO = 48, GROUPS = 12 }; /* 12 groups of five bits and their sign fit into 64 bits */

/* Returns the number of numbers in a text; -1 for invalid text. */
static int64_t text_length(const uint8_t *at, const uint8_t *end) {
    int64_t length = 0;
    uint8_t outside = 0;
    if (at < end && ((uint8_t)(end[-1] - ZERO) & 32)) return -1;
    while (at < end) { /* blocks whose count fits a byte, so the compiler vectorizes */
        const uint8_t *stop = end - at > 255 ? at + 255 : end;
        uint8_t finished = 0;
        for (; at < stop; at++) {
            uint8_t value = (uint8_t)(*at - ZERO);
            outside |= value;
            finished = (uint8_t)(finished + ((value >> 5 & 1) ^ 1));
        }
        length += finished;
    }
    return outside & 192 ? -1 : length;
}

static int64_t number(const uint8_t **at) {
    const uint8_t *here = *at;
    uint64_t bits = 0;
    int shift = 0;
    uint8_t group;
    do {
        group = (uint8_t)(*here++ - ZERO);
        if (shift < 5 * GROUPS) bits |= (uint64_t)(group & 31) << shift;
        shift += 5;
    } while (group & 32);
    *at = here;
    if (shift > 5 * GROUPS) return INT64_MIN;
    if (group & 16) bits |= ~(uint64_t)0 << shift;
    return (int64_t)bits;
}

/* Writes the run lengths of a validated text; returns 0 if one is negative or too large. */
static int text_runs(const uint8_t *at, const uint8_t *text_end, uint32_t *begin) {
    uint32_t *run = begin;
    for (; at < text_end; run++) {
        int64_t value;
        uint8_t low = (uint8_t)(at[0] - ZERO), high;
        if (!(low & 32)) {
            value = low - ((low & 16) << 1);
            at += 1;
        } else if (high = (uint8_t)(at[1] - ZERO), !(high & 32)) {
            value = (low & 31) + ((high - ((high & 16) << 1)) * 32);
            at += 2;
        } else if (value = number(&at), value == INT64_MIN) {
            return 0;
        }
        /* From the fourth run on, COCO's text has differences from the run two before. */
        if (run - begin > 2) value = (int64_t)((uint64_t)value + run[-2]);
        if (value < 0 || value > UINT32_MAX) return 0;
        *run = (uint32_t)value;
    }
    return 1;
}

/* ---- Sizes. ---- */

/* Computes the area of each row, its bounding box (x, y, width, height), and the number of pixels
   in its runs, inside and outside. If that number exceeds 32 bits, area and box are 0. If the
   height is 0 or exceeds 32 bits, no run reaches the end of a column. */
EXPORT(void, masks_measure, const uint32_t *runs, const int64_t *rows, const int64_t *sizes,
       int64_t first, int64_t last, double *areas, double *boxes, int64_t *filled) {
    for (int64_t row = first; row < last; row++) {
        const uint32_t *run = runs + rows[row];
        int64_t count = rows[row + 1] - rows[row], area = 0, total = 0;
        int64_t given = sizes[2 * row];
        uint32_t height = given > 0 && given < UINT32_MAX ? (uint32_t)given : UINT32_MAX;
        uint32_t left = 0, top = UINT32_MAX, bottom = 0;
        uint32_t here = 0, column = 0, start = 0; /* start of the column */
        double *box = boxes + 4 * row;
        box[0] = box[1] = box[2] = box[3] = 0;
        for (int64_t i = 0; i + 1 < count; i += 2) {
            uint32_t length = run[i + 1], y;
            total += (int64_t)run[i] + length;
            here += run[i];
            y = here - start;
            here += length;
            if (!length) continue;
            if (y >= height) { /* nearly always in the next column */
                column = y - height < height ? column + 1 : (start + y) / height;
                y -= column * height - start;
                start = column * height;
            }
            left = area ? left : column;
            area += length;
            top = y < top ? y : top;
            if (length <= height - y) {
                bottom = y + length > bottom ? y + length : bottom;
            } else {
                top = 0, bottom = height;
                column = (here - 1) / height;
                start = column * height;
            }
        }
        if (count & 1) total += run[count - 1];
        if (total > UINT32_MAX) area = 0;
        if (area && given > 0) {
            box[0] = left;
            box[1] = top;
            box[2] = (double)column - left + 1;
            box[3] = (double)bottom - top;
        }
        areas[row] = (double)area;
        filled[row] = total;
    }
}

/* ---- Polygons, drawn as in COCO on a grid five times as fine. ---- */

#define FINE 5
#define MIDDLE 2               /* boundaries of a column are at the end of its third fine column */
enum { FARTHEST = 100000000 }; /* fine coordinates up to this one fit 32 bits */
CONSTANT(farthest, FARTHEST);
#define DOUBT 1e-6

typedef struct {
    int32_t x, y;   /* on the fine grid */
    int32_t column; /* the first one whose middle is not left of it */
} Corner;

/* Buffers to draw a polygon, with room for the maximum number of boundaries of a row. */
typedef struct {
    Corner *corners;    /* corners of a ring, with the first one repeated at the end */
    int32_t *ends;      /* ends of the boundaries of each column */
    uint32_t *at;       /* boundaries of a ring */
    uint32_t *together; /* boundaries of the union of the previous rings */
    uint32_t *joined;   /* boundaries of the union of both */
} Desk;

static int32_t fine(double coordinate) { return (int32_t)(FINE * coordinate + .5); }

/* Returns the first pixel whose middle is not before a fine coordinate, at most `count`. */
static int32_t pixel(int32_t place, int32_t count) {
    int32_t before = place <= MIDDLE ? 0 : (int32_t)((uint32_t)(place + FINE - 1 - MIDDLE) / FINE);
    return before < count ? before : count;
}

/* Returns the maximum number of boundaries of a ring; -1 if a coordinate is out of range. */
static int64_t ring_room(const double *points, int64_t count, int32_t width) {
    int64_t room = 0;
    int32_t before;
    int far = 0;
    for (int64_t i = 0; i < 2 * count; i++)
        far |= !(points[i] >= -FARTHEST && points[i] <= FARTHEST);
    if (far || !count) return -far;
    before = pixel(fine(points[2 * count - 2]), width);
    for (int64_t i = 0; i < count; i++) {
        int32_t column = pixel(fine(points[2 * i]), width);
        room += column < before ? before - column : column - before;
        before = column;
    }
    return room;
}

/* Adds boundaries of an edge wider than high: at each middle, the upper of two fine points. */
static void cross_wide(const Corner *a, const Corner *b, int32_t from, int32_t to, int32_t height,
                       int32_t *ends, uint32_t *at) {
    double slope = (double)(b->y - a->y) / (b->x - a->x);
    int32_t t = FINE * from + MIDDLE - a->x + (slope < 0);
    uint32_t begin = (uint32_t)from * (uint32_t)height;
    for (int32_t column = from; column < to; column++, t += FINE, begin += (uint32_t)height)
        at[(*ends++)++] = begin + (uint32_t)pixel((int32_t)(a->y + slope * t + .5), height);
}

/* Adds boundaries of an edge higher than wide: the last fine point before each middle. A division
   finds the point. If rounding could make it differ from the point of COCO's formula, whose error
   is below DOUBT, the formula is evaluated. */
static void cross_high(const Corner *a, const Corner *b, int32_t from, int32_t to, int32_t height,
                       int32_t *ends, uint32_t *at) {
    int32_t length = b->y - a->y, middle = FINE * from + MIDDLE;
    double slope = (double)(b->x - a->x) / length, inverse = (double)length / (b->x - a->x);
    double doubt = DOUBT * (inverse < 0 ? -inverse : inverse);
    int rises = slope > 0;
    uint32_t begin = (uint32_t)from * (uint32_t)height;
#define PAST(t) (((int32_t)(a->x + slope * (t) + .5) > middle) == rises)
    for (int32_t column = from; column < to; column++, middle += FINE, begin += (uint32_t)height) {
        double crossing = (middle + .5 - a->x) * inverse;
        int32_t t = (int32_t)crossing;
        if (!(crossing - t > doubt && crossing - t < 1 - doubt)) {
            t = t < length ? t : length - 1;
            while (t < length - 1 && !PAST(t + 1)) t++;
            while (t > 0 && PAST(t)) t--;
        }
        at[(*ends++)++] = begin + (uint32_t)pixel(t + a->y, height);
    }
#undef PAST
}

/* Adds boundaries of an edge of a ring whose first column is `left`. */
static void cross(const Corner *a, const Corner *b, int32_t left, int32_t height,
                  const Desk *desk) {
    int32_t across = a->x < b->x ? b->x - a->x : a->x - b->x;
    int32_t down = a->y < b->y ? b->y - a->y : a->y - b->y;
    int32_t from = a->column < b->column ? a->column : b->column;
    int32_t to = a->column < b->column ? b->column : a->column;
    int wide = across >= down;
    if (from == to) return;
    if (wide ? a->x > b->x : a->y > b->y) {
        const Corner *other = a;
        a = b;
        b = other;
    }
    (wide ? cross_wide : cross_high)(a, b, from, to, height, desk->ends + (from - left), desk->at);
}

#define FEW 32 /* up to this size, insertion sort is faster */

static int by_size(const void *a, const void *b) {
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

static void sort(uint32_t *values, int32_t count) {
    if (count > FEW) {
        qsort(values, (size_t)count, sizeof *values, by_size);
        return;
    }
    for (int32_t i = 1; i < count; i++) {
        uint32_t value = values[i];
        int32_t j = i;
        for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
        values[j] = value;
    }
}

/* Sorts the boundaries of each column and removes pairs of equal boundaries, which cancel. */
static int32_t tidied(uint32_t *at, const int32_t *ends, int32_t columns, uint32_t full) {
    int32_t kept = 0, begin = 0;
    for (int32_t column = 0; column < columns; column++) {
        int32_t end = ends[column];
        if (end - begin == 2) { /* nearly always */
            uint32_t a = at[begin], b = at[begin + 1];
            at[begin] = a < b ? a : b;
            at[begin + 1] = a < b ? b : a;
        } else {
            sort(at + begin, end - begin);
        }
        for (; begin < end; begin++) {
            if (kept > 0 && at[kept - 1] == at[begin])
                kept--;
            else
                at[kept++] = at[begin];
        }
    }
    while (kept > 0 && at[kept - 1] == full) kept--;
    return kept;
}

/* Computes the boundaries of a ring: starts of runs, alternately inside and outside. */
static int32_t ring_boundaries(const double *points, int64_t count, int32_t height, int32_t width,
                               const Desk *desk) {
    Corner *corners = desk->corners;
    int32_t left = width, right = 0, edges = 0, total = 0, *ends = desk->ends;
    for (int64_t i = 0; i < count; i++) {
        int32_t x = fine(points[2 * i]), column = pixel(x, width);
        corners[i] = (Corner){x, fine(points[2 * i + 1]), column};
        left = column < left ? column : left;
        right = column > right ? column : right;
    }
    if (left >= right) return 0;
    corners[count] = corners[0];
    memset(ends, 0, (size_t)(right - left + 1) * sizeof *ends);
    for (int64_t i = 0; i < count; i++) {
        int32_t a = corners[i].column - left, b = corners[i + 1].column - left;
        ends[a < b ? a : b]++;
        ends[a < b ? b : a]--;
    }
    for (int32_t column = 0; column < right - left; column++) {
        edges += ends[column];
        ends[column] = total; /* start of the column, until its boundaries are added */
        total += edges;
    }
    for (int64_t i = 0; i < count; i++) cross(corners + i, corners + i + 1, left, height, desk);
    return tidied(desk->at, ends, right - left, (uint32_t)height * (uint32_t)width);
}

static void swap(uint32_t **a, uint32_t **b) {
    uint32_t *kept = *a;
    *a = *b;
    *b = kept;
}

/* Unites a ring with the previous rings. */
static int32_t unite(Desk *desk, int32_t count, int32_t before) {
    const uint32_t *a = desk->at, *b = desk->together;
    int32_t i = 0, j = 0, kept = 0;
    if (before == 0) {
        swap(&desk->at, &desk->together);
        return count;
    }
    while (i < count || j < before) {
        uint32_t place = j == before || (i < count && a[i] < b[j]) ? a[i] : b[j];
        int was = (i | j) & 1;
        i += i < count && a[i] == place;
        j += j < before && b[j] == place;
        if (((i | j) & 1) != was) desk->joined[kept++] = place;
    }
    swap(&desk->joined, &desk->together);
    return kept;
}

/* ---- Segmentations of any kind. ---- */

enum { NO_MASK, POLYGONS, RUNS, COMPRESSED };
enum { RINGS, COUNTS, LETTERS };

/* Columns of segmentations: `rows` has the ends of each row's rings, counts and letters, and
   `rings` the end of each ring's numbers. */
/* clang-format off */
STRUCT(Segmentations,
    const uint8_t *kinds;
    const int64_t *rows;
    const int64_t *rings;
    const double *numbers;
    const uint32_t *counts;
    const uint8_t *letters;
);
/* clang-format on */

static int64_t begin_of(const int64_t *ends, int64_t row, int width, int what) {
    return row ? ends[width * (row - 1) + what] : 0;
}

/* Drawing needs time and memory for each column crossed; 20 million take seconds. Python rejects
   the same rows with this number in the message (row_errors.py). */
enum { MOST_CROSSED = 20000000 };
CONSTANT(most_crossed, MOST_CROSSED);

/* Returns the maximum number of run lengths of a row's polygons; -1 if a coordinate is out of
   range, the image has too many pixels for 32 bits, or edges cross more than MOST_CROSSED
   columns. */
static int64_t polygon_room(const Segmentations *of, int64_t row, const int64_t *size) {
    int64_t room = 1, last = of->rows[3 * row + RINGS];
    if (size[0] < 0 || size[1] < 0 || size[0] > INT32_MAX || size[1] > INT32_MAX ||
        size[0] * size[1] > INT32_MAX)
        return -1;
    for (int64_t ring = begin_of(of->rows, row, 3, RINGS); ring < last; ring++) {
        int64_t begin = begin_of(of->rings, ring, 1, 0), count = (of->rings[ring] - begin) / 2;
        int64_t own = ring_room(of->numbers + begin, count, (int32_t)size[1]);
        if (own < 0) return -1;
        room += own;
        if (room - 1 > MOST_CROSSED) return -1;
    }
    return room;
}

#define AHEAD 8  /* rows to prefetch, because their polygons are scattered in memory */
#define LINE 8   /* numbers per cache line */
#define MOST 256 /* numbers to prefetch; the hardware prefetches the next ones */

static void fetch(const Segmentations *of, int64_t row) {
    int64_t ring = begin_of(of->rows, row, 3, RINGS), last = of->rows[3 * row + RINGS], begin, end;
    if (ring == last) return;
    begin = begin_of(of->rings, ring, 1, 0);
    end = of->rings[last - 1] - begin > MOST ? begin + MOST : of->rings[last - 1];
    for (int64_t i = begin; i < end; i += LINE) PREFETCH(of->numbers + i);
}

/* Computes the maximum number of run lengths of the segmentations in `rows`. Returns the first row
   that cannot be drawn. */
EXPORT(int64_t, masks_room, const Segmentations *of, const int64_t *rows, const int64_t *sizes,
       int64_t first, int64_t last, int64_t *room) {
    const int64_t *row_ends = of->rows;
    for (int64_t i = first; i < last; i++) {
        int64_t row = rows[i], begin;
        if (i + AHEAD < last) fetch(of, rows[i + AHEAD]);
        switch (of->kinds[row]) {
        case POLYGONS:
            room[i] = polygon_room(of, row, sizes + 2 * i);
            break;
        case RUNS:
            room[i] = row_ends[3 * row + COUNTS] - begin_of(row_ends, row, 3, COUNTS);
            break;
        case COMPRESSED:
            begin = begin_of(row_ends, row, 3, LETTERS);
            room[i] = text_length(of->letters + begin, of->letters + row_ends[3 * row + LETTERS]);
            break;
        default:
            room[i] = 0;
        }
        if (room[i] < 0) return i;
    }
    return DONE;
}

/* Writes the run lengths of the union of a row's rings, and returns their number. */
static int64_t polygon_runs(const Segmentations *of, int64_t row, const int64_t *size, Desk *desk,
                            uint32_t *runs) {
    int32_t height = (int32_t)size[0], width = (int32_t)size[1], united = 0;
    int64_t last = of->rows[3 * row + RINGS];
    uint32_t before = 0;
    for (int64_t ring = begin_of(of->rows, row, 3, RINGS); ring < last; ring++) {
        int64_t begin = begin_of(of->rings, ring, 1, 0), count = (of->rings[ring] - begin) / 2;
        int32_t own = ring_boundaries(of->numbers + begin, count, height, width, desk);
        united = unite(desk, own, united);
    }
    for (int32_t i = 0; i < united; i++) {
        runs[i] = desk->together[i] - before;
        before = desk->together[i];
    }
    runs[united] = (uint32_t)height * (uint32_t)width - before;
    return united + 1;
}

/* Allocates the buffers for the polygons of rows, in one block that starts with `corners`. */
static int desk_made(Desk *desk, const Segmentations *of, const int64_t *rows, const int64_t *room,
                     int64_t first, int64_t last) {
    uint64_t corners = 1, most = 1, bytes;
    for (int64_t i = first; i < last; i++) {
        int64_t row = rows[i], size = room[i + 1] - room[i];
        if (of->kinds[row] != POLYGONS) continue;
        most = (uint64_t)size > most ? (uint64_t)size : most;
        for (int64_t ring = begin_of(of->rows, row, 3, RINGS); ring < of->rows[3 * row]; ring++) {
            int64_t count = (of->rings[ring] - begin_of(of->rings, ring, 1, 0)) / 2 + 1;
            corners = (uint64_t)count > corners ? (uint64_t)count : corners;
        }
    }
    bytes = corners * sizeof *desk->corners + 4 * most * sizeof *desk->at;
    desk->corners = bytes <= SIZE_MAX ? malloc((size_t)bytes) : NULL;
    if (!desk->corners) return 0;
    desk->ends = (int32_t *)(desk->corners + corners);
    desk->at = (uint32_t *)(desk->ends + most);
    desk->together = desk->at + most;
    desk->joined = desk->together + most;
    return 1;
}

/* Writes the run lengths of all rows contiguously from runs[room[first]]; `room` has the cumulative
   sums of masks_room. Returns the first row that is no mask. */
EXPORT(int64_t, masks_drawn, const Segmentations *of, const int64_t *rows, const int64_t *sizes,
       int64_t first, int64_t last, const int64_t *room, uint32_t *runs, int64_t *lengths) {
    const int64_t *row_ends = of->rows;
    Desk desk;
    int64_t answer = DONE;
    uint32_t *run = runs + room[first];
    if (!desk_made(&desk, of, rows, room, first, last)) return NO_MEMORY;
    for (int64_t i = first; i < last && answer == DONE; i++) {
        int64_t row = rows[i], begin;
        if (i + AHEAD < last) fetch(of, rows[i + AHEAD]);
        lengths[i] = room[i + 1] - room[i];
        switch (of->kinds[row]) {
        case POLYGONS:
            lengths[i] = polygon_runs(of, row, sizes + 2 * i, &desk, run);
            break;
        case RUNS:
            begin = begin_of(row_ends, row, 3, COUNTS);
            memcpy(run, of->counts + begin, (size_t)lengths[i] * sizeof *run);
            break;
        case COMPRESSED:
            begin = begin_of(row_ends, row, 3, LETTERS);
            if (!text_runs(of->letters + begin, of->letters + row_ends[3 * row + LETTERS], run))
                answer = i;
            break;
        }
        run += lengths[i];
    }
    free(desk.corners);
    return answer;
}

/* ---- IoUs. ---- */

#define BLOCK 8 /* intervals of both masks that vector instructions compare pairwise */

typedef struct {
    int64_t row;        /* row of these intervals */
    int32_t *from, *to; /* ranges of pixels inside, in the order of the runs */
    int64_t count, room;
    int64_t area;
} Intervals;

/* Fills `intervals` with those of a row, padded with intervals that overlap nothing. */
static int spread(Intervals *intervals, int64_t row, const uint32_t *runs, const int64_t *rows) {
    const uint32_t *run = runs + rows[row];
    int64_t count = (rows[row + 1] - rows[row]) / 2, area = 0;
    uint32_t here = 0;
    if (intervals->row == row) return 1;
    if (count + BLOCK + 1 > intervals->room) {
        int64_t wanted = 2 * (count + BLOCK + 1);
        int32_t *from = realloc(intervals->from, (size_t)wanted * sizeof *from), *to;
        if (!from) return 0;
        intervals->from = from;
        if (!(to = realloc(intervals->to, (size_t)wanted * sizeof *to))) return 0;
        intervals->to = to;
        intervals->room = wanted;
    }
    for (int64_t i = 0; i < count; i++) {
        here += run[2 * i];
        intervals->from[i] = (int32_t)here;
        here += run[2 * i + 1];
        intervals->to[i] = (int32_t)here;
        area += run[2 * i + 1];
    }
    for (int64_t i = count; i <= count + BLOCK; i++)
        intervals->from[i] = intervals->to[i] = INT32_MAX;
    intervals->row = row;
    intervals->count = count;
    intervals->area = area;
    return 1;
}

/* Returns the first interval from `i` on that ends after a pixel. */
static int64_t behind(const Intervals *intervals, int64_t i, int32_t place) {
    int64_t end = intervals->count;
    while (i < end) {
        int64_t middle = i + (end - i) / 2;
        if (intervals->to[middle] > place)
            end = middle;
        else
            i = middle + 1;
    }
    return i;
}

/* Adds the common pixels of the next intervals, compared pairwise, unless other pairs of them
   overlap too. Two shapes with one run per column are the usual case. */
static int side_by_side(const int32_t *a_from, const int32_t *a_to, const int32_t *b_from,
                        const int32_t *b_to, int64_t *pixels) {
    int32_t shared = 0, crossing = 0;
    for (int i = 0; i < BLOCK; i++) {
        int32_t from = a_from[i] > b_from[i] ? a_from[i] : b_from[i];
        int32_t to = a_to[i] < b_to[i] ? a_to[i] : b_to[i];
        shared += to > from ? to - from : 0;
        crossing |= (a_to[i] > b_from[i + 1]) | (b_to[i] > a_from[i + 1]);
    }
    if (!crossing) *pixels += shared;
    return !crossing;
}

/* Returns the number of common pixels of two masks. */
static int64_t common(const Intervals *a, const Intervals *b) {
    int64_t i = 0, j = 0, pixels = 0;
    if (a->count == 0 || b->count == 0) return 0;
    i = behind(a, 0, b->from[0]);
    j = behind(b, 0, a->from[0]);
    while (i < a->count && j < b->count) {
        if (side_by_side(a->from + i, a->to + i, b->from + j, b->to + j, &pixels)) {
            i += BLOCK;
            j += BLOCK;
            continue;
        }
        for (int step = 0; step < BLOCK; step++) { /* the padding overlaps nothing */
            int32_t a_to = a->to[i], b_to = b->to[j];
            int32_t from = a->from[i] > b->from[j] ? a->from[i] : b->from[j];
            int32_t to = a_to < b_to ? a_to : b_to;
            pixels += to > from ? to - from : 0;
            i += a_to <= b_to && i < a->count;
            j += b_to <= a_to && j < b->count;
        }
    }
    return pixels;
}

/* Computes the IoU of pairs of masks of less than 2 billion pixels; for crowds, the share of the
   prediction inside. Disjoint pairs, and pairs whose areas rule out `at_least`, are 0. Returns
   NO_MEMORY if memory is short. */
EXPORT(int64_t, masks_ious, const uint32_t *true_runs, const int64_t *true_starts,
       const uint32_t *predicted_runs, const int64_t *predicted_starts, const int64_t *true_rows,
       const int64_t *predicted_rows, const uint8_t *crowd, double at_least, int64_t first,
       int64_t last, double *ious) {
    Intervals true_ = {-1, NULL, NULL, 0, 0, 0}, predicted = {-1, NULL, NULL, 0, 0, 0};
    int64_t answer = DONE;
    for (int64_t pair = first; pair < last; pair++) {
        double most, both, areas;
        if (!spread(&true_, true_rows[pair], true_runs, true_starts) ||
            !spread(&predicted, predicted_rows[pair], predicted_runs, predicted_starts)) {
            answer = NO_MEMORY;
            break;
        }
        areas = (double)(true_.area + predicted.area);
        most = (double)(true_.area < predicted.area ? true_.area : predicted.area);
        ious[pair] = 0;
        if (most == 0 || most / (crowd[pair] ? predicted.area : areas - most) < at_least) continue;
        both = (double)common(&true_, &predicted);
        if (both > 0) ious[pair] = both / (crowd[pair] ? predicted.area : areas - both);
    }
    free(true_.from);
    free(true_.to);
    free(predicted.from);
    free(predicted.to);
    return answer;
}
