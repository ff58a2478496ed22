package checkout

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Variables by which processes find code. Others may lead to code too, by a program that reads them: those are not seen here.
var (
	// lists of folders and files, in which an empty element is the folder that a process works in
	lists = strings.Fields(`PATH LD_LIBRARY_PATH PYTHONPATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH
		LIBRARY_PATH COMPILER_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CMAKE_PREFIX_PATH CMAKE_INCLUDE_PATH CMAKE_LIBRARY_PATH CMAKE_PROGRAM_PATH
		CMAKE_FRAMEWORK_PATH CMAKE_APPBUNDLE_PATH PERL5LIB PERLLIB RUBYLIB NODE_PATH GCONV_PATH`)
	// lists of libraries: one without a slash is a name, which the loader looks for in the folders of the lists above
	libraries = strings.Fields(`LD_PRELOAD LD_AUDIT OCL_ICD_FILENAMES OMP_TOOL_LIBRARIES CUDA_INJECTION64_PATH`)
	// single files and folders: a relative one counts from where this process works
	folders = strings.Fields(`HOME XDG_CONFIG_HOME PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONPYCACHEPREFIX PYTHONEXECUTABLE VIRTUAL_ENV CONDA_PREFIX
		UV_PROJECT_ENVIRONMENT CUDA_HOME CUDA_PATH CUDA_ROOT CUDA_BIN_PATH CUDA_TOOLKIT_ROOT_DIR CUDAToolkit_ROOT ROCM_PATH HIP_PATH
		TRITON_PTXAS_PATH TRITON_CUOBJDUMP_PATH TRITON_NVDISASM_PATH GCC_EXEC_PREFIX PKG_CONFIG_SYSROOT_DIR CMAKE_TOOLCHAIN_FILE CMAKE_CONFIG_DIR
		BASH_ENV ENV GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM CCACHE_DIR CCACHE_CONFIGPATH SCCACHE_DIR SCCACHE_CONF CARGO_HOME RUSTUP_HOME GOROOT GOPATH
		JAVA_HOME VCPKG_ROOT CONAN_HOME CONAN_USER_HOME SPACK_ROOT OCL_ICD_VENDORS QEMU_LD_PREFIX`)
	// programs, alone or with arguments: one without a slash is looked for on the PATH
	programs = strings.Fields(`CC CXX CPP AS LD AR NM RANLIB STRIP OBJCOPY OBJDUMP FC NVCC CUDACXX CUDAHOSTCXX NVCC_CCBIN HIPCXX MAKE SHELL PYTHON PKG_CONFIG
		CCACHE_PREFIX CCACHE_COMPILER RUSTC RUSTC_WRAPPER CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER CMAKE_MAKE_PROGRAM`)
	// options of tools, which may name files and folders
	options = strings.Fields(`CFLAGS CXXFLAGS CPPFLAGS CUDAFLAGS NVCCFLAGS NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS LDFLAGS LDLIBS FFLAGS ASFLAGS ARFLAGS
		MAKEFLAGS GNUMAKEFLAGS MFLAGS MAKEFILES CMAKE_GENERATOR_INSTANCE PERL5OPT RUBYOPT NODE_OPTIONS PYTEST_ADDOPTS PYTEST_PLUGINS RUSTFLAGS GOFLAGS`)
)

// Environment is the first variable of an environment by which processes find code in the checkout; nil where there is none.
func (c Checkout) Environment(environ []string) *Lead {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if lead := c.variable(name, value); lead != nil {
			return lead
		}
	}
	return nil
}

func (c Checkout) variable(name, value string) *Lead {
	switch {
	case value == "" && name != "PATH": // the same as none
		return nil
	case slices.Contains(lists, name):
		return c.list(name, strings.Split(value, ":"))
	case slices.Contains(libraries, name):
		paths := strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ' ' })
		return c.list(name, slices.DeleteFunc(paths, func(one string) bool { return !strings.Contains(one, "/") }))
	case slices.Contains(folders, name):
		return c.Path(name, value)
	case slices.Contains(programs, name):
		if strings.Contains(value, "/") && !filepath.IsAbs(value) && c.Holds(value) {
			return &Lead{Name: name, Path: value}
		}
		return c.Mentioned(name, value)
	case slices.Contains(options, name):
		return c.Mentioned(name, value)
	}
	return nil
}

// Mentioned is the lead of a text, such as a command or flags, in which an absolute path leads into the checkout; nil where none does.
func (c Checkout) Mentioned(name, text string) *Lead {
	for _, folder := range c.names {
		for rest := text; ; { // a folder whose name has blanks is no word
			_, after, ok := strings.Cut(rest, folder)
			if !ok {
				break
			}
			if after == "" || !isNamePart(after[0]) {
				return &Lead{Name: name, Path: text, By: folder}
			}
			rest = after
		}
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(":;,=|&<>()'\"` \t\n", r) }) {
		at := strings.IndexByte(word, '/')
		if at < 0 || at > 0 && word[0] != '-' && word[0] != '@' {
			continue
		}
		if c.Holds(word[at:]) {
			return &Lead{Name: name, Path: word[at:]}
		}
	}
	return nil
}

// isNamePart says whether the name of a file goes on with a character.
func isNamePart(b byte) bool {
	return b == '-' || b == '_' || b == '.' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= 0x80
}

// Program is what leads a program of the PATH into the checkout, or what it loads and is told by; nil where nothing does, or where there is no such
// program.
func (c Checkout) Program(name string, getenv func(string) string) *Lead {
	path, err := exec.LookPath(name)
	if path == "" {
		return nil
	}
	if err != nil || c.Holds(path) {
		return &Lead{Name: "PATH", Path: path}
	}
	own := strings.ToUpper(name) + "_"
	for _, variable := range slices.Concat(lists, libraries, folders) {
		if !strings.HasPrefix(variable, "LD_") && !strings.HasPrefix(variable, own) && variable != "HOME" && variable != "XDG_CONFIG_HOME" {
			continue
		}
		if lead := c.variable(variable, getenv(variable)); lead != nil {
			return lead
		}
	}
	return nil
}
