/* Calibration and error analysis. Each function has a twin of the same name in
   reference/analysis.py, which documents it. */
#include "kernels.h"

enum { LIMBS = 3 }; /* of 32 bits each, after the binary point */
CONSTANT(reliability_limbs, LIMBS);

/* The limbs have 96 bits after the binary point. A double has 53 bits, so the lowest bit of a score
   of at least 2^-43 is 2^-95 or more. */
#define LEAST_WHOLE 0x1p-43

/* Adds a score to the limbs of a bin, which have room for 2^31 carries. */
static void add_exactly(uint64_t *limbs, double score) {
    for (int limb = 0; limb < LIMBS; limb++) {
        double scaled = score * 0x1p32;
        int64_t whole = (int64_t)scaled;
        limbs[limb] += (uint64_t)whole;
        score = scaled - (double)whole;
    }
}

/* Returns the number of edges below a score in [0, 1]; there are `bins` - 1 edges. */
static int64_t bin_of(double score, const double *edges, int64_t bins) {
    int64_t bin = (int64_t)(score * (double)bins);
    if (bin > bins - 1) bin = bins - 1;
    while (bin > 0 && !(edges[bin - 1] < score)) bin--;
    while (bin < bins - 1 && edges[bin] < score) bin++;
    return bin;
}

/* clang-format off */
STRUCT(Scored,
    int64_t count;
    const int64_t *labels;
    const double *scores;
    const uint8_t *right;
    const uint8_t *wrong;
);
/* clang-format on */

/* Outputs are initialized to 0. Writes the rows whose scores are too small for the limbs, and
   returns their number. */
EXPORT(int64_t, reliability, const Scored *of, double score_threshold, const int64_t *groups,
       int64_t bins, const double *edges, int64_t *counts, int64_t *hits, uint64_t *limbs,
       int64_t *outside, int64_t *small) {
    const int64_t count = of->count;
    const int64_t *labels = of->labels;
    const double *scores = of->scores;
    const uint8_t *right = of->right;
    const uint8_t *wrong = of->wrong;
    int64_t small_count = 0;
    for (int64_t i = 0; i < count; i++) {
        double score = scores[i];
        int64_t group, cell;
        if (!(right[i] | wrong[i]) || !(score >= score_threshold)) continue;
        group = groups[labels[i]];
        if (score < 0 || score > 1) {
            outside[group]++;
            continue;
        }
        cell = group * bins + bin_of(score, edges, bins);
        counts[cell]++;
        hits[cell] += right[i];
        if (score >= LEAST_WHOLE)
            add_exactly(limbs + LIMBS * cell, score);
        else if (score > 0)
            small[small_count++] = i;
    }
    return small_count;
}

/* Kinds of errors of predictions, numbered as in reference/analysis.py. */
enum { CLASSIFICATION, LOCALIZATION, BOTH, DUPLICATE, BACKGROUND };
CONSTANT(fault_classification, CLASSIFICATION);
CONSTANT(fault_localization, LOCALIZATION);
CONSTANT(fault_both, BOTH);
CONSTANT(fault_duplicate, DUPLICATE);
CONSTANT(fault_background, BACKGROUND);

/* clang-format off */
STRUCT(FaultColumns,
    int64_t count;
    const int64_t *starts;
    const int64_t *truths;
    const double *ious;
    const int64_t *labels;
    const int64_t *true_labels;
    const uint8_t *crowd;
    const uint8_t *is_false;
    const uint8_t *used;
);
/* clang-format on */

/* Returns the number of errors; outputs have room for every prediction. */
EXPORT(int64_t, faults, const FaultColumns *of, double foreground, double background, int64_t *rows,
       uint8_t *kinds, int64_t *targets) {
    const int64_t count = of->count;
    const int64_t *starts = of->starts;
    const int64_t *truths = of->truths;
    const double *ious = of->ious;
    const int64_t *labels = of->labels;
    const int64_t *true_labels = of->true_labels;
    const uint8_t *crowd = of->crowd;
    const uint8_t *is_false = of->is_false;
    const uint8_t *used = of->used;
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        double same = 0, other = 0;
        int64_t nearest = -1, mistaken = -1;
        int again = 0, kind = BOTH;
        if (!is_false[i]) continue;
        for (int64_t e = starts[i]; e < starts[i + 1]; e++) {
            int64_t truth = truths[e];
            double iou = ious[e];
            if (crowd[truth] || !(iou >= background)) continue;
            if (true_labels[truth] != labels[i]) {
                if (iou > other) {
                    other = iou;
                    mistaken = truth;
                }
                continue;
            }
            again |= iou >= foreground && used[truth];
            if (iou > same) {
                same = iou;
                nearest = truth;
            }
        }
        if (same > 0 && same < foreground) {
            kind = LOCALIZATION;
            mistaken = -1;
        } else {
            nearest = -1;
            if (other >= foreground)
                kind = CLASSIFICATION;
            else {
                mistaken = -1;
                if (again)
                    kind = DUPLICATE;
                else if (same <= background && other <= background)
                    continue;
            }
        }
        rows[found] = i;
        kinds[found] = (uint8_t)kind;
        targets[found++] = nearest >= 0 ? nearest : mistaken;
    }
    return found;
}

#define EVERY_REPAIR 63 /* bits of the five kinds, and of no repair */

/* clang-format off */
STRUCT(ErrorColumns,
    int64_t count;
    const int64_t *starts;
    const int64_t *rows;
    const uint8_t *is_true;
    const double *scores;
    const int32_t *numbers;
    const uint8_t *kinds;
    const uint8_t *is_repaired;
    const int64_t *moved_starts;
    const double *moved_scores;
);
/* clang-format on */

/* Returns the number of rows; outputs have room for every prediction and every moved error. */
EXPORT(int64_t, repairs, const ErrorColumns *of, int64_t *match_starts, int64_t *at,
       int32_t *false_before, uint8_t *counted, uint64_t *matched, uint64_t *ignored_match) {
    const int64_t label_count = of->count;
    const int64_t *starts = of->starts;
    const int64_t *rows = of->rows;
    const uint8_t *is_true = of->is_true;
    const double *scores = of->scores;
    const int32_t *numbers = of->numbers;
    const uint8_t *kinds = of->kinds;
    const uint8_t *is_repaired = of->is_repaired;
    const int64_t *moved_starts = of->moved_starts;
    const double *moved_scores = of->moved_scores;
    int64_t count = 0;
    for (int64_t k = 0; k < label_count; k++) {
        int64_t m = moved_starts[k], i = starts[k];
        int32_t background = 0;
        match_starts[k] = count;
        while (i < starts[k + 1] || m < moved_starts[k + 1]) {
            int has_row = i < starts[k + 1];
            if (m < moved_starts[k + 1] && !(has_row && scores[rows[i]] >= moved_scores[m])) {
                at[count] = i;
                false_before[count] = background;
                counted[count] = 0;
                matched[count] = (uint64_t)1 << CLASSIFICATION;
                ignored_match[count++] = 0;
                m++;
                continue;
            }
            int32_t number = numbers[rows[i]];
            if (!is_true[i] && number < 0) {
                background++;
                i++;
                continue;
            }
            at[count] = i;
            false_before[count] = background;
            counted[count] = !is_true[i];
            matched[count] = EVERY_REPAIR;
            ignored_match[count] = 0;
            if (!is_true[i]) {
                matched[count] = (uint64_t)1 << kinds[number];
                if (!(kinds[number] == LOCALIZATION && is_repaired[number]))
                    ignored_match[count] = matched[count];
            }
            count++;
            i++;
        }
    }
    match_starts[label_count] = count;
    return count;
}
