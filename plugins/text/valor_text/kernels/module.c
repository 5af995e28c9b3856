/* Inner loops of the text metrics over flat arrays. */

#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#if defined(_WIN32)
#define KERNEL __declspec(dllexport)
#else
#define KERNEL __attribute__((visibility("default")))
#endif

/* Makes the library a module that Python's import system finds; Python calls no more of it. */
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels"};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModule_Create(&module); }

/* Raised whenever the signature or the meaning of a function changes. */
KERNEL int valor_kernels_interface(void) { return 1; }
