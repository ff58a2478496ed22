// An adapter that is written in Python, in an interpreter that has loaded this harness as a library.
#ifndef PERFGATE_HARNESS_PYTHON_H
#define PERFGATE_HARNESS_PYTHON_H

#include <string>

#include "adapter.h"

namespace perfgate {

struct PythonAdapter {
  std::string file;   // the adapter
  std::string shown;  // what people call it
  std::string tree;   // folder of the side, whose modules it may import
  std::string root;       // folder around the tree that belongs to the side
  std::string checkouts;  // others of the same repository, one a line
  std::string pins;       // choices that autotuners do not have, one a line
  std::string before; // installed packages to import before the adapter, with blanks between them
};

// Imports the installed packages of `before`, and nothing of the adapter's.
void prepare_python(const PythonAdapter &adapter);

// Imports the adapter and returns functions that call it. Throws adapter-load, with the exception's words.
AdapterFunctions load_python(const PythonAdapter &adapter, const char *device);

// Which files and packages the adapter has made the interpreter load so far, as JSON.
std::string python_imports();

}  // namespace perfgate

#endif
