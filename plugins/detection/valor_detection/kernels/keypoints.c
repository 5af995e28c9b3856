/* Similarity of keypoints. Each function is a step of `oks_pairs` in compiled/keypoints.py, whose
   twin in reference/keypoints.py is its definition. */
#include "kernels.h"

/* What pycocotools adds to areas: numpy.spacing(1). */
#define SPACING 0x1p-52

enum { AHEAD = 4 }; /* rows */

/* clang-format off */
STRUCT(KeypointColumns,
    int64_t count;
    const int64_t *datums; /* ascending */
    const int64_t *groups;
    const double *points; /* x, y and visibility of each */
    const int64_t *rows; /* offset of the first point of each object */
);

STRUCT(TrueKeypoints,
    const double *boxes; /* x, y, width and height of each */
    const double *areas;
    const double *variances; /* of each point of each group */
    const int64_t *variance_rows; /* offsets of the variances of each group */
);
/* clang-format on */

/* Loads the points of a row into the cache. Rows of files that are not sorted by image are far from
   each other, so the processor does not load them by itself. */
static void prefetch(const double *points, int64_t count) {
#if defined(__GNUC__)
    for (int64_t i = 0; i < 3 * count; i += 8) __builtin_prefetch(points + i);
#else
    (void)points, (void)count;
#endif
}

static double beyond(double x, double low, double high) {
    return (low - x > 0 ? low - x : 0) + (x - high > 0 ? x - high : 0);
}

/* Squared distance of a predicted point from the true one, or, without `truth`, from a box. */
static double squared_distance(const double *point, const double *truth, const double *limits) {
    double across, down;
    if (truth) {
        across = point[0] - truth[0];
        down = point[1] - truth[1];
    } else {
        across = beyond(point[0], limits[0], limits[2]);
        down = beyond(point[1], limits[1], limits[3]);
    }
    return across * across + down * down;
}

/* Returns 0 if the mean of exp(-e) over the compared points is certainly below `lowest`. For e >= 0
   each term is at most 1 / (1 + e + e * e / 2), and at most 1. */
static int may_reach(double lowest, const double *points, const double *truth, int64_t count,
                     int64_t compared, const double *limits, const double *variances,
                     double area) {
    double needed = lowest * (double)compared * (1 - 1e-9), sum = 0, left = (double)compared;
    double scale = 0.5 / area;
    for (int64_t p = 0; p < count; p++) {
        double e;
        if (!limits && !(truth[3 * p + 2] > 0)) continue;
        e = squared_distance(points + 3 * p, limits ? 0 : truth + 3 * p, limits) * scale;
        e /= variances[p];
        sum += 1 / (1 + e * (1 + 0.5 * e));
        left--;
        if (sum + left < needed) return 0;
    }
    return 1;
}

/* Writes the negated exponents of the pairs of predictions from *row up to `last`, as long as those
   of the next one fit for certain. `sizes` is the number of pairs of each prediction, and `ends`
   the end of the exponents of each pair. Returns the number of pairs written; *row and *true_row
   are the rows to continue with. */
EXPORT(int64_t, oks_exponents, const KeypointColumns *true_side, const TrueKeypoints *of,
       const KeypointColumns *side, int64_t last, double lowest, int64_t capacity, int64_t *row,
       int64_t *sizes, int64_t *truths, int64_t *ends, double *exponents) {
    int64_t written = 0, used = 0, i = row[0], first = row[1];
    while (i < last) {
        int64_t datum = side->datums[i], stop;
        while (first < true_side->count && true_side->datums[first] < datum) first++;
        stop = first;
        while (stop < true_side->count && true_side->datums[stop] == datum) stop++;
        for (; i < last && side->datums[i] == datum; i++) {
            const double *points = side->points + 3 * side->rows[i];
            const int64_t *of_group = of->variance_rows + side->groups[i];
            int64_t count = of_group[1] - of_group[0], before = written;
            sizes[i] = 0;
            if (!count) continue;
            if (i + AHEAD < last) prefetch(side->points + 3 * side->rows[i + AHEAD], count);
            if (capacity - used < (stop - first) * count) goto full;
            for (int64_t j = first; j < stop; j++) {
                const double *truth = true_side->points + 3 * true_side->rows[j];
                const double *box = of->boxes + 4 * j, *limits = 0;
                const double *variances = of->variances + of_group[0];
                double area = of->areas[j] + SPACING, around[4];
                int64_t compared = 0;
                if (true_side->groups[j] != side->groups[i]) continue;
                for (int64_t p = 0; p < count; p++) compared += truth[3 * p + 2] > 0;
                if (!compared) {
                    around[0] = box[0] - box[2];
                    around[1] = box[1] - box[3];
                    around[2] = box[0] + box[2] * 2;
                    around[3] = box[1] + box[3] * 2;
                    limits = around;
                    compared = count;
                }
                if (!may_reach(lowest, points, truth, count, compared, limits, variances, area))
                    continue;
                for (int64_t p = 0; p < count; p++) {
                    double distance;
                    if (!limits && !(truth[3 * p + 2] > 0)) continue;
                    distance = squared_distance(points + 3 * p, limits ? 0 : truth + 3 * p, limits);
                    exponents[used++] = -(distance / variances[p] / area / 2);
                }
                truths[written] = j;
                ends[written++] = used;
            }
            sizes[i] = written - before;
        }
    }
full:
    row[0] = i;
    row[1] = first;
    return written;
}

/* Writes x, y, width and height of the box around the points of each row. */
EXPORT(void, point_boxes, int64_t count, const double *points, const int64_t *starts,
       const int64_t *counts, double *boxes) {
    for (int64_t i = 0; i < count; i++, boxes += 4) {
        const double *point = points + 3 * starts[i];
        if (i + AHEAD < count) prefetch(points + 3 * starts[i + AHEAD], counts[i + AHEAD]);
        double left = point[0], right = left, top = point[1], bottom = top;
        for (int64_t p = 1; p < counts[i]; p++) {
            double x = point[3 * p], y = point[3 * p + 1];
            left = x < left ? x : left;
            right = x > right ? x : right;
            top = y < top ? y : top;
            bottom = y > bottom ? y : bottom;
        }
        boxes[0] = left;
        boxes[1] = top;
        boxes[2] = right - left;
        boxes[3] = bottom - top;
    }
}

/* Sum in the order of numpy.sum. */
static double pairwise_sum(const double *values, int64_t count) {
    double sums[8], sum = 0;
    int64_t i = 0;
    if (count > 128) {
        int64_t half = count / 2;
        half -= half % 8;
        return pairwise_sum(values, half) + pairwise_sum(values + half, count - half);
    }
    if (count >= 8) {
        for (int k = 0; k < 8; k++) sums[k] = values[k];
        for (i = 8; i < count - count % 8; i += 8)
            for (int k = 0; k < 8; k++) sums[k] += values[i + k];
        sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
              ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
    for (; i < count; i++) sum += values[i];
    return sum;
}

/* Writes the mean of the values of each row. */
EXPORT(void, oks_means, int64_t count, const int64_t *ends, const double *values, double *means) {
    int64_t start = 0;
    for (int64_t i = 0; i < count; i++) {
        means[i] = pairwise_sum(values + start, ends[i] - start) / (double)(ends[i] - start);
        start = ends[i];
    }
}
