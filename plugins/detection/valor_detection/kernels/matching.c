/* Pairs of boxes, greedy matching and accumulation. Each function has a twin of the same name in
   reference/matching.py, which documents it. Both perform the same arithmetic operations, so
   results are equal bit by bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* Checksum of the sources at build time, by which a stale library is detected. */
EXPORT(uint32_t, valor_kernels_sources, void) { return KERNELS_SOURCES; }

static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

/* Shared area and union have an absolute error if products underflow; TINY is above it. */
#define TINY 1e-300

/* clang-format off */
STRUCT(Boxes,
    int64_t count;
    const int64_t *datums;
    const int64_t *groups;
    const double *boxes; /* x, y, width and height of each */
);
/* clang-format on */

/* Writes the pairs of predictions from *row up to `last`, as long as those of the next one fit for
   certain. Returns the number of pairs written; *row and *true_row are the rows to continue
   with. */
EXPORT(int64_t, box_pairs, const Boxes *true_side, const uint8_t *crowd, const Boxes *side,
       int64_t last, double lowest, int64_t capacity, int64_t *row, int64_t *true_row,
       int64_t *sizes, int64_t *truths, double *ious) {
    const int64_t true_count = true_side->count, *true_datums = true_side->datums;
    const int64_t *true_groups = true_side->groups, *datums = side->datums, *groups = side->groups;
    const double *true_boxes = true_side->boxes, *boxes = side->boxes;
    const int64_t count = last;
    int64_t written = 0, first = *true_row, i = *row;
    /* An IoU has three roundings, with a relative error below 2^-51. A product below this limit
       cannot round up to `lowest`, so most pairs need no division. */
    double nearly = lowest * (1 - 1e-9);
    while (i < count) {
        int64_t datum = datums[i], stop;
        while (first < true_count && true_datums[first] < datum) first++;
        stop = first;
        while (stop < true_count && true_datums[stop] == datum) stop++;
        for (; i < count && datums[i] == datum; i++) {
            const double *box = boxes + 4 * i;
            double x = box[0], y = box[1], right = box[2] + x, low = box[3] + y;
            double area = box[2] * box[3];
            int64_t group = groups[i], before = written;
            if (capacity - written < stop - first) goto full;
            for (int64_t j = first; j < stop; j++) {
                const double *truth = true_boxes + 4 * j;
                double across, down, shared, whole, iou;
                if (true_groups[j] != group) continue;
                across = lesser(right, truth[2] + truth[0]) - greater(x, truth[0]);
                down = lesser(low, truth[3] + truth[1]) - greater(y, truth[1]);
                shared = across * down;
                whole = crowd[j] ? area : area + truth[2] * truth[3] - shared;
                /* One branch instead of several, which the CPU could not predict. */
                if (!((across > 0) & (down > 0) & (shared >= whole * nearly - TINY))) continue;
                iou = shared / whole;
                if (!(iou > 0 && iou >= lowest)) continue;
                truths[written] = j;
                ious[written++] = iou;
            }
            sizes[i] = written - before;
        }
    }
full:
    *row = i;
    *true_row = first;
    return written;
}

/* Bits that sort as unsigned integers by descending score; 0.0 and -0.0 are equal. */
static uint64_t descending(double score) {
    uint64_t bits;
    score += 0.0;
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    return ~bits;
}

typedef struct {
    uint64_t key;
    int32_t row, group;
} Keyed;

#define DIGITS 6
#define RADIX 2048 /* 11 bits: six digits have 64 */
#define UPPER 3    /* different scores are rarely equal in the digits from here on */
#define MOST INT32_MAX
#define FEW 64 /* up to this size, insertion sort is faster */

/* Sorts stably by digits first_digit to last_digit of the key; `other` is a buffer of equal
   size. */
