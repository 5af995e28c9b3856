/* Masks as run lengths: from compressed text and from polygons, their sizes and their overlaps.

   Rows are ragged: row i has the elements from rows[i] up to rows[i + 1]. Every function works on
   the rows from `first` up to `last`, so that threads can share them. `sizes` has the height and
   width of each row's image. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

#define DONE (-1)
#define NO_MEMORY (-2)

/* ---- Compressed text: groups of five bits, the lowest first, 32 set where more follow. ---- */

#define ZERO 48
#define GROUPS 12 /* more would not fit into 64 bits */

/* Counts the numbers in the text of each row. Answers the first row that is no such text. */
EXPORT int64_t masks_text_lengths(const uint8_t *text, const int64_t *starts, int64_t first,
                                  int64_t last, int64_t *lengths)
{
    for (int64_t row = first; row < last; row++) {
        const uint8_t *at = text + starts[row], *end = text + starts[row + 1];
        int64_t length = 0;
        uint8_t outside = 0;
        if (at < end && ((uint8_t)(end[-1] - ZERO) & 32))
            return row;
        while (at < end) { /* in blocks whose count fits a byte, for the compiler to vectorize */
            const uint8_t *stop = end - at > 255 ? at + 255 : end;
            uint8_t finished = 0;
            for (; at < stop; at++) {
                uint8_t value = (uint8_t)(*at - ZERO);
                outside |= value;
                finished = (uint8_t)(finished + ((value >> 5 & 1) ^ 1));
            }
            length += finished;
        }
        if (outside & 192)
            return row;
        lengths[row] = length;
    }
    return DONE;
}

static int64_t number(const uint8_t **at)
{
    const uint8_t *here = *at;
    uint64_t bits = 0;
    int shift = 0;
    uint8_t group;
    do {
        group = (uint8_t)(*here++ - ZERO);
        if (shift < 5 * GROUPS)
            bits |= (uint64_t)(group & 31) << shift;
        shift += 5;
    } while (group & 32);
    *at = here;
    if (shift > 5 * GROUPS)
        return INT64_MIN;
    if (group & 16)
        bits |= ~(uint64_t)0 << shift;
    return (int64_t)bits;
}

/* Run lengths of each row's text, which masks_text_lengths has checked. Answers the first row
   with a length that is negative or too large. */
EXPORT int64_t masks_from_text(const uint8_t *text, const int64_t *starts, int64_t first,
                               int64_t last, const int64_t *rows, uint32_t *runs)
{
    for (int64_t row = first; row < last; row++) {
        const uint8_t *at = text + starts[row];
        uint32_t *begin = runs + rows[row], *end = runs + rows[row + 1];
        for (uint32_t *run = begin; run < end; run++) {
            int64_t value;
            uint8_t low = (uint8_t)(at[0] - ZERO), high;
            if (!(low & 32)) {
                value = low - ((low & 16) << 1);
                at += 1;
            } else if (high = (uint8_t)(at[1] - ZERO), !(high & 32)) {
                value = (low & 31) + ((high - ((high & 16) << 1)) * 32);
                at += 2;
            } else if (value = number(&at), value == INT64_MIN) {
                return row;
            }
            if (run - begin > 2)
                value = (int64_t)((uint64_t)value + run[-2]);
            if (value < 0 || value > UINT32_MAX)
                return row;
            *run = (uint32_t)value;
        }
    }
    return DONE;
}

/* ---- Sizes. ---- */

/* Area of each row, the box around it as COCO writes it (x, y, width, height), and the number of
   pixels that its runs fill, inside and outside. */
