/* Shared areas of pairs of convex quadrilaterals. Each function has a twin of the same name in
   reference/quadrilaterals.py, which documents it. Both perform the same arithmetic operations, so
   results are equal bit by bit. */
#include "kernels.h"

/* A cut of n corners leaves at most 3 n / 2 if rounding makes the outline slightly concave:
   4, 6, 9, 13, 19. */
#define MOST_CORNERS 20

typedef struct {
    double x, y;
} Point;

/* Area of a polygon with positive orientation, as a fan around its first corner. */
static double area_of(const Point *corners, int count) {
    double twice = 0;
    for (int i = 2; i < count; i++) {
        double x = corners[i - 1].x - corners[0].x, y = corners[i - 1].y - corners[0].y;
        twice += x * (corners[i].y - corners[0].y) - y * (corners[i].x - corners[0].x);
    }
    return twice / 2;
}

/* Cuts off the part of a polygon to the outer side of the line from a to b. Returns the number of
   corners that remain. A crossing is on the edge between two corners, even if rounding decides on
   which side of the line they are, so nearly parallel edges change the area by rounding only. */
static int cut(const Point *corners, int count, Point a, Point b, Point *kept) {
    double x = b.x - a.x, y = b.y - a.y;
    int kept_count = 0;
    Point last;
    double side;
    if (!count) return 0;
    last = corners[count - 1];
    side = x * (last.y - a.y) - y * (last.x - a.x);
    for (int i = 0; i < count; i++) {
        Point next = corners[i];
        double next_side = x * (next.y - a.y) - y * (next.x - a.x);
        if ((side < 0 && next_side > 0) || (side > 0 && next_side < 0)) {
            double part = side / (side - next_side);
            kept[kept_count].x = last.x + part * (next.x - last.x);
            kept[kept_count++].y = last.y + part * (next.y - last.y);
        }
        if (next_side >= 0) kept[kept_count++] = next;
        last = next;
        side = next_side;
    }
    return kept_count;
}

/* Each row of corners has x and y of four corners. */
EXPORT(void, quadrilateral_ious, const double *true_corners, const double *corners,
       const int64_t *true_rows, const int64_t *rows, const uint8_t *crowd, double at_least,
       int64_t first, int64_t last, double *ious) {
    for (int64_t pair = first; pair < last; pair++) {
        const double *true_row = true_corners + 8 * true_rows[pair];
        const double *row = corners + 8 * rows[pair];
        Point truth[4], one[MOST_CORNERS], other[MOST_CORNERS];
        double true_area, area, least, shared, whole;
        int count = 4;
        /* Relative to a corner, coordinates far from the origin lose no precision in products. */
        for (int i = 0; i < 4; i++) {
            truth[i].x = true_row[2 * i] - true_row[0];
            truth[i].y = true_row[2 * i + 1] - true_row[1];
            one[i].x = row[2 * i] - true_row[0];
            one[i].y = row[2 * i + 1] - true_row[1];
        }
        true_area = area_of(truth, 4);
        area = area_of(one, 4);
        least = true_area < area ? true_area : area;
        ious[pair] = 0;
        if (!(least > 0)) continue;
        whole = crowd[pair] ? area : true_area + area - least;
        if (!(least / whole >= at_least)) continue;
        count = cut(one, count, truth[0], truth[1], other);
        count = cut(other, count, truth[1], truth[2], one);
        count = cut(one, count, truth[2], truth[3], other);
        count = cut(other, count, truth[3], truth[0], one);
        shared = area_of(one, count);
        if (shared > least) shared = least;
        if (!(shared > 0)) continue;
        whole = crowd[pair] ? area : true_area + area - shared;
        ious[pair] = shared / whole;
    }
}