static void sort_by_digits(Keyed *keys, Keyed *other, int64_t count, int first_digit,
                           int last_digit, uint32_t (*counts)[RADIX]) {
    Keyed *from = keys, *to = other;
    memset(counts, 0, DIGITS * sizeof *counts);
    for (int64_t i = 0; i < count; i++)
        for (int digit = first_digit; digit < last_digit; digit++)
            counts[digit][keys[i].key >> 11 * digit & (RADIX - 1)]++;
    for (int digit = first_digit; digit < last_digit; digit++) {
        uint32_t *positions = counts[digit], place = 0;
        Keyed *swap;
        if (positions[from[0].key >> 11 * digit & (RADIX - 1)] == (uint64_t)count) continue;
        for (int value = 0; value < RADIX; value++) {
            uint32_t size = positions[value];
            positions[value] = place;
            place += size;
        }
        for (int64_t i = 0; i < count; i++)
            to[positions[from[i].key >> 11 * digit & (RADIX - 1)]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) memcpy(keys, from, (size_t)count * sizeof *keys);
}

/* Sorts keys with equal upper digits, which are usually sorted already. */
static void sort_lower(Keyed *keys, Keyed *other, int64_t count, uint32_t (*counts)[RADIX]) {
    int64_t sorted = 1;
    while (sorted < count && keys[sorted - 1].key <= keys[sorted].key) sorted++;
    if (sorted == count) return;
    if (count > FEW) {
        sort_by_digits(keys, other, count, 0, UPPER, counts);
        return;
    }
    for (int64_t i = sorted; i < count; i++) {
        Keyed moved = keys[i];
        int64_t j = i;
        for (; j > 0 && keys[j - 1].key > moved.key; j--) keys[j] = keys[j - 1];
        keys[j] = moved;
    }
}

/* `starts` has group_count + 1 elements. Returns 0, or -1 without memory. */
EXPORT(int, score_order, int64_t count, const int64_t *groups, const double *scores,
       int64_t group_count, int64_t *starts, int64_t *order) {
    /* Beyond MOST, rows need more than 32 bits, and so do sizes on 32-bit systems. */
    int fits = count >= 0 && count <= MOST && (uint64_t)count < SIZE_MAX / sizeof(Keyed) / 2;
    Keyed *room = fits ? malloc((size_t)(2 * count + 1) * sizeof *room) : NULL;
    Keyed *by_score, *keys;
    uint32_t(*counts)[RADIX] = malloc(DIGITS * sizeof *counts);
    if (!room || !counts) {
        free(room);
        free(counts);
        return -1;
    }
    by_score = room;
    keys = room + count;
    memset(starts, 0, (size_t)(group_count + 1) * sizeof *starts);
    for (int64_t i = 0; i < count; i++) {
        starts[groups[i] + 1]++;
        by_score[i].key = descending(scores[i]);
        by_score[i].row = (int32_t)i;
        by_score[i].group = (int32_t)groups[i];
    }
    for (int64_t k = 0; k < group_count; k++) starts[k + 1] += starts[k];
    if (count) sort_by_digits(by_score, keys, count, UPPER, DIGITS, counts);
    for (int64_t i = 0; i < count; i++) keys[starts[by_score[i].group]++] = by_score[i];
    for (int64_t k = 0, first = 0; k < group_count; k++)
        while (first < starts[k]) {
            int64_t last = first + 1;
            while (last < starts[k] &&
                   keys[last].key >> 11 * UPPER == keys[first].key >> 11 * UPPER)
                last++;
            sort_lower(keys + first, by_score, last - first, counts);
            first = last;
        }
    for (int64_t i = 0; i < count; i++) order[i] = keys[i].row;
    free(room);
    free(counts);
    return 0;
}

/* Sorts rows by group, stably. `starts` has a zero for each group and one more. */
EXPORT(void, grouped_order, int64_t count, const int64_t *groups, int64_t group_count,
       int64_t *starts, int64_t *order) {
    for (int64_t i = 0; i < count; i++) starts[groups[i] + 1]++;
    for (int64_t g = 0; g < group_count; g++) starts[g + 1] += starts[g];
    for (int64_t i = 0; i < count; i++) order[starts[groups[i]]++] = i;
}

/* `seen` and `tallies` have an element for each datum; `seen` is initialized to -1. */
EXPORT(void, ranks, int64_t count, const int64_t *order, const int64_t *groups,
       const int64_t *datums, int64_t *seen, int32_t *tallies, int32_t *found) {
    for (int64_t i = 0; i < count; i++) {
        int64_t row = order[i], datum = datums[row];
        if (seen[datum] != groups[row]) {
            seen[datum] = groups[row];
            tallies[datum] = 0;
        }
        found[row] = tallies[datum]++;
    }
}

/* Returns the number of predictions with pairs; chosen_starts ends with the number of pairs. */
EXPORT(int64_t, chosen_pairs, int64_t count, const int64_t *order, const int64_t *starts,
       const int64_t *truths, const double *ious, const int64_t *groups, const int64_t *true_groups,
       int64_t *rows, int64_t *chosen_starts, int64_t *chosen_truths, double *chosen_ious) {
    int64_t row_count = 0, written = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t row = order[i], before = written;
        for (int64_t e = starts[row]; e < starts[row + 1]; e++) {
            if (true_groups[truths[e]] != groups[row]) continue;
            chosen_truths[written] = truths[e];
            chosen_ious[written++] = ious[e];
        }
        if (written == before) continue;
        rows[row_count] = row;
        chosen_starts[row_count++] = before;
    }
    chosen_starts[row_count] = written;
    return row_count;
}