EXPORT void masks_measure(const uint32_t *runs, const int64_t *rows, const int64_t *sizes,
                          int64_t first, int64_t last, double *areas, double *boxes,
                          int64_t *filled)
{
    for (int64_t row = first; row < last; row++) {
        const uint32_t *run = runs + rows[row];
        int64_t count = rows[row + 1] - rows[row], area = 0, total = 0;
        uint32_t height = (uint32_t)sizes[2 * row];
        uint32_t left = UINT32_MAX, right = 0, top = UINT32_MAX, bottom = 0;
        uint32_t here = 0, column = 0, start = 0; /* start of the column */
        double *box = boxes + 4 * row;
        box[0] = box[1] = box[2] = box[3] = 0;
        for (int64_t i = 0; i + 1 < count; i += 2) {
            uint32_t edges[2], before = 0;
            total += (int64_t)run[i] + run[i + 1];
            area += run[i + 1];
            edges[0] = here + run[i];
            here = edges[0] + run[i + 1];
            edges[1] = here - 1;
            if (!run[i + 1] || !height)
                continue;
            for (int edge = 0; edge < 2; edge++) {
                uint32_t y = edges[edge] - start;
                if (y >= height) {
                    column = y < 2 * (uint64_t)height ? column + 1 : edges[edge] / height;
                    start = column * height;
                    y = edges[edge] - start;
                }
                if (edge == 0)
                    before = column;
                else if (before < column)
                    top = 0, bottom = height - 1;
                left = column < left ? column : left;
                right = column > right ? column : right;
                top = y < top ? y : top;
                bottom = y > bottom ? y : bottom;
            }
        }
        if (count & 1)
            total += run[count - 1];
        if (area && height) {
            box[0] = left;
            box[1] = top;
            box[2] = (double)right - left + 1;
            box[3] = (double)bottom - top + 1;
        }
        areas[row] = (double)area;
        filled[row] = total;
    }
}

/* ---- Polygons, drawn as COCO does: on a grid five times as fine. ---- */

#define FINE 5
#define MIDDLE 2           /* a column's boundary points lie where its third fine column ends */
#define FARTHEST 100000000 /* coordinates whose fine ones are whole numbers of 32 bits */
#define DOUBT 1e-6

static int32_t fine(double coordinate) { return (int32_t)(FINE * coordinate + .5); }

/* The columns whose middle an edge between two fine columns crosses: from *from up to *to. */
static void crossed(int32_t a, int32_t b, int32_t width, int32_t *from, int32_t *to)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    *from = low <= MIDDLE ? 0 : (low + FINE - 1 - MIDDLE) / FINE;
    *to = high <= MIDDLE ? 0 : (high - 1 - MIDDLE) / FINE + 1;
    if (*to > width)
        *to = width;
}

/* The most boundaries that a row can have, added up over the rows. The complement of the first
   row with a coordinate out of range or too many pixels, if there is one. */
EXPORT int64_t masks_polygon_capacity(const double *points, const int64_t *rings,
                                      const int64_t *rows, const int64_t *sizes, int64_t first,
                                      int64_t last)
{
    int64_t capacity = 0;
    for (int64_t row = first; row < last; row++) {
        int64_t height = sizes[2 * row], width = sizes[2 * row + 1];
        if (height < 0 || width < 0 || height > FARTHEST || width > FARTHEST ||
            height * width > INT32_MAX)
            return ~row;
        for (int64_t ring = rows[row]; ring < rows[row + 1]; ring++) {
            const double *begin = points + 2 * rings[ring], *end = points + 2 * rings[ring + 1];
            int32_t from, to, before = 0;
            for (const double *value = begin; value < end; value++)
                if (!(*value >= -FARTHEST && *value <= FARTHEST))
                    return ~row;
            if (begin < end)
                before = fine(end[-2]);
            for (const double *point = begin; point < end; point += 2) {
                int32_t x = fine(point[0]);
                crossed(before, x, (int32_t)width, &from, &to);
                capacity += to > from ? to - from : 0;
                before = x;
            }
        }
        capacity += rows[row + 1] > rows[row];
    }
    return capacity;
}

typedef struct {
    int32_t *x, *y;      /* fine corners of a ring, the first one again at the end */
    int64_t corners;     /* room for so many */
    int32_t *ends;       /* where the boundaries of each column end */
    int64_t columns;     /* room for so many */
    uint32_t *at;        /* boundaries of a ring */
    uint32_t *together;  /* of the rings before it */
    uint32_t *joined;    /* of both */
    int64_t boundaries;  /* room for so many, in each */
} Desk;

