/* Scanner of COCO's JSON that writes columns.

   A text ends in PADDING zero bytes. Valid JSON has none, so every loop ends there at the latest
   and needs no other bound. Functions on `Text` return the position after what they parse. For
   unexpected text they return NULL or BAD, and Python reports the error. */
#include "kernels.h"

#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define SSE2 1
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif

enum { DONE, FULL, BAD };
CONSTANT(scan_done, DONE);
CONSTANT(scan_full, FULL);
CONSTANT(scan_bad, BAD);

/* Indices in `state` of the position, of sizes, and of the column without room; indices in `room`
   of capacities. */
enum {
    POSITION,
    STOP,
    CLOSED,
    ROWS,
    RINGS,
    NUMBERS,
    COUNTS,
    LETTERS,
    POINTS,
    HARD,
    NAMES,
    LISTED,
    LACKING
};
CONSTANT(slot_position, POSITION);
CONSTANT(slot_stop, STOP);
CONSTANT(slot_closed, CLOSED);
CONSTANT(slot_rows, ROWS);
CONSTANT(slot_rings, RINGS);
CONSTANT(slot_numbers, NUMBERS);
CONSTANT(slot_counts, COUNTS);
CONSTANT(slot_letters, LETTERS);
CONSTANT(slot_points, POINTS);
CONSTANT(slot_hard, HARD);
CONSTANT(slot_names, NAMES);
CONSTANT(slot_listed, LISTED);
CONSTANT(slot_lacking, LACKING);

/* Bits in `found`. IGNORE is set for true values only. */
enum {
    ID = 1,
    IMAGE = 2,
    CATEGORY = 4,
    BOX = 8,
    AREA = 16,
    CROWD = 32,
    SCORE = 64,
    SEGMENTATION = 128,
    HEIGHT = 256,
    WIDTH = 512,
    NEGATIVE = 1024,
    NOT_EXHAUSTIVE = 2048,
    IGNORE = 4096,
    KEYPOINTS = 8192,
    NUM_KEYPOINTS = 16384
};
CONSTANT(field_id, ID);
CONSTANT(field_image, IMAGE);
CONSTANT(field_category, CATEGORY);
CONSTANT(field_box, BOX);
CONSTANT(field_area, AREA);
CONSTANT(field_crowd, CROWD);
CONSTANT(field_score, SCORE);
CONSTANT(field_segmentation, SEGMENTATION);
CONSTANT(field_height, HEIGHT);
CONSTANT(field_width, WIDTH);
CONSTANT(field_negative, NEGATIVE);
CONSTANT(field_not_exhaustive, NOT_EXHAUSTIVE);
CONSTANT(field_ignore, IGNORE);
CONSTANT(field_keypoints, KEYPOINTS);
CONSTANT(field_num_keypoints, NUM_KEYPOINTS);

enum { NO_MASK, POLYGONS, RUNS, COMPRESSED };
CONSTANT(mask_no_mask, NO_MASK);
CONSTANT(mask_polygons, POLYGONS);
CONSTANT(mask_runs, RUNS);
CONSTANT(mask_compressed, COMPRESSED);

/* Columns of numbers that Python parses. */
enum { BOX_SLOT, AREA_SLOT, SCORE_SLOT, NUMBER_SLOT, POINT_SLOT };

typedef const uint8_t *Text;

static Text space(Text p) {
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t') p++;
    return p;
}

static int is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

static int is_hex(uint8_t c) { return is_digit(c) || (uint8_t)((c | 32) - 'a') < 6; }

/* ---- skipped values ---- */

static int lowest_bit(uint64_t bits) {
#if defined(_MSC_VER)
    unsigned long bit;
    if (_BitScanForward(&bit, (unsigned long)bits)) return (int)bit;
    _BitScanForward(&bit, (unsigned long)(bits >> 32));
    return (int)bit + 32;
#else
    return __builtin_ctzll(bits);
#endif
}

static int leading_zeros(uint64_t bits) {
#if defined(_MSC_VER)
    unsigned long bit;
    if (_BitScanReverse(&bit, (unsigned long)(bits >> 32))) return 31 - (int)bit;
    _BitScanReverse(&bit, (unsigned long)bits);
    return 63 - (int)bit;
#else
    return __builtin_clzll(bits);
#endif
}