/* Returns the ascending thresholds that an IoU reaches, as the lowest bits. */
static uint64_t reached(double iou, const double *thresholds, int64_t count) {
    int64_t passed = 0;
    while (passed < count && iou >= thresholds[passed]) passed++;
    return passed < 64 ? ((uint64_t)1 << passed) - 1 : ~(uint64_t)0;
}

/* Returns whether COCO prefers a pair to another one of the same prediction: counted ground truths
   first, then the greater IoU, then the last ground truth. */
static int is_preferred(int64_t pair, int64_t other, const int64_t *truths, const double *ious,
                        const uint8_t *ignored) {
    int64_t truth = truths[pair], other_truth = truths[other];
    if (ignored[truth] != ignored[other_truth]) return ignored[truth] < ignored[other_truth];
    return ious[pair] != ious[other] ? ious[pair] > ious[other] : truth > other_truth;
}

typedef struct {
    int64_t pair;
    uint64_t bits; /* thresholds at which it is the best candidate so far */
} Leader;

/* Makes this pair the best candidate at every threshold where it beats the current one. Returns the
   number of candidates. Each threshold, a bit of a 64-bit word, has one candidate, so there are at
   most 64. Ignored objects lose against counted ones, because COCO's loop has ignored objects last
   and ends at the first ignored one after a match. */
static int challenge(Leader *leaders, int count, int64_t pair, uint64_t bits, const int64_t *truths,
                     const double *ious, const uint8_t *ignored) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        Leader leader = leaders[i];
        if (leader.bits & bits) {
            if (is_preferred(pair, leader.pair, truths, ious, ignored))
                leader.bits &= ~bits;
            else
                bits &= ~leader.bits;
        }
        if (leader.bits) leaders[kept++] = leader;
    }
    if (bits) {
        leaders[kept].pair = pair;
        leaders[kept++].bits = bits;
    }
    return kept;
}

/* clang-format off */
STRUCT(PairColumns,
    int64_t count;
    const int64_t *starts;
    const int64_t *truths;
    const double *ious;
    const uint8_t *crowd;
    const uint8_t *ignored;
);
/* clang-format on */