static void *room(void *old, int64_t count, size_t size)
{
    return realloc(old, (size_t)count * size);
}

static int corners_fit(Desk *desk, int64_t corners)
{
    int32_t *x, *y;
    if (corners <= desk->corners)
        return 1;
    corners *= 2;
    if ((x = room(desk->x, corners, sizeof *x)))
        desk->x = x;
    if ((y = room(desk->y, corners, sizeof *y)))
        desk->y = y;
    if (x && y)
        desk->corners = corners;
    return x && y;
}

static int columns_fit(Desk *desk, int64_t columns)
{
    int32_t *ends;
    if (columns <= desk->columns)
        return 1;
    if (!(ends = room(desk->ends, columns, sizeof *ends)))
        return 0;
    desk->ends = ends;
    desk->columns = columns;
    return 1;
}

static int boundaries_fit(Desk *desk, int64_t boundaries)
{
    uint32_t *at, *together, *joined;
    if (boundaries <= desk->boundaries)
        return 1;
    boundaries *= 2;
    if ((at = room(desk->at, boundaries, sizeof *at)))
        desk->at = at;
    if ((together = room(desk->together, boundaries, sizeof *together)))
        desk->together = together;
    if ((joined = room(desk->joined, boundaries, sizeof *joined)))
        desk->joined = joined;
    if (at && together && joined)
        desk->boundaries = boundaries;
    return at && together && joined;
}

static void clear(Desk *desk)
{
    free(desk->x);
    free(desk->y);
    free(desk->ends);
    free(desk->at);
    free(desk->together);
    free(desk->joined);
}

/* The pixel row that a fine row belongs to, counted from its middle on. */
static uint32_t pixel(int32_t v, int32_t height)
{
    uint32_t y = v < MIDDLE ? 0 : (uint32_t)(v + FINE - 1 - MIDDLE) / FINE;
    return y < (uint32_t)height ? y : (uint32_t)height;
}

/* Boundaries on an edge that is wider than high: at each middle, the upper of two fine points. */
static void cross_wide(int32_t xs, int32_t ys, int32_t xe, int32_t ye, int32_t from, int32_t to,
                       int32_t height, int32_t *ends, uint32_t *at)
{
    double slope = (double)(ye - ys) / (xe - xs);
    int32_t t = FINE * from + MIDDLE - xs + (slope < 0);
    uint32_t begin = (uint32_t)from * (uint32_t)height;
    for (int32_t column = from; column < to; column++, t += FINE, begin += (uint32_t)height)
        at[ends[column]++] = begin + pixel((int32_t)(ys + slope * t + .5), height);
}

/* Boundaries on an edge that is higher than wide: the last fine point before each middle. That
   point is found by division; where rounding might put it beside the one that COCO's own formula
   finds (errors of that are below DOUBT), the formula decides. */
static void cross_high(int32_t xs, int32_t ys, int32_t xe, int32_t ye, int32_t from, int32_t to,
                       int32_t height, int32_t *ends, uint32_t *at)
{
    int32_t length = ye - ys, middle = FINE * from + MIDDLE;
    double slope = (double)(xe - xs) / length, inverse = (double)length / (xe - xs);
    double doubt = DOUBT * (inverse < 0 ? -inverse : inverse);
    int rises = slope > 0;
    uint32_t begin = (uint32_t)from * (uint32_t)height;
#define PAST(t) (((int32_t)(xs + slope * (t) + .5) > middle) == rises)
    for (int32_t column = from; column < to; column++, middle += FINE, begin += (uint32_t)height) {
        double crossing = (middle + .5 - xs) * inverse;
        int32_t t = (int32_t)crossing;
        if (!(crossing - t > doubt && crossing - t < 1 - doubt)) {
            t = t < length ? t : length - 1;
            while (t < length - 1 && !PAST(t + 1))
                t++;
            while (t > 0 && PAST(t))
                t--;
        }
        at[ends[column]++] = begin + pixel(t + ys, height);
    }
#undef PAST
}

