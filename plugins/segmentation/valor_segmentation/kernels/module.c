/* Makes the library a module that Python's import system finds; Python calls no more of it. */
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "kernels.h"

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels"};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModule_Create(&module); }

EXPORT int valor_kernels_interface(void) { return INTERFACE; }