/* `used` has an element for each ground truth, initialized to 0. */
EXPORT(void, match_coco, const PairColumns *of, int64_t threshold_count, const double *thresholds,
       uint64_t *used, uint64_t *matched, uint64_t *ignored_match, int64_t *matched_pair) {
    const int64_t count = of->count;
    const int64_t *starts = of->starts;
    const int64_t *truths = of->truths;
    const double *ious = of->ious;
    const uint8_t *crowd = of->crowd;
    const uint8_t *ignored = of->ignored;
    for (int64_t i = 0; i < count; i++) {
        Leader leaders[64];
        int leader_count = 0;
        uint64_t done = 0, ignored_bits = 0;
        for (int64_t e = starts[i]; e < starts[i + 1]; e++) {
            uint64_t bits = reached(ious[e], thresholds, threshold_count);
            if (!crowd[truths[e]]) bits &= ~used[truths[e]];
            if (bits)
                leader_count = challenge(leaders, leader_count, e, bits, truths, ious, ignored);
        }
        matched_pair[i] = -1;
        for (int k = 0; k < leader_count; k++) {
            uint64_t bits = leaders[k].bits;
            int64_t truth = truths[leaders[k].pair];
            used[truth] |= bits;
            if (!done || (bits & (~bits + 1)) < (done & (~done + 1)))
                matched_pair[i] = leaders[k].pair;
            done |= bits;
            if (ignored[truth]) ignored_bits |= bits;
        }
        matched[i] = done;
        ignored_match[i] = ignored_bits;
    }
}

/* Returns the pair with the greatest IoU, the first of equals, in a range that is not empty. */
static int64_t best_pair(int64_t start, int64_t stop, const double *ious) {
    int64_t best = start;
    for (int64_t e = start + 1; e < stop; e++)
        if (ious[e] > ious[best]) best = e;
    return best;
}

/* Finds the best pair of counted and of ignored ground truths, the first of equals, -1 without. */
static void best_pairs(int64_t start, int64_t stop, const double *ious, const int64_t *truths,
                       const uint8_t *ignored, int64_t best[2]) {
    best[0] = best[1] = -1;
    for (int64_t e = start; e < stop; e++) {
        int64_t *of_kind = best + (ignored[truths[e]] != 0);
        if (*of_kind < 0 || ious[e] > ious[*of_kind]) *of_kind = e;
    }
}

/* If `prefers_counted` is set, ignored ground truths are candidates only at thresholds that no
   counted one reaches. */
EXPORT(void, match_best, const PairColumns *of, int64_t threshold_count, const double *thresholds,
       int64_t prefers_counted, uint64_t *used, uint64_t *matched, uint64_t *ignored_match,
       int64_t *matched_pair) {
    const int64_t count = of->count;
    const int64_t *starts = of->starts;
    const int64_t *truths = of->truths;
    const double *ious = of->ious;
    const uint8_t *crowd = of->crowd;
    const uint8_t *ignored = of->ignored;
    for (int64_t i = 0; i < count; i++) {
        uint64_t all_bits = 0, ignored_bits = 0, above = ~(uint64_t)0;
        int64_t best[2] = {-1, -1};
        matched_pair[i] = -1;
        if (prefers_counted)
            best_pairs(starts[i], starts[i + 1], ious, truths, ignored, best);
        else if (starts[i] < starts[i + 1])
            best[0] = best_pair(starts[i], starts[i + 1], ious);
        for (int kind = 0; kind < 2; kind++) {
            if (best[kind] < 0) continue;
            int64_t truth = truths[best[kind]];
            uint64_t bits = reached(ious[best[kind]], thresholds, threshold_count) & above;
            above &= ~bits;
            if (!crowd[truth]) {
                bits &= ~used[truth];
                used[truth] |= bits;
            }
            if (ignored[truth]) ignored_bits |= bits;
            if (bits && matched_pair[i] < 0) matched_pair[i] = best[kind];
            all_bits |= bits;
        }
        matched[i] = all_bits;
        ignored_match[i] = ignored_bits;
    }
}

