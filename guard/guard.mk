# SPDX-License-Identifier: MIT
#
# Builds mcphost-guard: small and static and, on machines that start.c knows, without a
# C library.  The guard runs once for each server.  Each run pays for the bytes that it
# loads and for the pages that the kernel maps.
guard_cflags += -I$(S)lib -ffunction-sections -fno-sanitize=all -g0
ifneq ($(filter x86_64 aarch64,$(guard_arch)),)
guard_cflags += -O2 -fno-unwind-tables $(call cc_option,-fno-tree-loop-distribute-patterns)
guard_ldflags += -Wl,--build-id=none -Wl,-z,norelro -Wl,-z,noseparate-code
endif
ifneq ($(filter x86_64,$(guard_arch)),)
guard_cflags += $(call cc_option,-fcf-protection=none)
endif
