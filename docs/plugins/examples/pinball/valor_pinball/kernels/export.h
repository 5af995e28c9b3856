/* Functions and constants that Python calls and reads by name.
 *
 * `EXPORT(result, name, parameters...)` begins the definition of a function. It also stores the
 * prototype as text, from which `valor_core.kernels` makes the binding: a pointer to const is an
 * array that the function reads, any other pointer an array that it writes. `STRUCT(name, members)`
 * stores the members of a struct in the same way. `CONSTANT(name, value)` is a whole number.
 *
 * It is part of the build of Valor: keep it unchanged. */
#ifndef VALOR_EXPORT_H
#define VALOR_EXPORT_H

#include <stdint.h>

#if defined(_WIN32)
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE __attribute__((visibility("default")))
#endif

/* The first macro of each pair expands its arguments, so that the text has no macros left. */
#define EXPORT(result, name, ...) EXPORT_EXPANDED(result, name, __VA_ARGS__)
#define EXPORT_EXPANDED(result, name, ...)                                                         \
    VISIBLE const char name##_prototype[] = #result "|" #__VA_ARGS__;                              \
    VISIBLE result name(__VA_ARGS__)

#define STRUCT(name, ...) STRUCT_EXPANDED(name, __VA_ARGS__)
#define STRUCT_EXPANDED(name, ...)                                                                 \
    VISIBLE const char name##_members[] = #__VA_ARGS__;                                            \
    typedef struct {                                                                               \
        __VA_ARGS__                                                                                \
    } name

#define CONSTANT(name, value) VISIBLE const int64_t name = value

#endif