/* Returns the best pair with a crowd, or with another object; the first of equals, or -1. */
static int64_t best_pair_of(int is_crowd, int64_t start, int64_t stop, const int64_t *truths,
                            const double *ious, const uint8_t *crowd) {
    int64_t best = -1;
    for (int64_t e = start; e < stop; e++)
        if ((crowd[truths[e]] != 0) == is_crowd && (best < 0 || ious[e] > ious[best])) best = e;
    return best;
}

EXPORT(void, match_best_then_crowd, const PairColumns *of, int64_t threshold_count,
       const double *thresholds, uint64_t *used, uint64_t *matched, uint64_t *ignored_match,
       int64_t *matched_pair) {
    const int64_t count = of->count;
    const int64_t *starts = of->starts;
    const int64_t *truths = of->truths;
    const double *ious = of->ious;
    const uint8_t *crowd = of->crowd;
    const uint8_t *ignored = of->ignored;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = 0, crowd_bits = 0, ignored_bits = 0;
        int64_t best = best_pair_of(0, starts[i], starts[i + 1], truths, ious, crowd);
        int64_t best_crowd = best_pair_of(1, starts[i], starts[i + 1], truths, ious, crowd);
        if (best >= 0) {
            int64_t truth = truths[best];
            bits = reached(ious[best], thresholds, threshold_count);
            if (ignored[truth]) {
                ignored_bits = bits;
            } else {
                bits &= ~used[truth];
                used[truth] |= bits;
            }
        }
        if (best_crowd >= 0) {
            int64_t truth = truths[best_crowd];
            crowd_bits = reached(ious[best_crowd], thresholds, threshold_count) & ~bits;
            ignored_bits |= ignored[truth] ? crowd_bits : crowd_bits & used[truth];
            used[truth] |= crowd_bits;
        }
        matched[i] = bits | crowd_bits;
        ignored_match[i] = ignored_bits;
        matched_pair[i] = -1;
        if (matched[i]) {
            uint64_t lowest = matched[i] & (~matched[i] + 1);
            matched_pair[i] = bits & lowest ? best : best_crowd;
        }
    }
}

/* Matches pairs in the given order; `matched_pair` is initialized to -1, `is_matched` to 0. */
EXPORT(void, match_walk, int64_t count, const int64_t *order, const int64_t *rows,
       const int64_t *truths, const uint8_t *crowd, uint8_t *is_matched, int64_t *matched_pair) {
    for (int64_t i = 0; i < count; i++) {
        int64_t pair = order[i], truth = truths[pair];
        if (matched_pair[rows[pair]] >= 0 || (is_matched[truth] && !crowd[truth])) continue;
        matched_pair[rows[pair]] = pair;
        is_matched[truth] = 1;
    }
}

/* clang-format off */
STRUCT(RankedColumns,
    int64_t count;
    const int64_t *starts;
    const int64_t *order;
    const int32_t *positions;
    const uint8_t *counts;
    const uint8_t *in_range;
    const uint64_t *matched;
    const uint64_t *ignored_match;
);
/* clang-format on */

/* Returns the number of rows; outputs have room for every prediction with pairs, and one more.
   The loop has no branches, because the CPU could not predict them. */
