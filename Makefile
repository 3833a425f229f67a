# The friendly front of the build: `make help` lists what it can do.
# Every target first installs the Debian packages it lacks; SETUP=: leaves the machine as it is.

SETUP = scripts/setup
BUILD = build
PREFIX = /usr/local
JOBS := $(shell nproc 2>/dev/null || echo 1)

# Options such as CMAKE_FLAGS=-DSMERF_WERROR=ON stay in the build folder until changed or cleaned.
CMAKE_FLAGS =

MAKEFLAGS += --no-print-directory

code = include src cli demo examples tests bench experiments
c_files = $(shell find $(code) -name '*.[ch]' 2>/dev/null | sort)
shell_scripts = $(shell grep -rlIE '^\#!.*[/ ](ba)?sh( |$$)' .ci scripts bindings page/run-tests $(code) 2>/dev/null | sort)

# Rooms that keep the sizes and words of CONTRIBUTING.md; scripts/check-code without a name looks at all of them.
checked_rooms = $(shell find src experiments -mindepth 1 -maxdepth 1 -type d | grep -v __pycache__ | sort) include cli

.PHONY: build demo test test-all abi lint format fuzz bench bench-quick reproduce reference python install uninstall clean help

build: ## build the command, the library and the demo; leaves build/smerf
	@$(SETUP) build
	@cmake -S . -B $(BUILD) $(CMAKE_FLAGS)
	@cmake --build $(BUILD) --parallel $(JOBS)

demo: build ## show what it does
	@demo/run

test: ## the checks that every change must pass, in about ten minutes (scripts/test NAME... runs some of them)
	@$(SETUP) test
	@scripts/test

test-all: ## deeper ones, to run after `make test`: thread sanitizer, fuzzing, the command under sanitizers, large pages
	@$(SETUP) test
	@scripts/test --deep

abi: build ## compare the interface of the shared library with what is recorded (RECORD=1: record it anew)
	@$(SETUP) test
	@scripts/abi $(if $(RECORD),--record)

lint: ## look for style, suspicious code, doors between rooms that should be shut, sizes and words
	@$(SETUP) test
	@echo "clang-format, cppcheck, shellcheck, scripts/check-rooms, scripts/check-code"
	@clang-format --dry-run -Werror $(c_files)
	@cppcheck --quiet -j $(JOBS) --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --error-exitcode=1 --include=include/smerf.h -Iinclude -Isrc -Icli $(filter %.c,$(c_files))
	@shellcheck $(shell_scripts)
	@scripts/check-rooms
	@scripts/check-code $(checked_rooms)

format: ## put the C files into the house style
	@$(SETUP) test
	@clang-format -i $(c_files)

fuzz: ## feed the readers garbage for a minute each
	@$(SETUP) fuzz
	@tests/fuzz/run

bench: build ## compare with other tools, in hours, and write docs/performance.md
	@$(SETUP) bench
	@bench/run

bench-quick: build ## the same with smaller sizes in minutes; only prints
	@$(SETUP) bench
	@bench/run --quick

reproduce: ## build smerf-reproduce and repeat the paper's experiments, with pictures (QUICK=1: a look in minutes)
	@$(SETUP) reproduce
	@$(MAKE) build CMAKE_FLAGS="-DSMERF_REPRODUCE=ON $(CMAKE_FLAGS)"
	@experiments/run $(if $(QUICK),--quick)

reference: build ## compare with a brute-force program and with what is expected (QUICK=1 too)
	@experiments/check $(if $(QUICK),--quick)

python: ## build the Python package and install it for the python3 in PATH (PIP_FLAGS=--user ...)
	@$(SETUP) python
	@python3 -m pip install $(PIP_FLAGS) ./bindings/python

install: build ## install under PREFIX (/usr/local), or under DESTDIR/PREFIX for packagers
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(abspath $(PREFIX))"
	@# Tell the loader of a new library where it looks by itself; elsewhere, or without the right, it does no harm.
	@if [ -z "$(DESTDIR)" ]; then ldconfig 2>/dev/null || true; fi

# By name rather than from a record of the last install: it works from a fresh clone and for any prefix.
uninstall: ## remove what install put under PREFIX
	@cd "$(DESTDIR)$(abspath $(PREFIX))/" && \
	rm -rfv bin/smerf include/smerf.h include/smerf_study.h lib/libsmerf.a lib/libsmerf.so* lib/pkgconfig/smerf.pc lib/cmake/smerf

clean: ## remove everything that was built
	rm -rf build bindings/python/build

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 20
