/* Texts of code points become tokens, and tokens become numbers of a vocabulary. */

#include "kernels.h"

CONSTANT(no_memory, NO_MEMORY);

/* Checksum of the sources at build time, by which a stale library is detected. */
EXPORT(uint32_t, valor_kernels_sources, void) { return KERNELS_SOURCES; }

/* Kinds of characters, as in `kernels/kinds.py`. */
enum { BETWEEN = 0, WORD = 1, ALONE = 2, LINE = 3, DIGIT = 4, MARK = 5, DOLLAR = 6 };
CONSTANT(kind_between, BETWEEN);
CONSTANT(kind_word, WORD);
CONSTANT(kind_alone, ALONE);
CONSTANT(kind_line, LINE);
CONSTANT(kind_digit, DIGIT);
CONSTANT(kind_mark, MARK);
CONSTANT(kind_dollar, DOLLAR);

static inline int is_word(uint8_t kind) { return kind == WORD || kind == DIGIT; }
static inline int is_between(uint8_t kind) { return kind == BETWEEN || kind == LINE; }

/* Where a word stands first. */
typedef struct {
    int64_t first;
    int32_t length;
} Word;

enum { BLOCK = 32 }; /* tokens whose places in the table are asked of memory together */

#define CODE uint8_t
#define TYPED(name) name##_uint8
#include "tokens_of.h"
#undef CODE
#undef TYPED

#define CODE uint32_t
#define TYPED(name) name##_uint32
#include "tokens_of.h"