EXPORT(int64_t, ranked_matches, const RankedColumns *of, int64_t *match_starts, int64_t *at,
       int32_t *false_before, uint8_t *is_counted, uint64_t *match_bits, uint64_t *ignored_bits) {
    const int64_t group_count = of->count;
    const int64_t *starts = of->starts;
    const int64_t *order = of->order;
    const int32_t *positions = of->positions;
    const uint8_t *counts = of->counts;
    const uint8_t *in_range = of->in_range;
    const uint64_t *matched = of->matched;
    const uint64_t *ignored_match = of->ignored_match;
    static const uint64_t nothing = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < group_count; k++) {
        int32_t missed = 0;
        match_starts[k] = count;
        for (int64_t i = starts[k]; i < starts[k + 1]; i++) {
            int32_t place = positions[i];
            uint64_t bits = *(place < 0 ? &nothing : matched + place);
            uint8_t counted = counts[i] & in_range[order[i]], is_matched = counts[i] & (bits != 0);
            at[count] = i;
            false_before[count] = missed;
            is_counted[count] = counted;
            match_bits[count] = bits;
            ignored_bits[count] = *(place < 0 ? &nothing : ignored_match + place);
            count += is_matched;
            missed += counted & !is_matched;
        }
    }
    match_starts[group_count] = count;
    return count;
}

EXPORT(void, positives, int64_t count, const int64_t *labels, const double *areas,
       const uint8_t *crowd, double low, double high, int64_t *found) {
    for (int64_t i = 0; i < count; i++)
        found[labels[i]] += !(crowd[i] | (areas[i] < low) | (areas[i] > high));
}

/* Returns the number of rows; outputs have room for every prediction. */
EXPORT(int64_t, ranked, const RankedColumns *of, int64_t bit, int64_t *ranked_starts, int64_t *rows,
       uint8_t *is_true, uint8_t *right, uint8_t *wrong) {
    const int64_t group_count = of->count;
    const int64_t *starts = of->starts;
    const int64_t *order = of->order;
    const int32_t *positions = of->positions;
    const uint8_t *counts = of->counts;
    const uint8_t *in_range = of->in_range;
    const uint64_t *matched = of->matched;
    const uint64_t *ignored_match = of->ignored_match;
    static const uint64_t nothing = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < group_count; k++) {
        ranked_starts[k] = count;
        for (int64_t i = starts[k]; i < starts[k + 1]; i++) {
            int64_t row = order[i];
            int32_t place = positions[i];
            uint8_t is_matched = *(place < 0 ? &nothing : matched + place) >> bit & 1;
            uint8_t is_ignored = *(place < 0 ? &nothing : ignored_match + place) >> bit & 1;
            right[row] = counts[i] & is_matched & !is_ignored;
            wrong[row] = counts[i] & !is_matched & in_range[row];
            rows[count] = row;
            is_true[count] = right[row];
            count += right[row] | wrong[row];
        }
    }
    ranked_starts[group_count] = count;
    return count;
}

/* `found` is initialized to 0. */
EXPORT(void, true_positives, const RankedColumns *of, int64_t threshold_count, int64_t *found) {
    const int64_t group_count = of->count;
    const int64_t *starts = of->starts;
    const int32_t *positions = of->positions;
    const uint8_t *counts = of->counts;
    const uint64_t *matched = of->matched;
    const uint64_t *ignored_match = of->ignored_match;
    for (int64_t k = 0; k < group_count; k++)
        for (int64_t i = starts[k]; i < starts[k + 1]; i++) {
            uint64_t bits;
            if (!counts[i] || positions[i] < 0) continue;
            bits = matched[positions[i]] & ~ignored_match[positions[i]];
            for (int64_t t = 0; t < threshold_count; t++)
                found[t * group_count + k] += bits >> t & 1;
        }
}

/* Returns whether a number is so far from integers that rounded quotients cannot change the next
   integer: two roundings have a relative error below 2^-51, far less than 1e-9. */
static int is_clear(double number) {
    double above = number - (double)(int64_t)number, least = number * 1e-9;
    return above > least && 1 - above > least;
}

/* Computes the least number of true positives that reaches each of `points` recalls. `recalls` is
   NULL for exact quotients; otherwise rounded quotients are compared with it. */
