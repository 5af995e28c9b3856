#include "export.h"

/* `load_kernels` detects by this checksum that the C has changed after the build. */
EXPORT(uint32_t, valor_kernels_sources, void) { return KERNELS_SOURCES; }

/* Pinball loss of each item: quantile * (truth - prediction) for predictions that are too low,
 * (1 - quantile) * (prediction - truth) for others. */
EXPORT(void, pinball_losses, const double *truths, const double *predictions, int64_t count,
       double quantile, double *losses) {
    for (int64_t i = 0; i < count; i++) {
        const double error = truths[i] - predictions[i];
        losses[i] = error > 0 ? quantile * error : (1 - quantile) * -error;
    }
}