#if defined(SSE2)
/* Returns the position of the next quote, backslash or control character. */
static Text plain_letters(Text p) {
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(31);
    for (;; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)p);
        __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash));
        stop = _mm_or_si128(stop, _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
        unsigned mask = (unsigned)_mm_movemask_epi8(stop);
        if (mask) return p + lowest_bit(mask);
    }
}
#else
static Text plain_letters(Text p) {
    while (*p != '"' && *p != '\\' && *p > 31) p++;
    return p;
}
#endif

/* Skips an escape; p is at its backslash. */
static Text escape(Text p) {
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return p + 2;
    case 'u':
        return is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? p + 6 : NULL;
    default:
        return NULL;
    }
}

/* Skips a string; p is at its first quote. */
static Text string(Text p) {
    for (p = plain_letters(p + 1); *p != '"'; p = plain_letters(p))
        if (*p != '\\' || !(p = escape(p))) return NULL;
    return p + 1;
}

static Text digits(Text p) {
    if (!is_digit(*p)) return NULL;
    while (is_digit(*p)) p++;
    return p;
}

static Text some_number(Text p) {
    if (*p == '-') p++;
    p = *p == '0' ? p + 1 : digits(p);
    if (p && *p == '.') p = digits(p + 1);
    if (p && (*p | 32) == 'e') {
        p++;
        p = digits(*p == '-' || *p == '+' ? p + 1 : p);
    }
    return p;
}

static Text word(Text p, const char *name) {
    size_t length = strlen(name);
    return strncmp((const char *)p, name, length) ? NULL : p + length;
}

static Text scalar(Text p) {
    switch (*p) {
    case '"':
        return string(p);
    case 't':
        return word(p, "true");
    case 'f':
        return word(p, "false");
    case 'n':
        return word(p, "null");
    default:
        return some_number(p);
    }
}

/* Skips the key of a skipped field, and its colon. */
static Text passed_key(Text p) {
    if (*p != '"' || !(p = string(p))) return NULL;
    p = space(p);
    return *p == ':' ? space(p + 1) : NULL;
}

#if defined(SSE2)
/* Returns which of 64 letters are from `low` to `high`, with the first one in the lowest bit. */
static uint64_t letters_from(Text p, char low, char high) {
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++) {
        __m128i v =
            _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(p + 16 * i)), _mm_set1_epi8(low));
        __m128i is_there = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8((char)(high - low))), v);
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(is_there) << 16 * i;
    }
    return bits;
}

/* Skips items of a list that are numbers without sign and exponent, 64 letters at a time. The last
   item, which has no comma after it, is not skipped. */
static Text plain_numbers(Text p) {
    for (;;) {
        uint64_t digits = letters_from(p, '0', '9'), points = letters_from(p, '.', '.');
        uint64_t commas = letters_from(p, ',', ','), spaces = letters_from(p, ' ', ' ');
        uint64_t others = ~(digits | points | commas | (spaces & commas << 1)), firsts, wrong;
        if (others) commas &= (others & (~others + 1)) - 1;
        if (!commas) return p;
        int length = 64 - leading_zeros(commas);
        firsts = 1 | (commas << 1 & ~spaces) | (spaces & commas << 1) << 1;
        wrong = (commas | points) & ~(digits << 1);           /* no digit before */
        wrong |= points & ~(digits >> 1);                     /* no digit after */
        wrong |= ((points << 1) + digits) & ~digits & points; /* a second point */
        wrong |= firsts & letters_from(p, '0', '0') & digits >> 1;
        if (wrong << (64 - length)) return p;
        p += length;
    }
}
#else
static Text plain_numbers(Text p) { return p; }
#endif

/* Skips a list or object; NULL also for more than 64 nested ones. */
static Text nested(Text p) {
    uint64_t tables = 0; /* which enclosing values are objects, the innermost in the lowest bit */
    for (int depth = 0;;) {
        if (!(tables & 1)) p = space(plain_numbers(p));
        if (*p == '[' || *p == '{') {
            if (depth++ == 64) return NULL;
            tables = tables << 1 | (*p == '{');
            p = space(p + 1);
            if (*p != (tables & 1 ? '}' : ']')) {
                if (tables & 1 && !(p = passed_key(p))) return NULL;
                continue;
            }
        } else {
            if (!(p = scalar(p))) return NULL;
            p = space(p);
        }
        for (; *p == (tables & 1 ? '}' : ']'); p = space(p)) {
            tables >>= 1;
            p++;
            if (!--depth) return p;
        }
        if (*p != ',') return NULL;
        p = space(p + 1);
        if (tables & 1 && !(p = passed_key(p))) return NULL;
    }
}

