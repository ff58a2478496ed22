#include "python_api.h"

#include <dlfcn.h>
#include <string.h>

namespace perfgate {

PythonApi g_python;

bool PythonApi::find(std::string *missing) {
  auto look = [&](const char *name, void *to) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    if (!symbol && missing->empty()) *missing = name;
    memcpy(to, &symbol, sizeof symbol);
  };
  look("PyGILState_Ensure", &ensure);
  look("PyGILState_Release", &release);
  look("PyImport_ImportModule", &import);
  look("PyObject_GetAttrString", &attribute);
  look("PyObject_CallObject", &call);
  look("PyTuple_New", &tuple);
  look("PyTuple_SetItem", &set_item);
  look("PyTuple_Size", &tuple_size);
  look("PyTuple_GetItem", &item);
  look("PyUnicode_DecodeUTF8", &text);
  look("PyUnicode_AsUTF8AndSize", &utf8);
  look("PyLong_FromLongLong", &from_int);
  look("PyLong_FromUnsignedLongLong", &from_unsigned);
  look("PyLong_FromVoidPtr", &from_pointer);
  look("PyLong_AsLongLong", &to_int);
  look("PyFloat_AsDouble", &to_double);
  look("PyObject_IsTrue", &truth);
  look("PyErr_Occurred", &error);
  look("PyErr_Fetch", &fetch);
  look("PyErr_NormalizeException", &normalize);
  look("PyException_SetTraceback", &set_traceback);
  look("PyErr_Clear", &clear);
  look("Py_IncRef", &keep);
  look("Py_DecRef", &drop);
  look("_Py_NoneStruct", &none);
  return missing->empty();
}

}  // namespace perfgate
