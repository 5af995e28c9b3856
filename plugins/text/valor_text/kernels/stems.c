/* Porter's stemmer with the extensions of nltk: M. F. Porter, An algorithm for suffix stripping,
 * Program 14 (1980), and nltk.stem.porter in the mode NLTK_EXTENSIONS, which it equals. */

#include "kernels.h"

typedef struct {
    const char *suffix, *ending; /* what a word ends with, and what takes its place */
    int32_t kept;                /* letters of the suffix that the measured stem contains */
    int after_s_or_t;            /* whether the stem must end with one of these */
} Rule;

static const Rule IRREGULAR[] = {
    {"sky", "sky"},        {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},
    {"tying", "tie"},      {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},
    {"outings", "outing"}, {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
    {"howe", "howe"},      {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"},
    {NULL, NULL},
};

/* Step 2. Of rules that fit, the first one counts. */
static const Rule DOUBLE_SUFFIXES[] = {
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
    {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
    {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
    {"fulli", "ful"},   {"logi", "log", 1}, {NULL, NULL},
};

/* Step 3. */
static const Rule FURTHER_SUFFIXES[] = {
    {"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
    {"ical", "ic"},  {"ful", ""},   {"ness", ""},    {NULL, NULL},
};

/* Step 4. */
static const Rule SINGLE_SUFFIXES[] = {
    {"al", ""},   {"ance", ""},      {"ence", ""}, {"er", ""},    {"ic", ""},
    {"able", ""}, {"ible", ""},      {"ant", ""},  {"ement", ""}, {"ment", ""},
    {"ent", ""},  {"ion", "", 0, 1}, {"ou", ""},   {"ism", ""},   {"ate", ""},
    {"iti", ""},  {"ous", ""},       {"ive", ""},  {"ize", ""},   {NULL, NULL},
};

#define CODE uint8_t
#define TYPED(name) name##_uint8
#include "stems_of.h"
#undef CODE
#undef TYPED

#define CODE uint32_t
#define TYPED(name) name##_uint32
#include "stems_of.h"