EXPORT(void, needed, int64_t count, const int64_t *positives, int64_t points, const double *recalls,
       int64_t *least) {
    for (int64_t k = 0; k < count; k++) {
        double size = positives[k] > 1 ? (double)positives[k] : 1;
        for (int64_t r = 0; r < points; r++) {
            double exact = (double)r * size / 100; /* recalls are hundredths for any `points` */
            int64_t number = (int64_t)exact;
            number += (double)number < exact;
            if (recalls && !is_clear(exact)) {
                number -= (double)(number - 1) / size >= recalls[r];
                number += (double)number / size < recalls[r];
            }
            least[k * points + r] = number;
        }
    }
}

typedef struct {
    int32_t false_before; /* false positives that rank before it */
    int32_t row;
} Hit;

CONSTANT(hit_bytes, sizeof(Hit));

/* np.spacing(1), which pycocotools adds to the denominator of a precision. Without it, precisions
   can differ in the last bit. */
#define SPACING 2.220446049250313e-16

/* clang-format off */
STRUCT(RankedMatches,
    int64_t count;
    const int64_t *starts;
    const int64_t *at;
    const int32_t *false_before;
    const uint8_t *counted;
    const uint64_t *matched;
    const uint64_t *ignored_match;
    int64_t threshold_count;
);
/* clang-format on */

/* `room` and `values` have room for the hits of a group, and one more. */
EXPORT(void, interpolated, const RankedMatches *of, int64_t point_count, const int64_t *needed,
       const int64_t *positives, int with_rows, void *room, double *values, double *precisions,
       int32_t *reached_by, int64_t *found) {
    const RankedMatches in = *of; /* a copy, which outputs cannot alias */
    Hit *hits = room;
    for (int64_t t = 0; t < in.threshold_count; t++)
        for (int64_t k = 0; k < in.count; k++) {
            const int64_t *need = needed + k * point_count;
            int64_t count = 0, first = t * point_count * in.count + k;
            int32_t extra = 0; /* false positives among these rows */
            double *line = precisions + first, best = 0, nothing = positives[k] ? 0 : -1;
            for (int64_t i = in.starts[k]; i < in.starts[k + 1]; i++) {
                int is_matched = in.matched[i] >> t & 1,
                    is_hit = is_matched & ~(in.ignored_match[i] >> t) & 1;
                hits[count].false_before = in.false_before[i] + extra;
                hits[count].row = (int32_t)i;
                count += is_hit;
                extra += in.counted[i] & !is_matched;
            }
            found[t * in.count + k] = count;
            if (!positives[k] || !point_count) count = 0;
            for (int64_t i = count - 1; i >= 0; i--) {
                double true_count = (double)(i + 1);
                double value = true_count / ((double)hits[i].false_before + true_count + SPACING);
                if (value > best) best = value;
                values[i] = best;
            }
            for (int64_t r = 0; r < point_count; r++) {
                int64_t at = need[r] > 1 ? need[r] - 1 : 0;
                line[r * in.count] = at < count ? values[at] : nothing;
            }
            if (!with_rows) continue;
            for (int64_t r = 0; r < point_count; r++) {
                int64_t at = need[r] > 1 ? need[r] - 1 : 0;
                reached_by[first + r * in.count] = at < count ? hits[at].row : -1;
            }
        }
}

/* Writes the greatest precision at the recall of each true positive or a higher one, 0 for other
   rows. Rows count as often as their weight. `envelopes` has a line of rows per threshold. */
EXPORT(void, envelopes, const RankedMatches *of, const double *weights, const double *false_before,
       double *envelopes) {
    const int64_t *starts = of->starts;
    const int64_t row_count = starts[of->count];
    for (int64_t t = 0; t < of->threshold_count; t++) {
        double *line = envelopes + t * row_count;
        for (int64_t k = 0; k < of->count; k++) {
            double true_count = 0, extra = 0, best = 0;
            for (int64_t i = starts[k]; i < starts[k + 1]; i++) {
                int is_matched = of->matched[i] >> t & 1,
                    is_hit = is_matched & ~(of->ignored_match[i] >> t) & 1;
                true_count += is_hit * weights[i];
                extra += (of->counted[i] & !is_matched) * weights[i];
                line[i] = is_hit && weights[i] > 0
                              ? true_count / (false_before[i] + extra + true_count)
                              : 0;
            }
            for (int64_t i = starts[k + 1] - 1; i >= starts[k]; i--) {
                if (line[i] == 0) continue;
                if (line[i] > best) best = line[i];
                line[i] = best;
            }
        }
    }
}

