/* Makes the library a module that Python's import system finds; Python calls no more of it. */
#include <Python.h>

#include "kernels.h"

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels"};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModule_Create(&module); }

/* Checksum of the sources, which `setup.py` defines: a library of other sources is set aside. */
EXPORT uint32_t valor_kernels_sources(void) { return KERNELS_SOURCES; }
