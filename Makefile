# `make demo` and `make test` set up what they need first; a second run needs no network.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCE := pyproject.toml setup.py constraints.txt src/truegain/_version.py $(wildcard src/truegain/*/*.c)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE  # commands that tests start would be compiled anew each time
MAKEFLAGS += --jobs=2  # types are checked while the browser is fetched and tests begin

.PHONY: demo site test test-all lint types tests tests-all fast sanitize papers bench bench-scaling bench-check clean \
  dist dist-sdist dist-check lowest lowest-install lowest-test

demo: $(VENV)/base
	$(BIN)/truegain demo demo
	@test -d demo/corpus || $(BIN)/truegain text index demo/docs.jsonl -o demo/corpus
	$(BIN)/truegain report demo/study.toml --corpus demo/corpus -o demo/report.html
	@echo 'Here truegain is $(BIN)/truegain; `. $(BIN)/activate` makes it plain truegain.'

test: lint types site tests
test-all: lint types site tests-all

# Tests marked slow or system (tests/conftest.py) are for `make test-all` only.
# Processes of tests beside each other would fight with the threads of BLAS.  Each of them collects all tests, which
# takes 10 s: so there is only one more than cores, for the time that tests wait.
QUICK := -m 'not slow and not system' --hypothesis-profile=quick
tests tests-all fast: export OMP_NUM_THREADS := 1
tests: $(VENV)/test build/browser/ready
	$(BIN)/python -m pytest -n 3 $(QUICK)

tests-all: $(VENV)/test build/browser/ready
	$(BIN)/python -m pytest -n 3

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test
	$(BIN)/mypy

# The documentation, into build/site; a warning, such as a link that leads nowhere, ends it.  Folders are listed for the
# files that were removed from them.  Where it ends so, nothing is left that a second run could take for done.
PAGES := $(shell find docs tools src/truegain README.md CHANGELOG.md constraints.txt -not -path '*/__pycache__*')
site: build/site/ready
build/site/ready: $(PAGES) | $(VENV)/test
	$(BIN)/sphinx-build -q -W --keep-going -n -b html -d build/site-pages docs build/site || \
	  { rm -rf build/site build/site-pages; exit 1; }
	@touch $@

fast: $(VENV)/test build/browser/ready
	$(BIN)/python -m pytest -n 2 -x $(QUICK) tests

# The compiled parts once more, with AddressSanitizer and UndefinedBehaviorSanitizer, in a copy; the tests that feed them
# what nobody should, and those that use all of them.  The first fault ends it.
CHECKED    := build/sanitized
C_TESTS    ?= tests/data/test_scan.py tests/data/test_split.py tests/data/test_fuzz.py tests/sampling/test_deals.py \
  tests/sampling/test_copies.py tests/text/test_words.py tests/cli/test_memory.py
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g

sanitize: $(VENV)/test
	rm -rf $(CHECKED)
	mkdir -p $(CHECKED)
	cp -r src $(CHECKED)/src
	find $(CHECKED)/src -name '*.so' -delete
	CFLAGS='$(SANITIZERS)' LDFLAGS='-fsanitize=address,undefined' $(BIN)/python setup.py -q build_ext --force \
	  --build-temp $(CHECKED)/temp --build-lib $(CHECKED)/src
	LD_PRELOAD="$$($(or $(CC),cc) -print-file-name=libasan.so) $$($(or $(CC),cc) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	  PYTHONPATH=$(CHECKED)/src PYTHONMALLOC=malloc OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -p no:xdist $(C_TESTS)

# A release: sdist, and a wheel built from it, of what is committed and in an environment of its own; on Linux repaired by
# auditwheel.  `make dist-check` looks into both, and tests the wheel with the tests of the sdist, without a compiler, on
# each of PYTHONS.  Versions of these tools are in tools/requirements.txt.
TOOLS   := build/tools
COMMIT  ?= HEAD
PYTHONS ?= $(PYTHON)

$(TOOLS)/ready: tools/requirements.txt
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet -r $<
	touch $@

dist-sdist: $(TOOLS)/ready
	$(TOOLS)/bin/python -m tools.release sdist $(COMMIT) dist

dist: $(TOOLS)/ready
	$(TOOLS)/bin/python -m tools.release build $(COMMIT) dist

dist-check: $(TOOLS)/ready
	$(TOOLS)/bin/python -m tools.release check dist $(PYTHONS)

# The lowest versions of what we need: an environment of its own, with the tests that most of them pass through.  What old
# versions call in others may be deprecated there by now.
LOWEST       := build/lowest
LOWEST_TESTS ?= tests/data tests/measures tests/stats tests/sampling tests/study tests/judge_error tests/cli tests/text

lowest: lowest-install
	$(MAKE) lowest-test

lowest-install:
	$(PYTHON) -m tools.lowest --check
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --prefer-binary -c constraints-lowest.txt \
	  '.[cluster,frames,judging,llm,plots,remote,text]' pytest hypothesis jsonschema pyarrow pyndeval
	$(LOWEST)/bin/python -m pip install --quiet --no-deps ir-measures

lowest-test:
	OMP_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -p no:xdist -W ignore::DeprecationWarning $(QUICK) $(LOWEST_TESTS) \
	  -k "not ranx and not what_has_names"  # which needs more than fits beside these versions

# Every table and figure of the papers, of the demo's simulated data, into papers/; papers/index.html shows them.
papers: $(VENV)/test
	$(BIN)/python -m benchmarks.papers papers

# Peers have an environment of their own; one that cannot be had here is told as missing, with the reason.
# BENCH_REPEAT=1 is the quick setting. Runs of `make -j` would disturb each other's clocks.
BENCH        := build/bench-venv
BENCH_REPEAT ?= 3

bench: $(BENCH)/peers.json
	$(BENCH)/bin/python -m benchmarks.run --repeat $(BENCH_REPEAT)
	$(BENCH)/bin/python -m benchmarks.scaling --repeat $(BENCH_REPEAT)

bench-scaling: $(BENCH)/peers.json
	$(BENCH)/bin/python -m benchmarks.scaling --repeat $(BENCH_REPEAT)

bench-check: $(BENCH)/peers.json
	$(BENCH)/bin/python -m benchmarks.check $(BENCH_CHECK)

$(BENCH)/peers.json: $(SOURCE) benchmarks/environment.py benchmarks/constraints.txt
	$(PYTHON) -m benchmarks.environment $(BENCH)

# A machine may have python3 and pip but not ensurepip; pip can then install itself into the environment.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || \
	  (rm -rf $(VENV) && $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install pip)

$(VENV)/base: $(BIN)/python $(SOURCE)
	$(BIN)/python -m pip install --quiet -c constraints.txt 'setuptools>=77' wheel
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt --no-build-isolation -e .
	touch $@

# pytrec_eval has no wheel for Linux on ARM and cannot be built from its source alone: tests against it are skipped there,
# ir_measures comes without. pyndeval has none either, and is built in a second.
$(VENV)/test: $(VENV)/base
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt --no-build-isolation -e '.[test]'
	$(BIN)/python -m pip install --quiet --no-compile --no-deps -c constraints.txt ir-measures
	touch $@

# Chromium and axe-core, for the tests that open reports; without root or apt these are skipped, with a word.
build/browser/ready: tests/report/install.sh
	tests/report/install.sh $(@D)

clean:
	rm -rf $(VENV) build dist demo papers benchmarks/work src/*.egg-info src/truegain/*/*.so