static void sort(uint32_t *values, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        uint32_t value = values[i];
        int32_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

/* Sorts the boundaries of each column and leaves out those of which there are two in one place. */
static int32_t tidied(uint32_t *at, const int32_t *ends, int32_t left, int32_t right, uint32_t full)
{
    int32_t kept = 0, begin = 0;
    for (int32_t column = left; column < right; column++) {
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
    while (kept > 0 && at[kept - 1] == full)
        kept--;
    return kept;
}

/* Where runs begin inside and outside of a ring by turns; -1 without memory. */
static int32_t ring_boundaries(const double *points, int64_t count, int32_t height, int32_t width,
                               Desk *desk)
{
    int32_t left = width, right = 0, from, to, edges = 0, total = 0, *ends;
    if (!corners_fit(desk, count + 1) || !columns_fit(desk, width + 1))
        return -1;
    for (int64_t i = 0; i < count; i++) {
        desk->x[i] = fine(points[2 * i]);
        desk->y[i] = fine(points[2 * i + 1]);
    }
    if (count) {
        desk->x[count] = desk->x[0];
        desk->y[count] = desk->y[0];
    }
    for (int64_t i = 0; i < count; i++) {
        crossed(desk->x[i], desk->x[i + 1], width, &from, &to);
        left = from < to && from < left ? from : left;
        right = from < to && to > right ? to : right;
    }
    if (left >= right)
        return 0;
    ends = desk->ends;
    memset(ends + left, 0, (size_t)(right - left + 1) * sizeof *ends);
    for (int64_t i = 0; i < count; i++) {
        crossed(desk->x[i], desk->x[i + 1], width, &from, &to);
        if (from < to) {
            ends[from]++;
            ends[to]--;
        }
    }
    for (int32_t column = left; column < right; column++) {
        edges += ends[column];
        ends[column] = total; /* where the column begins, until its boundaries are there */
        total += edges;
    }
    if (!boundaries_fit(desk, total))
        return -1;
    for (int64_t i = 0; i < count; i++) {
        int32_t xs = desk->x[i], ys = desk->y[i], xe = desk->x[i + 1], ye = desk->y[i + 1];
        int32_t across = xe > xs ? xe - xs : xs - xe, down = ye > ys ? ye - ys : ys - ye;
        crossed(xs, xe, width, &from, &to);
        if (from >= to)
            continue;
        if (across >= down && xs < xe)
            cross_wide(xs, ys, xe, ye, from, to, height, ends, desk->at);
        else if (across >= down)
            cross_wide(xe, ye, xs, ys, from, to, height, ends, desk->at);
        else if (ys < ye)
            cross_high(xs, ys, xe, ye, from, to, height, ends, desk->at);
        else
            cross_high(xe, ye, xs, ys, from, to, height, ends, desk->at);
    }
    return tidied(desk->at, ends, left, right, (uint32_t)height * (uint32_t)width);
}

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *kept = *a;
    *a = *b;
    *b = kept;
}

/* Adds the boundaries of a ring to those of the rings before it: pixels in any of them. */
static int32_t unite(Desk *desk, int32_t count, int32_t before)
{
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
        if (((i | j) & 1) != was)
            desk->joined[kept++] = place;
    }
    swap(&desk->joined, &desk->together);
    return kept;
}

/* Run lengths of the union of each row's rings, packed one row behind the other into `runs`,
   which has the room that masks_polygon_capacity asks for. Answers how many there are. */
EXPORT int64_t masks_from_polygons(const double *points, const int64_t *rings, const int64_t *rows,
                                   const int64_t *sizes, int64_t first, int64_t last,
                                   uint32_t *runs, int64_t *lengths)
{
    Desk desk = {0};
    uint32_t *run = runs;
    for (int64_t row = first; row < last; row++) {
        int32_t height = (int32_t)sizes[2 * row], width = (int32_t)sizes[2 * row + 1], united = 0;
        uint32_t *begin = run, before = 0;
        for (int64_t ring = rows[row]; ring < rows[row + 1]; ring++) {
            int32_t count = ring_boundaries(points + 2 * rings[ring], rings[ring + 1] - rings[ring],
                                            height, width, &desk);
            if (count < 0 || !boundaries_fit(&desk, (int64_t)count + united)) {
                clear(&desk);
                return NO_MEMORY;
            }
            united = unite(&desk, count, united);
        }
        for (int32_t i = 0; i < united; i++) {
            *run++ = desk.together[i] - before;
            before = desk.together[i];
        }
        if (rows[row + 1] > rows[row])
            *run++ = (uint32_t)height * (uint32_t)width - before;
        lengths[row] = run - begin;
    }
    clear(&desk);
    return run - runs;
}

