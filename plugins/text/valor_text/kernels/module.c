/* The library of the text metrics' inner loops. */

#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "kernels.h"

/* Makes the library a module that Python's import system finds; Python calls no more of it. */
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels"};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModule_Create(&module); }

/* Raised whenever the signature or the meaning of a function changes. */
KERNEL int valor_kernels_interface(void) { return 7; }