static Text value(Text p) { return *p == '[' || *p == '{' ? nested(p) : scalar(p); }

/* ---- numbers ---- */

static const double TENS[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static uint64_t product(uint64_t a, uint64_t b, uint64_t *high) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide both = (wide)a * b;
    *high = (uint64_t)(both >> 64);
    return (uint64_t)both;
#elif defined(_MSC_VER) && defined(_M_X64)
    return _umul128(a, b, high);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t cross = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (cross >> 32);
    return (cross << 32) | (uint32_t)(a0 * b0);
#endif
}

/* Computes the double nearest to w * 10^q by Lemire, "Number parsing at a gigabyte per second",
   2021. `fives` has 128 bits of every power of five from -342 to 308. Returns 0 for undecided
   cases. */
static int nearest(uint64_t w, int q, const uint64_t *fives, double *out) {
    if (q < -342 || q > 308) return 0;
    int shift = leading_zeros(w);
    w <<= shift;
    uint64_t high, low = product(w, fives[2 * (q + 342)], &high);
    /* 55 of the 64 bits are used. Only if the other 9 are all ones can a carry of the lower half of
       the power change them. */
    if ((high & 0x1FF) == 0x1FF) {
        uint64_t more;
        product(w, fives[2 * (q + 342) + 1], &more);
        low += more;
        high += low < more;
        if (low == UINT64_MAX && (q < -27 || q > 55)) return 0;
    }
    int upper = (int)(high >> 63);
    uint64_t mantissa = high >> (upper + 9);
    /* 152170 / 2^16 is log2(5) and 65536 / 2^16 is log2(2): together the exponent of 10^q. */
    int power = (((152170 + 65536) * q) >> 16) + 63 + upper - shift + 1023;
    if (power <= 0) return 0;
    /* Exactly halfway, which only powers of five below 2^54 allow: round to the even number. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high)
        mantissa &= ~(uint64_t)1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53) {
        mantissa = (uint64_t)1 << 52;
        power++;
    }
    if (power >= 0x7FF) return 0;
    uint64_t bits = (mantissa & (((uint64_t)1 << 52) - 1)) | ((uint64_t)power << 52);
    memcpy(out, &bits, 8);
    return 1;
}

/* Parses a number of at most seven characters without a sign, the usual case, from eight bytes at
   once. NULL for other numbers. */
#if defined(_MSC_VER) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define EACH(byte) (0x0101010101010101 * (uint64_t)(byte))
#if defined(__GNUC__)
__attribute__((always_inline)) /* called for each number of a file */
#endif
static inline Text short_number(Text p, double *out) {
    uint64_t bytes, others, rest, before, digits;
    memcpy(&bytes, p, 8);
    bytes ^= EACH('0');
    /* Adding 0x76 sets the highest bit of every byte above 9. */
    others = (((bytes & EACH(0x7F)) + EACH(0x76)) | bytes) & EACH(0x80); /* no digits */
    int count = others ? lowest_bit(others) >> 3 : 8, decimals = 0, length = count;
    if (p[count] == '.') {
        rest = others & (others - 1);
        length = rest ? lowest_bit(rest) >> 3 : 8;
        decimals = length - count - 1;
        if (!decimals) return NULL;
    }
    if (length == 8 || !count || (p[length] | 32) == 'e' || (*p == '0' && count > 1)) return NULL;
    before = ((uint64_t)1 << 8 * count) - 1;
    digits = decimals ? (bytes & before) | (bytes >> 8 & ~before) : bytes;
    digits <<= 8 * (8 - count - decimals); /* leading zeros */
    /* Pairs of digits, then all four pairs: the factors are 1,000,000 and 100 in two halves of 32
       bits, and 10,000 and 1. */
    digits = 10 * digits + (digits >> 8);
    digits =
        (digits & 0xFF000000FF) * 0xF424000000064 + (digits >> 16 & 0xFF000000FF) * 0x271000000001;
    *out = (double)(digits >> 32) / TENS[decimals];
    return p + length;
}
#else
static Text short_number(Text p, double *out) {
    (void)p, (void)out;
    return NULL;
}
#endif

/* Negates a number whose text without the minus is p to end. In Python, -0 is an integer without a
   sign, and -0.0 keeps its sign. */
static double negated(double x, Text p, Text end) {
    if (x == 0)
        while (p < end && is_digit(*p)) p++;
    return x == 0 && p == end ? 0 : -x;
}

/* Parses a number; `hard` is set if Python has to parse its value. */
static Text number(Text p, const uint64_t *fives, double *out, int *hard) {
    int negative = *p == '-';
    p += negative;
    Text first = p, end = short_number(p, out);
    uint64_t w = 0;
    int64_t exponent = 0;
    *hard = 0;
    if (end) {
        if (negative) *out = negated(*out, first, end);
        return end;
    }
    if (!is_digit(*p)) return NULL;
    Text start = p;
    while (is_digit(*p)) w = 10 * w + (uint64_t)(*p++ - '0');
    int64_t count = p - first;
    if (*first == '0' && count > 1) return NULL;
    if (*p == '.') {
        Text point = p++;
        if (!is_digit(*p)) return NULL;
        while (is_digit(*p)) w = 10 * w + (uint64_t)(*p++ - '0');
        exponent = point + 1 - p;
        count -= exponent;
        if (count > 19) /* leading zeros do not count */
            for (; (*first == '0' || *first == '.') && first < p; first++) count -= *first == '0';
    }
    if ((*p | 32) == 'e') {
        p++;
        int falls = *p == '-';
        p += falls || *p == '+';
        if (!is_digit(*p)) return NULL;
        int64_t stated = 0;
        for (; is_digit(*p); p++)
            if (stated < 100000) stated = 10 * stated + (*p - '0');
        exponent += falls ? -stated : stated;
    }
    double x;
    if (count > 19)
        *hard = 1;
    else if (w == 0)
        x = 0;
    else if (w >> 53 == 0 && exponent >= -22 && exponent <= 22)
        x = exponent < 0 ? (double)w / TENS[-exponent] : (double)w * TENS[exponent];
    else if (exponent < -400 || exponent > 400 || !nearest(w, (int)exponent, fives, &x))
        *hard = 1;
    *out = *hard ? 0 : negative ? negated(x, start, p) : x;
    return p;
}

/* Parses an integer, which may be written as 42.0. */
static Text whole(Text p, const uint64_t *fives, int64_t *out) {
    Text first = p;
    int negative = *p == '-';
    p += negative;
    Text start = p;
    int64_t w = 0;
    while (is_digit(*p) && p - start < 19) w = (int64_t)(10 * (uint64_t)w + (uint64_t)(*p++ - '0'));
    if (*p == '.' || (*p | 32) == 'e') {
        double x;
        int hard;
        p = number(first, fives, &x, &hard);
        if (!p || hard || x > 9007199254740992.0 || x < -9007199254740992.0) return NULL;
        *out = (int64_t)x;
        return (double)*out == x ? p : NULL;
    }
    if (p == start || p - start > 18 || (*start == '0' && p - start > 1)) return NULL;
    *out = negative ? -w : w;
    return p;
}

/* ---- annotations ---- */

/* clang-format off */
STRUCT(Columns,
    const uint8_t *text;
    const int64_t *room; /* capacity of each column */
    int64_t *state;
    const uint64_t *fives;
    int64_t *hard;
    int64_t *ids;
    int64_t *images;
    int64_t *categories;
    double *boxes;
    double *areas;
    double *scores;
    uint8_t *crowd;
    uint16_t *found;
    int with_masks;
    uint8_t *kinds;
    int64_t *sizes;
    int64_t *row_ends;
    int64_t *ring_ends;
    double *numbers;
    uint32_t *counts;
    uint8_t *letters;
    int with_keypoints;
    double *points;
    int64_t *point_counts;
    int64_t *labeled;
    int code; /* why the scan of a row ended */
);
/* clang-format on */

static int has_room(Columns *to, int what) {
    if (to->state[what] < to->room[what]) return 1;
    to->state[LACKING] = what;
    to->code = FULL;
    return 0;
}

static Text float_at(Text p, Columns *to, double *out, int64_t slot, int64_t index) {
    int hard;
    Text end = number(p, to->fives, out, &hard);
    if (end && hard) {
        if (!has_room(to, HARD)) return NULL;
        int64_t *entry = to->hard + 4 * to->state[HARD]++;
        entry[0] = slot;
        entry[1] = index;
        entry[2] = p - to->text;
        entry[3] = end - to->text;
    }
    return end;
}

/* Skips the comma or the closing bracket after an item of a list; `more` is 1 for a comma. */
static Text after_item(Text p, int *more) {
    p = space(p);
    *more = *p == ',';
    return *more ? space(p + 1) : *p == ']' ? p + 1 : NULL;
}

static Text box(Text p, Columns *to, int64_t row, int *is_there) {
    if (*p != '[') return NULL;
    p = space(p + 1);
    *is_there = *p != ']';
    if (!*is_there) return p + 1;
    for (int side = 0; side < 4; side++) {
        int more;
        p = float_at(p, to, to->boxes + 4 * row + side, BOX_SLOT, 4 * row + side);
        if (!p || !(p = after_item(p, &more)) || more != (side < 3)) return NULL;
    }
    return p;
}

static Text ring(Text p, Columns *to) {
    int more = *p == '[';
    if (!more) return NULL;
    p = space(p + 1);
    if (*p == ']') {
        more = 0;
        p++;
    }
    while (more) {
        if (!has_room(to, NUMBERS)) return NULL;
        int64_t at = to->state[NUMBERS]++;
        p = float_at(p, to, to->numbers + at, NUMBER_SLOT, at);
        if (!p || !(p = after_item(p, &more))) return NULL;
    }
    if (!has_room(to, RINGS)) return NULL;
    to->ring_ends[to->state[RINGS]++] = to->state[NUMBERS];
    return p;
}

static Text rings(Text p, Columns *to) {
    int more = 1;
    p = space(p + 1);
    while (more)
        if (!(p = ring(p, to)) || !(p = after_item(p, &more))) return NULL;
    return p;
}

static Text run_list(Text p, Columns *to) {
    int more = 1;
    p = space(p + 1);
    if (*p == ']') return p + 1;
    while (more) {
        int64_t run;
        if (!has_room(to, COUNTS)) return NULL;
        if (!(p = whole(p, to->fives, &run)) || run < 0 || run > UINT32_MAX) return NULL;
        to->counts[to->state[COUNTS]++] = (uint32_t)run;
        if (!(p = after_item(p, &more))) return NULL;
    }
    return p;
}

/* Copies letters of compressed runs; NULL if one is not printable ASCII. */
static Text letters(Text p, Text end, Columns *to) {
    int64_t count = end - p;
    uint8_t *into = to->letters + to->state[LETTERS], strange = 0;
    if (to->room[LETTERS] - to->state[LETTERS] < count) {
        to->state[LACKING] = LETTERS;
        to->code = FULL;
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        into[i] = p[i];
        strange |= p[i] > 126;
    }
    to->state[LETTERS] += count;
    return strange ? NULL : end;
}

/* Parses compressed runs; the backslash is the only letter of them that JSON escapes. */
static Text run_text(Text p, Columns *to) {
    for (p++; (p = letters(p, plain_letters(p), to)) && *p != '"';) {
        if (p[0] != '\\' || p[1] != '\\') return NULL;
        if (!(p = letters(p + 1, p + 2, to))) return NULL;
    }
    return p ? p + 1 : NULL;
}

/* Parses a key and its colon; the text from `key` to `end` has no quotes. NULL if escapes could
   spell the name of a parsed field. */
static Text key_at(Text p, Text *key, Text *end) {
    if (*p != '"') return NULL;
    *key = p + 1;
    if (!(p = string(p))) return NULL;
    *end = p - 1;
    for (Text slash = *key; (slash = memchr(slash, '\\', (size_t)(*end - slash))); slash += 2)
        if (slash[1] == 'u' && slash[2] == '0' && slash[3] == '0' && slash[4] < '8') return NULL;
    p = space(p);
    return *p == ':' ? space(p + 1) : NULL;
}

static int is_key(Text key, Text end, const char *name) {
    size_t length = strlen(name);
    return (size_t)(end - key) == length && !memcmp(key, name, length);
}

/* Skips the comma or the closing brace after a field; `more` is 1 for a comma. */
static Text after_field(Text p, int *more) {
    p = space(p);
    *more = *p == ',';
    return *more ? space(p + 1) : *p == '}' ? p + 1 : NULL;
}

static Text size_pair(Text p, Columns *to, int64_t *size) {
    int more;
    if (*p != '[') return NULL;
    for (int side = 0; side < 2; side++) {
        p = whole(space(side ? p : p + 1), to->fives, size + side);
        if (!p || !(p = after_item(p, &more)) || more != (side == 0)) return NULL;
    }
    return p;
}

static Text run_lengths(Text p, Columns *to, int64_t row) {
    int more = 1, sized = 0;
    for (p = space(p + 1); more;) {
        Text key, end;
        if (!(p = key_at(p, &key, &end))) return NULL;
        if (is_key(key, end, "size")) {
            p = sized++ ? NULL : size_pair(p, to, to->sizes + 2 * row);
        } else if (is_key(key, end, "counts")) {
            if (to->kinds[row] || (*p != '[' && *p != '"')) return NULL;
            to->kinds[row] = *p == '[' ? RUNS : COMPRESSED;
            p = *p == '[' ? run_list(p, to) : run_text(p, to);
        } else {
            p = value(p);
        }
        if (!p || !(p = after_field(p, &more))) return NULL;
    }
    return sized && to->kinds[row] ? p : NULL;
}

static Text segmentation(Text p, Columns *to, int64_t row) {
    Text inside = space(p + 1);
    if (*p == '[' && *inside == ']') {
        to->found[row] &= (uint16_t)~SEGMENTATION;
        return inside + 1;
    }
    if (!to->with_masks) return value(p);
    if (*p == '{') return run_lengths(p, to, row);
    if (*p != '[') return NULL;
    to->kinds[row] = POLYGONS;
    return rings(p, to);
}

static Text keypoints(Text p, Columns *to, int64_t row) {
    Text inside = space(p + 1);
    int64_t first = to->state[POINTS], at = first, room = to->room[POINTS];
    double *points = to->points;
    int more = 1;
    if (*p == '[' && *inside == ']') {
        to->found[row] &= (uint16_t)~KEYPOINTS;
        return inside + 1;
    }
    if (!to->with_keypoints) return value(p);
    if (*p != '[') return NULL;
    for (p = inside; more; at++) {
        if (at == room) {
            to->state[POINTS] = at;
            has_room(to, POINTS);
            return NULL;
        }
        Text end = short_number(p, points + at); /* most points, in line */
        p = end ? end : float_at(p, to, points + at, POINT_SLOT, at);
        if (!p) return NULL;
        if (p[0] == ',' && p[1] == ' ' && p[2] > ' ')
            p += 2;
        else if (!(p = after_item(p, &more)))
            return NULL;
    }
    to->state[POINTS] = at;
    to->point_counts[row] = at - first;
    return p;
}

static Text flag(Text p, Columns *to, uint8_t *out) {
    double x;
    int hard;
    *out = *p == 't';
    if (*p == 't') return word(p, "true");
    if (*p == 'f') return word(p, "false");
    p = number(p, to->fives, &x, &hard);
    if (!p || hard) return NULL; /* Python decides whether the number rounds to 0 */
    *out = x != 0;
    return p;
}

static int known_field(Text key, Text end) {
    switch (end - key) {
    case 2:
        return is_key(key, end, "id") ? ID : 0;
    case 4:
        return is_key(key, end, "bbox") ? BOX : is_key(key, end, "area") ? AREA : 0;
    case 5:
        return is_key(key, end, "score") ? SCORE : 0;
    case 6:
        return is_key(key, end, "ignore") ? IGNORE : 0;
    case 7:
        return is_key(key, end, "iscrowd") ? CROWD : 0;
    case 8:
        return is_key(key, end, "image_id") ? IMAGE : 0;
    case 9:
        return is_key(key, end, "keypoints") ? KEYPOINTS : 0;
    case 11:
        return is_key(key, end, "category_id") ? CATEGORY : 0;
    case 12:
        return is_key(key, end, "segmentation") ? SEGMENTATION : 0;
    case 13:
        return is_key(key, end, "num_keypoints") ? NUM_KEYPOINTS : 0;
    default:
        return 0;
    }
}

static Text field(Text p, Columns *to, int64_t row, int which) {
    int is_there = 1;
    uint8_t is_ignored;
    switch (which) {
    case ID:
        return whole(p, to->fives, to->ids + row);
    case IMAGE:
        return whole(p, to->fives, to->images + row);
    case CATEGORY:
        return whole(p, to->fives, to->categories + row);
    case AREA:
        return float_at(p, to, to->areas + row, AREA_SLOT, row);
    case SCORE:
        return float_at(p, to, to->scores + row, SCORE_SLOT, row);
    case CROWD:
        return flag(p, to, to->crowd + row);
    case IGNORE:
        p = flag(p, to, &is_ignored);
        if (!is_ignored) to->found[row] &= (uint16_t)~IGNORE;
        return p;
    case SEGMENTATION:
        return segmentation(p, to, row);
    case KEYPOINTS:
        return keypoints(p, to, row);
    case NUM_KEYPOINTS:
        return to->with_keypoints ? whole(p, to->fives, to->labeled + row) : value(p);
    default:
        p = box(p, to, row, &is_there);
        if (!is_there) to->found[row] &= (uint16_t)~BOX;
        return p;
    }
}

static Text annotation(Text p, Columns *to, int64_t row) {
    int more = *p == '{', seen = 0;
    if (!more) return NULL;
    p = space(p + 1);
    if (*p == '}') {
        more = 0;
        p++;
    }
    while (more) {
        Text key, end;
        if (!(p = key_at(p, &key, &end))) return NULL;
        int which = known_field(key, end);
        if (seen & which) return NULL;
        seen |= which;
        if (!which) {
            p = value(p);
        } else if (*p == 'n') {
            p = word(p, "null");
        } else {
            to->found[row] |= (uint16_t)which;
            p = field(p, to, row, which);
        }
        if (!p || !(p = after_field(p, &more))) return NULL;
    }
    return p;
}

static void clear_row(Columns *to, int64_t row) {
    to->ids[row] = to->images[row] = to->categories[row] = 0;
    memset(to->boxes + 4 * row, 0, 4 * sizeof(double));
    to->areas[row] = to->scores[row] = 0;
    to->crowd[row] = 0;
    to->found[row] = 0;
    if (to->with_masks) {
        to->kinds[row] = NO_MASK;
        to->sizes[2 * row] = to->sizes[2 * row + 1] = 0;
    }
    if (to->with_keypoints) to->point_counts[row] = to->labeled[row] = 0;
}

static void end_row(Columns *to, int64_t row) {
    if (to->with_masks)
        for (int what = 0; what < 3; what++)
            to->row_ends[3 * row + what] = to->state[what == 0   ? RINGS
                                                     : what == 1 ? COUNTS
                                                                 : LETTERS];
    to->state[ROWS] = row + 1;
}

/* Moves to the next record, or to the end of the list. NULL for other text. */
static Text next_record(Text p, int64_t *state) {
    int more;
    p = after_item(p, &more);
    if (p && !more) state[CLOSED] = 1;
    return p;
}

/* Writes one row per annotation from state[POSITION], the start of one, until the list ends or an
   annotation starts at or after state[STOP]. FULL restores the state before the annotation. */
EXPORT(int, scan_annotations, Columns *to) {
    int64_t *state = to->state;
    Text p = to->text + state[POSITION];
    while (!state[CLOSED] && p - to->text < state[STOP]) {
        int64_t row = state[ROWS], before[LACKING];
        to->code = BAD;
        if (!has_room(to, ROWS)) return to->code;
        memcpy(before, state, sizeof before);
        clear_row(to, row);
        Text end = annotation(p, to, row);
        if (!end) {
            memcpy(state, before, sizeof before);
            return to->code;
        }
        end_row(to, row);
        if (!(p = next_record(end, state))) return BAD;
        state[POSITION] = p - to->text;
    }
    return DONE;
}

/* Fields of the previous records by their index in a record. */
enum { FIELDS = 64 };

typedef struct {
    Text key[FIELDS];
    int64_t length[FIELDS];
} Fields;

/* Returns whether the field at an index has the same name as in the previous record. */
static int is_as_before(Fields *fields, int place, Text key, Text end) {
    if (place >= FIELDS) return 0;
    int64_t length = end - key;
    int same = fields->length[place] == length && !memcmp(fields->key[place], key, (size_t)length);
    fields->key[place] = key;
    fields->length[place] = length;
    return same;
}

static int known_image_field(Text key, Text end) {
    switch (end - key) {
    case 2:
        return is_key(key, end, "id") ? ID : 0;
    case 5:
        return is_key(key, end, "width") ? WIDTH : 0;
    case 6:
        return is_key(key, end, "height") ? HEIGHT : 0;
    case 16:
        return is_key(key, end, "neg_category_ids") ? NEGATIVE : 0;
    case 27:
        return is_key(key, end, "not_exhaustive_category_ids") ? NOT_EXHAUSTIVE : 0;
    default:
        return 0;
    }
}

/* clang-format off */
STRUCT(ImageColumns,
    const uint8_t *text;
    const int64_t *room;
    int64_t *state;
    const uint64_t *fives;
    int64_t *ids;
    int64_t *sizes;
    uint16_t *found;
    int64_t *names;
    int64_t *listed;
);
/* clang-format on */

/* Writes an entry per category id of a list: the row of the image, the field, and the id. */
static Text category_list(Text p, const ImageColumns *to, int64_t row, int which, int *code) {
    if (*p != '[') return NULL;
    p = space(p + 1);
    if (*p == ']') return p + 1;
    for (int more = 1; more;) {
        int64_t *entry = to->listed + 3 * to->state[LISTED];
        if (to->state[LISTED] >= to->room[LISTED]) {
            *code = FULL;
            return NULL;
        }
        if (!(p = whole(p, to->fives, entry + 2)) || !(p = after_item(p, &more))) return NULL;
        entry[0] = row;
        entry[1] = which;
        to->state[LISTED]++;
    }
    return p;
}

/* Writes one row per image of the list whose first record starts at state[POSITION]. `names` has
   the start and end of names that differ from the previous record at the same index, and of names
   whose value is a list or an object, with a flag for the latter. `listed` has the lists of
   category ids, whose names are not in `names`. */
EXPORT(int, scan_images, const ImageColumns *to) {
    const int64_t *room = to->room;
    int64_t *state = to->state;
    Fields fields;
    memset(&fields, 0, sizeof fields);
    for (int place = 0; place < FIELDS; place++) fields.length[place] = -1;
    Text p = to->text + state[POSITION];
    while (!state[CLOSED]) {
        int64_t row = state[ROWS];
        if (row >= room[ROWS]) return FULL;
        to->ids[row] = to->sizes[2 * row] = to->sizes[2 * row + 1] = 0;
        int more = *p == '{', seen = 0;
        if (!more) return BAD;
        p = space(p + 1);
        if (*p == '}') {
            more = 0;
            p++;
        }
        for (int place = 0; more; place++) {
            Text key, end;
            int code = BAD;
            if (!(p = key_at(p, &key, &end))) return BAD;
            int which = known_image_field(key, end), is_nested = *p == '[' || *p == '{';
            if (seen & which) return BAD;
            int is_new = !is_as_before(&fields, place, key, end) || is_nested;
            if (is_new && which < NEGATIVE) {
                int64_t *entry = to->names + 3 * state[NAMES]++;
                if (state[NAMES] > room[NAMES]) return FULL;
                entry[0] = key - to->text;
                entry[1] = end - to->text;
                entry[2] = is_nested;
            }
            if (!which || *p == 'n') {
                p = value(p);
            } else {
                seen |= which;
                p = which == ID        ? whole(p, to->fives, to->ids + row)
                    : which < NEGATIVE ? whole(p, to->fives, to->sizes + 2 * row + (which == WIDTH))
                                       : category_list(p, to, row, which, &code);
            }
            if (!p || !(p = after_field(p, &more))) return code;
        }
        to->found[row] = (uint16_t)seen;
        if (!(p = next_record(p, state))) return BAD;
        state[ROWS] = row + 1;
        state[POSITION] = p - to->text;
    }
    return DONE;
}

/* Returns the end of the value at a position; -1 for invalid text. */
EXPORT(int64_t, scan_value, const uint8_t *text, int64_t position) {
    Text end = value(text + position);
    return end ? end - text : -1;
}
