# SPDX-License-Identifier: MIT
#
# The whole build is one GNU Makefile.  It is not recursive, except that a variant
# (sanitizers, clang, coverage) runs this Makefile again with another BUILD.
#
# In a fresh clone, `make` makes configure, runs it and builds.  Source files are found
# by their directory, so a new file needs no edit here.  CONTRIBUTING.md describes the
# directories.
#   make V=1            show the commands
#   make BUILD=dir      build in another directory than build/
#   make help           list the targets

ifndef MCPH_CONFIGURED
srcdir := .
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules --no-print-directory

BUILD ?= build
V ?= 0
ifeq ($(V),0)
Q := @
say = @printf '  %-8s %s\n' '$(1)' '$(2)'
else
Q :=
say = @:
endif

# ---- configuration -----------------------------------------------------------

no_config_goals := clean distclean help lint man-lint requirements
goals := $(or $(MAKECMDGOALS),all)
# Only these goals may install packages.  scripts/deps installs only missing packages.
deps_goals := $(filter demo check check-%,$(goals))
test_goals := $(filter check check-% coverage,$(goals))

ifneq ($(filter-out $(no_config_goals),$(goals)),)
ifndef MCPH_CONFIGURED
include config.mk
endif
endif

S := $(if $(filter .,$(srcdir)),,$(srcdir)/)
top := $(abspath $(srcdir))
out := $(abspath $(BUILD))

configure_env := $(if $(test_goals),MCPHOST_NEED_CHECK=1)
run_deps = $(if $(deps_goals),$(top)/scripts/deps --quiet $(if $(test_goals),--check) &&)

$(S)configure: $(S)configure.ac $(S)aclocal.m4
	$(call say,AUTOCONF,$@)
	$(Q)$(run_deps) { command -v autoconf >/dev/null || \
	    { echo "autoconf is missing; scripts/deps installs what a build needs" >&2; exit 1; }; }
	$(Q)cd $(srcdir) && autoconf

config.mk: $(S)configure $(S)config.mk.in
	$(call say,CONFIG,$@)
	$(Q)$(run_deps) if test -x ./config.status; \
	    then $(configure_env) ./config.status --recheck && ./config.status; \
	    else $(configure_env) $(srcdir)/configure; fi >$@.log 2>&1 || \
	    { cat $@.log >&2; rm -f $@.log; exit 1; }
	$(Q)rm -f $@.log; touch $@

# Configure again if a goal is a test and the last configure did not find Check.
ifneq ($(test_goals),)
ifeq ($(HAVE_CHECK),no)
config.mk: FORCE
endif
endif

FORCE:
.PHONY: FORCE

# ---- flags ---------------------------------------------------------------------
# CFLAGS, CPPFLAGS and LDFLAGS belong to the user of make, so the flags of the project are
# in variables of their own.

warn_flags := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
ifneq ($(filter yes 1,$(WERROR)),)
warn_flags += -Werror
endif
ifneq ($(SANITIZE),)
variant_flags += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
ifneq ($(filter yes 1,$(COVERAGE)),)
variant_flags += --coverage -O0
endif

base_cppflags = -D_GNU_SOURCE $(HAVE_FLAGS) -I$(S)include
base_cflags = -std=gnu11 $(warn_flags) -pthread $(variant_flags)
lib_cppflags = -I$(S)lib -I$(BUILD)/gen -DMCPH_GUARD_PATH='"$(libexecdir)/mcphost-guard"'
lib_cflags = -Wconversion -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections
# Files on the path of a call are compiled with the optimization of CFLAGS.  If CFLAGS has
# the usual -O2, all other files of the library are compiled for size, which makes the
# library smaller by a sixth.  `make SMALL=no` compiles all files with the optimization of
# CFLAGS.  The builds with SANITIZE or COVERAGE do the same.
SMALL ?= yes
lib_hot := api/call api/result base/base64 base/buf base/map base/mem base/utf8 base/vec \
    catalog/block catalog/catalog catalog/listing client/method client/operation \
    client/send host/call host/carrying host/dialog host/run host/target \
    host/validate json/scan json/stream json/value json/walk json/write \
    loop/core loop/dispatch loop/nosig loop/source loop/timer \
    provide/call provide/provider result/blob result/result \
    rpc/build rpc/endpoint rpc/frame rpc/framer rpc/message rpc/pending \
    schema/arena schema/check schema/check_array schema/check_object schema/equal \
    schema/number schema/plain schema/tape transport/lines transport/stdio transport/transport
$(foreach f,$(lib_hot),$(if $(wildcard $(S)lib/$(f).c),,$(error lib_hot: there is no lib/$(f).c)))
test_cppflags = -I$(S)lib -I$(S)tests $(CHECK_CFLAGS) -DMCPH_TEST_SRCDIR='"$(top)"' \
    -DMCPH_TEST_BINDIR='"$(out)/bin"' -DMCPH_TEST_PROGDIR='"$(out)/tests"'
base_ldflags = -pthread $(variant_flags) -Wl,--as-needed
# The linker leaves out unused functions.  Relocations are packed if configure has found
# that the linker and the C library support it.
lib_ldflags = -shared -Wl,--gc-sections $(PACK_LDFLAGS) -Wl,-soname,$(soname) -Wl,--version-script=$(S)lib/libmcphost.sym \
    -Wl,-z,nodelete $(if $(SANITIZE),,-Wl,-z,defs)

size_flag = $(if $(variant_flags),,$(if $(filter yes,$(SMALL)),$(if \
    $(filter -O2,$(lastword $(filter -O%,$(CFLAGS)))),-Os -fno-optimize-sibling-calls)))