typedef struct {
    double weight, false_before;
    uint64_t hits, misses; /* bits of thresholds: true and false positives */
} WeightedRow;

typedef struct {
    double true_count, false_count;
} WeightedHit;

CONSTANT(weighted_row_bytes, sizeof(WeightedRow));
CONSTANT(weighted_hit_bytes, sizeof(WeightedHit));

/* `interpolated` with predictions that count as often as the weight of their image's group.
   `groups` has a group per row, and `false_groups` one per prediction that is never matched, in the
   order of the ranking, from `false_starts` for each label. `room` is for a row and a hit for each
   row of the label that has most, and one more. */
EXPORT(void, interpolated_weighted, const RankedMatches *of, const int32_t *groups,
       const int64_t *false_starts, const int32_t *false_groups, const int32_t *weights,
       int64_t point_count, const int64_t *needed, const int64_t *positives, void *room,
       double *precisions, int64_t *found) {
    const RankedMatches in = *of; /* a copy, which outputs cannot alias */
    int64_t most = 0;
    for (int64_t k = 0; k < in.count; k++)
        if (in.starts[k + 1] - in.starts[k] > most) most = in.starts[k + 1] - in.starts[k];
    WeightedRow *kept = room;
    WeightedHit *ranked = (WeightedHit *)(kept + most + 1);
    for (int64_t k = 0; k < in.count; k++) {
        const int32_t *wrong = false_groups + false_starts[k];
        const int64_t *need = needed + k * point_count;
        int64_t size = 0, passed = 0;
        double missed = 0;
        for (int64_t i = in.starts[k]; i < in.starts[k + 1]; i++) {
            const int32_t weight = weights[groups[i]];
            for (; passed < in.false_before[i]; passed++) missed += weights[wrong[passed]];
            kept[size].weight = weight;
            kept[size].false_before = missed;
            kept[size].hits = in.matched[i] & ~in.ignored_match[i];
            kept[size].misses = in.counted[i] ? ~in.matched[i] : 0;
            size += weight > 0;
        }
        for (int64_t t = 0; t < in.threshold_count; t++) {
            double *line = precisions + t * point_count * in.count + k;
            double true_count = 0, extra = 0, best = 0;
            int64_t count = 0, at = 0;
            for (int64_t i = 0; i < size; i++) {
                const int is_hit = kept[i].hits >> t & 1, is_miss = kept[i].misses >> t & 1;
                true_count += is_hit * kept[i].weight;
                ranked[count].true_count = true_count;
                ranked[count].false_count = kept[i].false_before + extra;
                count += is_hit;
                extra += is_miss * kept[i].weight;
            }
            found[t * in.count + k] = (int64_t)true_count;
            if (!positives[k]) {
                for (int64_t r = 0; r < point_count; r++) line[r * in.count] = -1;
                continue;
            }
            if (!point_count) continue;
            for (int64_t i = count - 1; i >= 0; i--) {
                const double value =
                    ranked[i].true_count / (ranked[i].false_count + ranked[i].true_count + SPACING);
                if (value > best) best = value;
                ranked[i].false_count = best;
            }
            for (int64_t r = 0; r < point_count; r++) {
                const double least = need[r] > 1 ? (double)need[r] : 1;
                while (at < count && ranked[at].true_count < least) at++;
                line[r * in.count] = at < count ? ranked[at].false_count : 0;
            }
        }
    }
}