/* ---- Overlap. ---- */

#define BLOCK 8 /* intervals of both masks that are compared side by side, with vectors */

typedef struct {
    int64_t row;       /* whose intervals these are */
    int32_t *from, *to; /* pixels inside, in the order of the runs */
    int64_t count, room;
    int64_t area;
} Intervals;

/* Makes `intervals` those of a row. Behind the last come some that nothing reaches. */
static int spread(Intervals *intervals, int64_t row, const uint32_t *runs, const int64_t *rows)
{
    const uint32_t *run = runs + rows[row];
    int64_t count = (rows[row + 1] - rows[row]) / 2, area = 0;
    uint32_t here = 0;
    if (intervals->row == row)
        return 1;
    if (count + BLOCK + 1 > intervals->room) {
        int64_t wanted = 2 * (count + BLOCK + 1);
        int32_t *from = room(intervals->from, wanted, sizeof *from), *to;
        if (!from)
            return 0;
        intervals->from = from;
        if (!(to = room(intervals->to, wanted, sizeof *to)))
            return 0;
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

/* First interval from `i` on that ends behind a place. */
static int64_t behind(const Intervals *intervals, int64_t i, int32_t place)
{
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

/* Adds what the next intervals of both share, each with its counterpart, if no other of them
   overlap: the usual case of two shapes with one run in a column. */
static int side_by_side(const int32_t *a_from, const int32_t *a_to, const int32_t *b_from,
                        const int32_t *b_to, int64_t *pixels)
{
    int32_t shared = 0, crossing = 0;
    for (int i = 0; i < BLOCK; i++) {
        int32_t from = a_from[i] > b_from[i] ? a_from[i] : b_from[i];
        int32_t to = a_to[i] < b_to[i] ? a_to[i] : b_to[i];
        shared += to > from ? to - from : 0;
        crossing |= (a_to[i] > b_from[i + 1]) | (b_to[i] > a_from[i + 1]);
    }
    if (!crossing)
        *pixels += shared;
    return !crossing;
}

/* Pixels that two masks share. */
static int64_t common(const Intervals *a, const Intervals *b)
{
    int64_t i = 0, j = 0, pixels = 0;
    if (a->count == 0 || b->count == 0)
        return 0;
    i = behind(a, 0, b->from[0]);
    j = behind(b, 0, a->from[0]);
    while (i < a->count && j < b->count) {
        if (side_by_side(a->from + i, a->to + i, b->from + j, b->to + j, &pixels)) {
            i += BLOCK;
            j += BLOCK;
            continue;
        }
        for (int step = 0; step < BLOCK; step++) { /* those behind the last share nothing */
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

/* IoU of pairs of masks of less than 2 billion pixels, or, of a crowd, the part of the prediction
   that lies in it. Pairs that are certainly below `at_least` are answered with 0, as those are
   that share nothing. Answers NO_MEMORY without it. */
EXPORT int64_t masks_ious(const uint32_t *true_runs, const int64_t *true_starts,
                          const uint32_t *predicted_runs, const int64_t *predicted_starts,
                          const int64_t *true_rows, const int64_t *predicted_rows,
                          const uint8_t *crowd, double at_least, int64_t first, int64_t last,
                          double *ious)
{
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
        if (most == 0 || most / (crowd[pair] ? predicted.area : areas - most) < at_least)
            continue;
        both = (double)common(&true_, &predicted);
        if (both > 0)
            ious[pair] = both / (crowd[pair] ? predicted.area : areas - both);
    }
    free(true_.from);
    free(true_.to);
    free(predicted.from);
    free(predicted.to);
    return answer;
}