compile = $(CC) $(base_cppflags) $(unit_cppflags) $(DEPS_CFLAGS) $(CPPFLAGS) \
    $(base_cflags) $(unit_cflags) $(CFLAGS) $(unit_size) -MMD -MP
link = $(CC) $(base_cflags) $(CFLAGS) $(base_ldflags) $(LDFLAGS)

# ---- files -----------------------------------------------------------------------

obj := $(BUILD)/obj
objects = $(patsubst $(S)%,$(obj)/%.o,$(basename $(1)))
sources = $(sort $(foreach d,$(1),$(wildcard $(S)$(d)/*.c)))

# The parts that configure can leave out (CONTRIBUTING.md).  If a part is left out, its
# files (out_PART) are not built, and the files in_PART take their place.
parts := http auth serving schema profiles plugins
out_http := $(filter-out lib/net/status,$(patsubst $(S)%.c,%,$(call sources,lib/net))) \
    $(patsubst $(S)%.c,%,$(wildcard $(S)lib/transport/http*.c)) lib/base/sha256
in_http := lib/net/absent lib/transport/absent lib/base/sha256_plain
out_auth := $(patsubst $(S)%.c,%,$(call sources,lib/auth lib/door))
in_auth := lib/auth/absent
out_serving := $(patsubst $(S)%.c,%,$(call sources,lib/serve))
in_serving := lib/serve/absent
out_schema := $(patsubst $(S)%.c,%,$(call sources,lib/schema))
in_schema := lib/schema/absent
out_profiles := $(patsubst $(S)%.c,%,$(foreach p,chatos goclaw mcpservers,$(wildcard $(S)lib/profile/$(p)*.c)))
in_profiles := lib/profile/absent
out_plugins := $(patsubst $(S)%.c,%,$(call sources,lib/plugins))
in_plugins := lib/plugins/absent
in_parts := $(foreach p,$(parts),$(in_$(p)))
lib_files := $(call sources,lib/* lib/*/*)
# $(call lib_without,PARTS) expands to the source files of a library without these parts.
# PARTS with http must have auth, too, because credentials are for servers at URLs.
lib_without = $(filter-out $(foreach p,$(1),$(out_$(p):%=$(S)%.c)) $(in_parts:%=$(S)%.c),$(lib_files)) \
    $(foreach p,$(1),$(in_$(p):%=$(S)%.c))

lib_src := $(strip $(call lib_without,$(ABSENT_PARTS)))
ctl_src := $(call sources,ctl ctl/*)
guard_src := $(sort $(wildcard $(S)guard/*.c $(S)guard/*.S))
example_src := $(call sources,examples examples/demo)
bench_src := $(call sources,bench)
bench_help_src := $(call sources,bench/common bench/preload)
support_main_src := $(wildcard $(S)tests/support/*_main.c $(S)tests/support/fakeserver.c \
    $(S)tests/support/fakehttp.c)
support_src := $(filter-out $(support_main_src),$(call sources,tests/support))
fakeserver_src := $(call sources,tests/support/fakeserver)
fakehttp_src := $(call sources,tests/support/fakehttp tests/support/fakeauth)
stress_src := $(call sources,tests/stress)
closes_src := $(call sources,tests/closes)
forks_src := $(call sources,tests/forks)
churn_src := $(call sources,tests/churn)
suite_src := $(call sources,tests/schema-suite)
areas := unit protocol system torture
test_src := $(sort $(foreach a,$(areas),$(wildcard $(S)tests/$(a)/test_*.c)))
area_src := $(filter-out $(test_src),$(call sources,$(areas:%=tests/%)))
fuzz_src := $(sort $(wildcard $(S)fuzz/fuzz_*.c))
fuzz_help_src := $(filter-out $(fuzz_src) $(S)fuzz/driver.c,$(call sources,fuzz))

soname := libmcphost.so.0
shared := $(BUILD)/lib/$(soname).0.0
static := $(BUILD)/lib/libmcphost.a
libs := $(if $(lib_src),$(shared) $(static) $(BUILD)/lib/$(soname) $(BUILD)/lib/libmcphost.so)
ctl := $(if $(ctl_src),$(BUILD)/bin/mcphostctl)
guard := $(if $(guard_src),$(BUILD)/bin/mcphost-guard)
examples := $(patsubst $(S)%.c,$(BUILD)/%,$(example_src))
plugin_src := $(call sources,tests/plugins examples/plugins examples/plugin-template)
plugins := $(patsubst $(S)%.c,$(BUILD)/%.so,$(plugin_src))
benches := $(patsubst $(S)%.c,$(BUILD)/%,$(bench_src))
support_programs := $(patsubst $(S)tests/support/%.c,$(BUILD)/tests/%,$(support_main_src))
stress := $(if $(stress_src),$(BUILD)/tests/stress)
closes := $(if $(closes_src),$(BUILD)/tests/closes)
forks := $(if $(forks_src),$(BUILD)/tests/forks)
churn := $(if $(churn_src),$(BUILD)/tests/churn)
suite := $(if $(suite_src),$(BUILD)/tests/schema-suite)
conformance_src := $(call sources,tests/interop/conformance)
# The client of the conformance suite speaks only HTTP.  Therefore it is not built if http
# is left out.
conformance := $(if $(filter http,$(ABSENT_PARTS)),,$(if $(conformance_src),$(BUILD)/bin/mcphost-conformance))
provided_src := $(call sources,tests/interop/provided)
provided := $(if $(provided_src),$(BUILD)/tests/provided)
tests := $(patsubst $(S)tests/%.c,$(BUILD)/tests/%,$(test_src))
fuzzers := $(patsubst $(S)fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(fuzz_src))

# pkg-config and CMake find the library by these files.
found_by := libmcphost.pc mcphost-config.cmake mcphost-config-version.cmake
all: $(libs) $(ctl) $(guard) $(found_by:%=$(BUILD)/%) $(examples) $(filter $(BUILD)/examples/%,$(plugins)) $(conformance) \
    $(if $(filter yes,$(ENABLE_FUZZ)),$(fuzzers))

# ---- objects ------------------------------------------------------------------------

# .flags contains the commands of the build.  Every object depends on .flags, and .flags
# changes only when a command changes.  Therefore changed flags rebuild all objects.
$(BUILD)/.flags: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' '$(subst ','\'',$(compile) $(lib_cppflags) $(lib_cflags) $(size_flag) $(link) $(top) $(out))' >$@.new
	$(Q)cmp -s $@.new $@ 2>/dev/null && rm -f $@.new || mv -f $@.new $@

$(obj)/%.o: $(S)%.c $(BUILD)/.flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(compile) -c -o $@ $<

$(obj)/%.o: $(S)%.S $(BUILD)/.flags
	$(call say,AS,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(compile) -c -o $@ $<

# The tables of the names of the public enumerators are generated from the headers.
$(BUILD)/gen/base/enums.h: $(S)scripts/enums.awk $(sort $(wildcard $(S)include/mcphost/*.h))
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $< $(S)include/mcphost/enum.h $(filter %.h,$^) >$@
$(obj)/lib/base/enum.o: $(BUILD)/gen/base/enums.h

$(obj)/lib/%.o: unit_cppflags = $(lib_cppflags)
$(obj)/lib/%.o: unit_cflags = $(lib_cflags)
$(filter-out $(lib_hot:%=$(obj)/lib/%.o),$(call objects,$(lib_files))): unit_size = $(size_flag)
$(obj)/ctl/%.o: unit_cflags = -Wconversion
$(obj)/tests/%.o $(obj)/fuzz/%.o $(obj)/bench/%.o: unit_cppflags = $(test_cppflags)
$(obj)/bench/%.o: unit_cflags = -Wconversion
# clang mistakes a long literal in a table of test cases for a missing comma.
$(obj)/tests/%.o: unit_cflags = -Wno-string-concatenation

-include $(patsubst %.o,%.d,$(call objects,$(lib_files) $(ctl_src) $(guard_src) $(example_src) \
    $(bench_src) $(bench_help_src) $(support_main_src) $(support_src) $(fakeserver_src) $(fakehttp_src) $(stress_src) $(closes_src) $(forks_src) $(churn_src) $(suite_src) $(conformance_src) $(provided_src) $(test_src) $(area_src) $(plugin_src) \
    $(fuzz_src) $(fuzz_help_src) $(S)fuzz/driver.c))

# ---- the library ----------------------------------------------------------------------

$(shared): $(call objects,$(lib_src)) $(S)lib/libmcphost.sym
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) $(lib_ldflags) -o $@ $(filter %.o,$^) $(DEPS_LIBS)

$(static): $(call objects,$(lib_src))
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/lib/$(soname) $(BUILD)/lib/libmcphost.so: $(shared)
	$(Q)ln -sf $(<F) $@

# The files for pkg-config and CMake contain directories.  They are made again if one of
# these directories changes, e.g. by `make install prefix=/usr`.
$(found_by:%=$(BUILD)/%): $(BUILD)/%: $(S)pkgconfig/%.in FORCE
	$(Q)mkdir -p $(@D)
	$(Q)sed -e 's|@prefix@|$(prefix)|' -e 's|@exec_prefix@|$(exec_prefix)|' \
	    -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' -e 's|@soname@|$(soname)|' \
	    -e 's|@VERSION@|$(VERSION)|' -e 's|@REQUIRES@|$(DEPS_NAMES)|' $< >$@.new
	$(Q)cmp -s $@.new $@ 2>/dev/null && rm -f $@.new || mv -f $@.new $@

# ---- sizes ----------------------------------------------------------------------------
# `make sizes` links the shared library again from the objects of this build: with all
# parts, for each part without this part, and without any part.  It prints the sizes, and
# compares them with tests/slim/sizes.

variants := full $(parts:%=no-%) smallest
without_smallest := $(parts)
without_no-http := http auth
$(foreach p,$(filter-out http,$(parts)),$(eval without_no-$(p) := $(p)))
variant_libs := $(variants:%=$(BUILD)/sizes/%.so)
define variant_rule
$(BUILD)/sizes/$(1).so: $(call objects,$(call lib_without,$(without_$(1)))) $(S)lib/libmcphost.sym
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(link) $$(lib_ldflags) -s -o $$@ $$(filter %.o,$$^) $$(DEPS_LIBS)
endef
$(foreach v,$(variants),$(eval $(call variant_rule,$(v))))
sizes: $(variant_libs)
	$(Q)CC='$(CC)' $(top)/tests/slim/sizes.sh $(BUILD)/sizes $(variants)
# For each part, configures and builds the library without this part.  Then does this
# without any part.
check-slim: all
	$(Q)MAKE='$(MAKE)' $(top)/tests/slim/run.sh $(out) $(SLIM)
.PHONY: sizes check-slim

# ---- programs ---------------------------------------------------------------------------
# The mcphostctl of the build tree has a run path to the library of the build tree.  The
# installed mcphostctl has no run path and uses the library search path of the system.

ctl_objects := $(call objects,$(ctl_src))
shared_libs = -L$(BUILD)/lib -lmcphost

$(BUILD)/bin/mcphostctl: $(ctl_objects) $(libs)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $(ctl_objects) $(shared_libs) $(DEPS_LIBS)

$(BUILD)/install/mcphostctl: $(ctl_objects) $(libs)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $(ctl_objects) $(shared_libs) $(DEPS_LIBS)

# The examples use the guard of this build (examples/support/here.c).
$(examples): $(BUILD)/%: $(obj)/%.o $(obj)/examples/support/here.o $(libs)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -Wl,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../../lib' -o $@ $(filter %.o,$^) \
	    -Wl,--wrap=mcphost_new $(if $(libs),$(shared_libs)) $(DEPS_LIBS)

# The official conformance suite starts this client, which is not installed.
$(conformance): $(call objects,$(conformance_src)) $(libs)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $(filter %.o,$^) $(shared_libs) $(DEPS_LIBS)

# The official clients use this server in tests/interop.
$(provided): $(call objects,$(provided_src)) $(libs)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $(filter %.o,$^) $(shared_libs) $(DEPS_LIBS)

# The guard has no libc on machines whose system call numbers it knows.  guard/guard.mk
# adds to the flags below.  The guard is never instrumented, because instrumented code
# needs libc.
# $(call cc_option,-fsome-flag) expands to the flag if the compiler knows it.
cc_option = $(if $(shell $(CC) -Werror $(1) -c -x c /dev/null -o /dev/null 2>&1),,$(1))
guard_arch := $(shell $(or $(CC),cc) -dumpmachine 2>/dev/null | sed 's/-.*//')
ifneq ($(filter x86_64 aarch64,$(guard_arch)),)
guard_cflags := -Os -ffreestanding -fno-pie -fno-stack-protector -fno-builtin \
    -fno-asynchronous-unwind-tables -fno-lto -U_FORTIFY_SOURCE -Wconversion
guard_ldflags := -nostdlib -static -no-pie -Wno-unused-command-line-argument -Wl,-z,noexecstack -Wl,--gc-sections
else
guard_cflags := -Wconversion
guard_ldflags := -static
endif
-include $(S)guard/guard.mk

$(obj)/guard/%.o: variant_flags :=
$(obj)/guard/%.o: compile = $(CC) $(base_cppflags) $(CPPFLAGS) $(base_cflags) $(CFLAGS) \
    $(guard_cflags) -MMD -MP
$(obj)/guard/%.o: $(wildcard $(S)guard/guard.mk)

$(BUILD)/bin/mcphost-guard: variant_flags :=
$(BUILD)/bin/mcphost-guard: $(call objects,$(guard_src))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(base_cflags) $(CFLAGS) $(guard_cflags) $(LDFLAGS) $(guard_ldflags) -o $@ $(filter %.o,$^)

# ---- test programs ------------------------------------------------------------------------

support := $(BUILD)/tests/libsupport.a
$(support): $(call objects,$(support_src))
	$(Q)mkdir -p $(@D) && rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

# Each .c file in the directory of an area is linked into each test of the area, unless
# the file is itself a test program.
define area_rule
$$(filter $(BUILD)/tests/$(1)/%,$$(tests)): $(BUILD)/tests/$(1)/%: \
    $(obj)/tests/$(1)/%.o $$(call objects,$$(filter $(S)tests/$(1)/%,$$(area_src))) $$(support) $$(static)
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(link) -o $$@ $$(filter %.o,$$^) $$(support) $$(static) $$(CHECK_LIBS) $$(DEPS_LIBS) $$(test_ldlibs)
endef
$(foreach a,$(areas),$(eval $(call area_rule,$(a))))

# test_torture_secrets links only these files of mcphostctl.  The test itself defines the
# other functions that these files call.
$(obj)/tests/torture/test_torture_secrets.o: unit_cppflags = $(test_cppflags) -I$(S)ctl
$(BUILD)/tests/torture/test_torture_secrets: $(call objects,$(addprefix $(S)ctl/,secrets.c secrettool.c text.c))

$(support_programs): $(BUILD)/tests/%: $(obj)/tests/support/%.o $(support) $(static)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $(filter %.o,$^) $(support) $(static) $(CHECK_LIBS) $(support_ldlibs) $(DEPS_LIBS)
$(BUILD)/tests/fakeserver: $(call objects,$(fakeserver_src))
# configure need not look for libssl, because it looks for libcrypto, and libssl is in the
# package of libcrypto.
$(BUILD)/tests/fakehttp: $(call objects,$(fakeserver_src) $(fakehttp_src))
$(BUILD)/tests/fakehttp: support_ldlibs = -lssl

# The tests of mcphostctl preload these libraries.
preloads := $(patsubst $(S)tests/preload/%.c,$(BUILD)/tests/%.so,$(call sources,tests/preload))
$(preloads): $(BUILD)/tests/%.so: $(obj)/tests/preload/%.o
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -shared -o $@ $<
$(obj)/tests/preload/%.o: unit_cflags = -fPIC

# The plugins of the tests and of the examples use the library's functions from the
# program that loads the plugin.
$(plugins): $(BUILD)/%.so: $(obj)/%.o
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -shared $(plugin_ldflags) -o $@ $<
$(patsubst $(BUILD)/%.so,$(obj)/%.o,$(plugins)): unit_cflags = -fPIC -fvisibility=hidden
$(BUILD)/tests/plugins/stays.so: plugin_ldflags = -Wl,-z,nodelete
$(filter $(BUILD)/tests/system/test_plugins% %/test_torture_plugins,$(tests)): test_ldlibs = -rdynamic

$(suite): $(call objects,$(suite_src)) $(static)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $(filter %.o,$^) $(static) $(DEPS_LIBS)

$(stress): $(call objects,$(stress_src)) $(static)
$(closes): $(call objects,$(closes_src)) $(static)
$(forks): $(call objects,$(forks_src)) $(static)
$(churn): $(call objects,$(churn_src)) $(static)
$(stress) $(closes) $(forks) $(churn):
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $(filter %.o,$^) $(static) $(DEPS_LIBS)

# The programs in bench_client measure the library through its public interface.  The
# programs in bench_plain (the floors, bridge, pairs and server) are not linked with it.
bench_client := $(addprefix $(BUILD)/bench/,client live own)
bench_plain := $(filter $(addprefix $(BUILD)/bench/,bridge floor pairs server webfloor),$(benches))
bench_help := $(call objects,$(filter $(S)bench/common/%,$(bench_help_src)))

$(filter-out $(bench_client) $(bench_plain),$(benches)): $(BUILD)/%: $(obj)/%.o $(static)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $< $(static) $(DEPS_LIBS)

$(bench_plain): $(BUILD)/%: $(obj)/%.o $(bench_help)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $(filter %.o,$^) $(bench_ldlibs) -lm
$(BUILD)/bench/webfloor: bench_ldlibs = $(DEPS_LIBS)

$(filter $(bench_client),$(benches)): $(BUILD)/%: $(obj)/%.o $(bench_help) $(libs)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $(filter %.o,$^) $(shared_libs) $(DEPS_LIBS)

# This library is preloaded.  It must not call the functions that it replaces.
$(BUILD)/bench/count.so: $(obj)/bench/preload/count.o
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -shared -o $@ $<
$(obj)/bench/preload/%.o: unit_cflags = -Wconversion -fPIC -fno-builtin -fno-tree-loop-distribute-patterns

fuzz_objects := $(call objects,$(fuzz_help_src) $(S)tests/support/memory.c)
$(fuzzers): $(BUILD)/fuzz/%: $(obj)/fuzz/fuzz_%.o $(obj)/fuzz/driver.o $(fuzz_objects) $(static)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $(filter %.o,$^) $(static) $(DEPS_LIBS)

# This application defines every internal name of the static library.
crowded := $(if $(variant_flags),,$(BUILD)/tests/crowded)
$(BUILD)/gen/crowd.c: $(S)tests/abi/crowd.sh $(libs)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$< $(static) $(shared) >$@
$(BUILD)/gen/crowd.o: $(BUILD)/gen/crowd.c
	$(Q)$(CC) -w -fno-builtin $(variant_flags) -c -o $@ $<
$(crowded): $(obj)/examples/embed.o $(obj)/examples/support/here.o $(BUILD)/gen/crowd.o $(static)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $^ -Wl,--wrap=mcphost_new $(DEPS_LIBS)

# api.json describes the public interface for programs.
$(BUILD)/api.json: $(S)scripts/apidesc $(sort $(wildcard $(S)include/mcphost/*.h))
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$< json >$@

test-programs: $(libs) $(ctl) $(guard) $(crowded) $(provided) $(support_programs) $(preloads) $(plugins) $(stress) $(closes) $(forks) $(churn) $(suite) $(tests) $(fuzzers) $(examples)
programs: all test-programs $(benches)

# ---- checks ----------------------------------------------------------------------------------

# run_tests is the command that runs tests.  run_fuzz names the fuzz targets and their
# corpora.  $(call area_tests,AREA...) expands to the test programs of these areas.
run_tests = $(top)/scripts/run-tests --build $(out) --source $(top)
run_fuzz = $(foreach f,$(fuzzers),--fuzz $(f) $(S)fuzz/corpus/$(notdir $(f)))
area_tests = $(filter $(addprefix $(BUILD)/tests/,$(addsuffix /%,$(1))),$(tests))

check: all test-programs $(BUILD)/api.json
	+$(Q)$(run_tests) $(tests) $(run_fuzz) \
	    --step lint "$(top)/scripts/lint" \
	    --step scenarios "$(top)/tests/scenarios/run.sh $(out)" \
	    --step schema-suite "$(top)/tests/schema-suite/run.sh $(out)" \
	    $(if $(wildcard $(S)tests/abi/gate.sh),--step abi "$(top)/tests/abi/gate.sh $(out)")

$(areas:%=check-%): check-%: all test-programs
	$(Q)$(run_tests) $(call area_tests,$*)
check-fuzz: $(fuzzers)
	$(Q)$(run_tests) $(run_fuzz)

# The variants asan, ubsan, tsan, clang and coverage repeat only this part of `check`: the
# fuzz targets, and the test programs except the torture tests.
check-programs: all test-programs
	$(Q)$(run_tests) $(call area_tests,unit protocol system) $(run_fuzz)

check-asan:
	$(Q)$(MAKE) BUILD=$(BUILD)/asan SANITIZE=address,undefined check-programs
check-ubsan:
	$(Q)$(MAKE) BUILD=$(BUILD)/ubsan SANITIZE=undefined check-programs
check-tsan:
	$(Q)$(MAKE) BUILD=$(BUILD)/tsan SANITIZE=thread check-programs
check-clang:
	$(Q)$(MAKE) BUILD=$(BUILD)/clang CC=clang WERROR=1 check-programs
# The system tests are left out, because valgrind does not support all system calls that
# watch processes.  The torture tests and the programs of tests/valgrind-skip.txt are left
# out, too.
valgrind_skip = $(addprefix $(BUILD)/tests/,$(shell sed 's/ .*//; /^\#/d' $(S)tests/valgrind-skip.txt))
check-valgrind: all test-programs
	$(Q)$(run_tests) --valgrind $(filter-out $(valgrind_skip),$(call area_tests,unit protocol)) $(run_fuzz)
coverage:
	$(Q)$(MAKE) BUILD=$(BUILD)/coverage COVERAGE=yes check-programs
	$(Q)$(top)/scripts/coverage $(BUILD)/coverage

# These checks are scripts that get the build directory as their argument.
script_checks := check-orphans check-interop check-schema-suite
$(script_checks): check-%: all test-programs
	$(Q)$(top)/tests/$*/run.sh $(out)
# Runs the client tests of the official suite.
#   make check-conformance CONFORMANCE='--only sse'
check-conformance: all
	$(Q)$(top)/tests/interop/conformance/run.sh $(out) $(CONFORMANCE)
# Runs command-line programs of other projects as clients of `mcphostctl serve`.
check-clients: all $(provided)
	$(Q)$(top)/tests/interop/clients/run.sh $(out)
# Tests the schemas of real servers' tools.
check-schemas: all test-programs
	$(Q)$(top)/tests/interop/schemas/run.sh $(out)
# tests/mutants/run.sh compiles and links mutants with the commands for a file of the
# library.  The variables are private, so the prerequisites of check-mutants do not get
# these flags.
#   make check-mutants MUTANTS='a-key-needs-nothing kept-twice'
quoted = '$(subst ','\'',$(1))'
check-mutants: private unit_cppflags = $(lib_cppflags)
check-mutants: private unit_cflags = $(lib_cflags)
check-mutants: all test-programs
	$(Q)mkdir -p $(out)/mutants
	$(Q)printf '%s\n' $(call quoted,$(CURDIR)) $(call quoted,$(compile)) $(call quoted,$(link)) \
	    $(call quoted,$(CHECK_LIBS) $(DEPS_LIBS)) >$(out)/mutants/commands
	$(Q)$(top)/tests/mutants/run.sh $(out) $(MUTANTS)
# Makes random edits while a host runs.
#   make stress STEPS=2000 SEED=7 STRESS='-m watch -t -v'
STEPS ?= 2000
stress: $(stress) $(guard) $(BUILD)/tests/fakeserver $(BUILD)/tests/fakehttp
	$(Q)$(stress) -n $(STEPS) $(if $(SEED),-s $(SEED)) $(STRESS)
stress-asan:
	$(Q)$(MAKE) BUILD=$(BUILD)/asan SANITIZE=address,undefined stress
stress-tsan:
	$(Q)$(MAKE) BUILD=$(BUILD)/tsan SANITIZE=thread STRESS='-t $(STRESS)' stress

# Measures how a hostile server affects the other servers.  `check-isolation` compares
# only counts, which do not depend on the machine's load.  `isolation` also compares
# times, and needs an idle machine: make isolation ROWS='pings noise'.  ISOLATION_MS is
# the time of a row of check-isolation.
isolation_src := $(call sources,tests/isolation)
isolation := $(if $(isolation_src),$(BUILD)/tests/isolation)
-include $(patsubst %.o,%.d,$(call objects,$(isolation_src)))
$(isolation): $(call objects,$(isolation_src)) $(static)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -o $@ $(filter %.o,$^) $(static) $(DEPS_LIBS)
test-programs: $(isolation)
check-isolation: $(isolation) $(guard)
	$(Q)$(isolation) -d $(or $(ISOLATION_MS),700) $(ROWS)
check-isolation-asan:
	$(Q)$(MAKE) BUILD=$(BUILD)/asan SANITIZE=address,undefined check-isolation
isolation: $(isolation) $(guard)
	$(Q)$(isolation) -t -d 4000 $(ROWS)
.PHONY: isolation check-isolation check-isolation-asan

# Scenarios over the C interface.  The bindings run the same files (doc/scenarios.md).
scenario_src := $(call sources,tests/scenarios)
scenario := $(if $(scenario_src),$(BUILD)/tests/scenario)
-include $(patsubst %.o,%.d,$(call objects,$(scenario_src)))
$(scenario): $(call objects,$(scenario_src)) $(libs)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $(filter %.o,$^) $(shared_libs) $(DEPS_LIBS)
test-programs: $(scenario)
check-scenarios: $(scenario) $(guard) $(BUILD)/tests/fakeserver
	$(Q)$(top)/tests/scenarios/run.sh $(out)
.PHONY: check-scenarios

# The bindings.  Each script tests its binding against this build, and needs more packages
# than the library does (see the head of the script).
check-rust check-python check-cxx: check-%: all test-programs $(BUILD)/api.json
	$(Q)$(top)/bindings/$*/test.sh $(out)
check-adapters: all test-programs
	$(Q)$(top)/tests/adapters/run.sh $(out)
check-bindings: check-rust check-python check-cxx check-adapters
# Looks for references that the Python module loses.  Needs python3-dbg.
check-refleaks: all test-programs
	$(Q)REFLEAKS=1 $(top)/bindings/python/test.sh $(out)
# Runs the tests of a binding with sanitizers in the binding and in the library.
check-python-asan check-rust-asan: check-%-asan:
	$(Q)$(MAKE) BUILD=$(BUILD)/asan SANITIZE=address,undefined all \
	    $(addprefix $(BUILD)/asan/tests/,fakeserver fakehttp browser_main)
	$(Q)ASAN=1 $(top)/bindings/$*/test.sh $(out)/asan
.PHONY: check-refleaks check-python-asan check-rust-asan
# Leaves the Python module importable with PYTHONPATH=bindings/python.
python: all
	$(Q)$(top)/bindings/python/build.sh $(out)
.PHONY: check-rust check-python check-cxx check-adapters check-bindings python

soak:
	$(Q)$(MAKE) STEPS=22000 STRESS='-p successor' stress
	$(Q)$(MAKE) STEPS=22000 STRESS='-p serve' stress
	$(Q)$(MAKE) STEPS=3000 STRESS='-m turn' stress
	$(Q)$(MAKE) STEPS=2000 STRESS='-m poll' stress
	$(Q)$(MAKE) STEPS=1000 STRESS='-m watch' stress
# Closes hosts at random moments.  Each close must end: make closes CLOSES=10000 SEED=7.
CLOSES ?= 300
closes: $(closes) $(guard) $(BUILD)/tests/fakeserver $(BUILD)/tests/fakehttp
	$(Q)$(closes) -n $(CLOSES) $(if $(SEED),-s $(SEED))
# Forks while another thread dispatches.  The child releases the last reference.
FORKS ?= 200
forks: $(forks) $(guard) $(BUILD)/tests/fakeserver
	$(Q)$(forks) -n $(FORKS)
# Lets many threads use one host at random: make churn-tsan ROUNDS=100 SEED=7.
churn: $(churn) $(guard) $(BUILD)/tests/fakeserver
	$(Q)$(churn) $(if $(ROUNDS),-n $(ROUNDS)) $(if $(SEED),-s $(SEED))
# Opens files while directories are exchanged with links: make files-race RACE_S=60.
RACE_S ?= 60
files-race: $(BUILD)/tests/system/test_files_race
	$(Q)FILES_RACE_S=$(RACE_S) $<
.PHONY: files-race
# Lets processes change the tokens of one file, and kills them: make store-race
# STORE_RACE=2000.
STORE_RACE ?= 2000
store-race: $(BUILD)/tests/unit/test_auth_store_race
	$(Q)STORE_RACE=$(STORE_RACE) $<
.PHONY: store-race
# Lets processes share tokens that expire, and kills them: make login-race
# LOGIN_RACE_S=600.
LOGIN_RACE_S ?= 600
login-race: $(BUILD)/tests/system/test_login_race test-programs
	$(Q)LOGIN_RACE_S=$(LOGIN_RACE_S) MCPHOST_TEST_BINDIR=$(out)/bin MCPHOST_TEST_PROGDIR=$(out)/tests $<
.PHONY: login-race
churn-asan:
	$(Q)$(MAKE) BUILD=$(BUILD)/asan SANITIZE=address,undefined churn
churn-tsan:
	$(Q)$(MAKE) BUILD=$(BUILD)/tsan SANITIZE=thread churn
check-abi: all test-programs $(BUILD)/api.json
	$(Q)$(top)/tests/abi/gate.sh $(out)

# Compares the instructions, system calls, allocations and copied bytes of a call with
# their budgets.  Copies are counted in a build in which the compiler expands no memcpy.
check-counts: all $(benches) $(BUILD)/tests/fakehttp
	$(Q)$(MAKE) BUILD=$(BUILD)/copies \
	    CFLAGS='$(CFLAGS) -fno-builtin-memcpy -fno-builtin-memmove' count-programs
	$(Q)$(top)/bench/counts.sh $(out)
count-programs: $(filter %/client %/floor %/own %/webfloor,$(benches)) $(BUILD)/bench/count.so
bench: all $(benches) $(BUILD)/tests/fakehttp
	$(Q)$(top)/bench/run.sh $(out) $(if $(ROUNDS),--rounds $(ROUNDS))
bench-peers: all $(benches) $(BUILD)/tests/fakehttp
	$(Q)$(top)/bench/run.sh $(out) --peers $(if $(ROUNDS),--rounds $(ROUNDS))
bench-bridges: all $(benches)
	$(Q)$(top)/bench/run.sh $(out) --bridges $(if $(ROUNDS),--rounds $(ROUNDS))
# Compares the bindings with C.
bench-bindings: all $(benches)
	$(Q)$(top)/bench/bindings.sh $(out) $(ROUNDS)
.PHONY: bench-bindings
demo: all
	$(Q)$(top)/examples/demo/run.sh $(out)

fuzz_flags := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
fuzz:
	$(Q)$(MAKE) BUILD=$(BUILD)/libfuzzer CC=clang CFLAGS='$(fuzz_flags)' fuzz-programs
fuzz-programs: $(fuzzers:$(BUILD)/fuzz/%=$(BUILD)/fuzz/%-libfuzzer)
$(BUILD)/fuzz/%-libfuzzer: $(obj)/fuzz/fuzz_%.o $(fuzz_objects) $(static)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) $(static) $(DEPS_LIBS)

lint:
	$(Q)$(top)/scripts/lint
man-lint:
	$(Q)$(top)/scripts/lint --man
requirements:
	$(Q)$(top)/scripts/requirements

# ---- install -------------------------------------------------------------------------------------

D = $(DESTDIR)
headers := $(patsubst $(S)include/%,%,$(sort $(wildcard $(addprefix $(S)include/mcphost/,*.h *.hpp */*.h */*.hpp))))
header_dirs := $(sort $(dir $(headers)))
man_pages := $(sort $(wildcard $(S)man/*.[1-8]))
# The directories in which bash-completion and zsh look for completions.
bash_dir = $(datadir)/bash-completion/completions
zsh_dir = $(datadir)/zsh/site-functions
cmake_dir = $(libdir)/cmake/mcphost

install: all $(if $(ctl),$(BUILD)/install/mcphostctl)
	$(call say,INSTALL,$(D)$(prefix))
	$(Q)install -d $(D)$(bindir) $(D)$(libdir)/pkgconfig $(D)$(cmake_dir) $(D)$(libexecdir) $(D)$(includedir)/mcphost
	$(Q)install -m 755 $(shared) $(D)$(libdir)/
	$(Q)ln -sf $(notdir $(shared)) $(D)$(libdir)/$(soname)
	$(Q)ln -sf $(soname) $(D)$(libdir)/libmcphost.so
ifeq ($(ENABLE_STATIC),yes)
	$(Q)install -m 644 $(static) $(D)$(libdir)/
endif
	$(Q)install -m 644 $(BUILD)/libmcphost.pc $(D)$(libdir)/pkgconfig/
	$(Q)install -m 644 $(BUILD)/mcphost-config.cmake $(BUILD)/mcphost-config-version.cmake $(D)$(cmake_dir)/
	$(if $(guard),$(Q)install -m 755 $(guard) $(D)$(libexecdir)/)
	$(if $(ctl),$(Q)install -m 755 $(BUILD)/install/mcphostctl $(D)$(bindir)/)
	$(Q)install -d $(D)$(bash_dir) $(D)$(zsh_dir)
	$(Q)install -m 644 $(S)completions/mcphostctl.bash $(D)$(bash_dir)/mcphostctl
	$(Q)install -m 644 $(S)completions/_mcphostctl $(D)$(zsh_dir)/
	$(Q)for h in $(headers); do install -d $(D)$(includedir)/$${h%/*} && \
	    install -m 644 $(S)include/$$h $(D)$(includedir)/$$h || exit 1; done
	$(Q)$(top)/scripts/install-man $(D)$(mandir) $(man_pages)

uninstall:
	$(call say,REMOVE,$(D)$(prefix))
	$(Q)rm -f $(D)$(libdir)/$(notdir $(shared)) $(D)$(libdir)/$(soname) \
	    $(D)$(libdir)/libmcphost.so $(D)$(libdir)/libmcphost.a \
	    $(D)$(libdir)/pkgconfig/libmcphost.pc $(D)$(cmake_dir)/mcphost-config*.cmake \
	    $(D)$(libexecdir)/mcphost-guard \
	    $(D)$(bindir)/mcphostctl $(D)$(bash_dir)/mcphostctl $(D)$(zsh_dir)/_mcphostctl
	$(Q)rmdir $(D)$(cmake_dir) 2>/dev/null || :
	$(Q)cd $(D)$(includedir) 2>/dev/null && rm -f $(headers) || :
	$(Q)rmdir $(addprefix $(D)$(includedir)/,$(filter-out mcphost/,$(header_dirs)) mcphost/) 2>/dev/null || :
	$(Q)$(top)/scripts/install-man --remove $(D)$(mandir) $(man_pages)

# The bindings.  `make install` leaves them out, because they need Python and Rust.  In
# `cargo_dir`, cargo finds the crates by a source replacement of the kind "directory".
PYTHON ?= python3
python_dir = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("platlib", vars={"base": "$(prefix)", "platbase": "$(prefix)"}))')
cargo_dir = $(datadir)/cargo/registry
install-python: all
	$(Q)MCPHOST_BUILD=$(out) $(PYTHON) $(top)/bindings/python/build_backend/backend.py $(D)$(python_dir)
install-rust:
	$(Q)$(top)/bindings/rust/install.sh $(D)$(cargo_dir)
.PHONY: install-python install-rust

# ---- release ----------------------------------------------------------------------------------------

dist: $(S)configure
	$(Q)$(top)/scripts/dist --version $(VERSION) --source $(top)
distcheck: dist
	$(Q)MAKE='$(MAKE)' $(top)/scripts/distcheck libmcphost-$(VERSION).tar.gz
# With PACKAGES=--twice, the packages are built twice and compared.
check-packages:
	$(Q)$(top)/scripts/check-packages $(PACKAGES)
# Installs the packages in a clean root directory, and tests them there.  The user root
# must run this.
check-roots:
	$(Q)dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	    $(top)/scripts/check-packages $(PACKAGES) --keep "$$dir" && $(top)/scripts/check-roots "$$dir"
# Checks the recipes for RPM and Alpine packages.
check-recipes:
	$(Q)$(top)/scripts/check-recipes
.PHONY: check-roots check-recipes

clean:
	rm -rf $(BUILD)
# In a clone, configure is a generated file.  A release contains it.
distclean: clean
	rm -rf config.mk config.log config.status autom4te.cache configure~ libmcphost-*.tar.gz
	$(if $(wildcard .git),rm -f configure)
	$(if $(filter .,$(srcdir)),,rm -f Makefile)

help:
	@echo 'all check install uninstall dist distcheck clean distclean demo'
	@echo 'parts of check:   check-unit check-protocol check-system check-torture check-fuzz check-abi check-scenarios lint'
	@echo 'variants:         check-asan check-ubsan check-tsan check-valgrind check-clang coverage'
	@echo 'more checks:      check-orphans check-mutants check-interop check-clients check-conformance check-schema-suite check-schemas'
	@echo '                  check-counts check-packages check-roots check-recipes man-lint requirements check-slim sizes'
	@echo '                  check-bindings: check-rust check-python check-cxx check-adapters; check-refleaks'
	@echo '                  check-python-asan check-rust-asan'
	@echo '                  python (the module, ready for PYTHONPATH=bindings/python)'
	@echo '                  stress stress-asan stress-tsan (STEPS=2000 SEED=1 STRESS=-t), soak'
	@echo '                  closes (CLOSES=10000 SEED=1), forks (FORKS=5000), churn, files-race (RACE_S=60), store-race, login-race'
	@echo '                  isolation check-isolation check-isolation-asan'
	@echo 'measure, explore: bench bench-peers bench-bridges bench-bindings fuzz'
	@echo 'variables:        V=1 WERROR=1 SMALL=no BUILD=dir CC CFLAGS CPPFLAGS LDFLAGS DESTDIR prefix libdir ...'

.PHONY: all check check-programs check-fuzz check-asan check-ubsan check-tsan check-clang \
    check-valgrind check-abi check-counts stress stress-asan stress-tsan soak closes forks churn churn-asan churn-tsan $(areas:%=check-%) $(script_checks) check-clients check-conformance check-schemas check-mutants coverage bench bench-peers bench-bridges demo \
    fuzz fuzz-programs test-programs programs count-programs lint man-lint requirements install uninstall \
    dist distcheck check-packages clean distclean help
