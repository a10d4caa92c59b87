# SPDX-License-Identifier: MIT
#
# How mcphost-guard is built: small, static, and of nothing but its own code
# where start.c knows the machine.  It runs once for each server, so what it
# loads and what the kernel must map for it is paid each time.
guard_cflags += -I$(S)lib -ffunction-sections -fno-sanitize=all -g0
ifneq ($(filter x86_64 aarch64,$(guard_arch)),)
guard_cflags += -O2 -fno-unwind-tables $(call cc_option,-fno-tree-loop-distribute-patterns)
guard_ldflags += -Wl,--build-id=none -Wl,-z,norelro -Wl,-z,noseparate-code
endif
ifneq ($(filter x86_64,$(guard_arch)),)
guard_cflags += $(call cc_option,-fcf-protection=none)
endif
