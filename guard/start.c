/* SPDX-License-Identifier: MIT
 *
 * start.c - the entry point and the clone calls of mcphost-guard.
 *
 * The clone calls start a process that shares the caller's memory, on a stack of its own.
 * Plain C cannot make these calls.  With a C library, this file uses main(), vfork() and
 * fork() instead.
 */
#include "guard.h"

#ifdef GUARD_RAW

void guard_start(long *sp);

/* Calls guard_main() with the arguments that the kernel puts on the stack: argc, argv,
 * NULL, envp, NULL. */
__attribute__((used, noreturn)) void
guard_start(long *sp)
{
    int argc = (int)sp[0];
    char **argv = (char **)(sp + 1);

    sys_end(guard_main(argc, argv, argv + argc + 1));
}

/* Define memcpy() and memset(), because the compiler may call them with any compiler
 * flags. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int c, size_t n);

__attribute__((used)) void *
memcpy(void *restrict to, const void *restrict from, size_t n)
{
    volatile char *t = to;
    const char *f = from;

    while (n--)
        *t++ = *f++;
    return to;
}

__attribute__((used)) void *
memset(void *to, int c, size_t n)
{
    volatile char *t = to;

    while (n--)
        *t++ = (char)c;
    return to;
}

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl _start\n"
        ".type _start,@function\n"
        "_start:\n"
        "    xorl %ebp, %ebp\n"
        "    movq %rsp, %rdi\n"
        "    andq $-16, %rsp\n"
        "    call guard_start\n"
        "    hlt\n"
        ".size _start, .-_start\n"
        ".globl guard_clone\n"
        ".type guard_clone,@function\n"
        "guard_clone:\n"
        "    andq $-16, %rcx\n"
        "    subq $16, %rcx\n"
        "    movq %rdx, (%rcx)\n"
        "    movq %rsi, 8(%rcx)\n"
        "    movq %rcx, %rsi\n"
        "    xorl %edx, %edx\n"
        "    xorl %r10d, %r10d\n"
        "    xorl %r8d, %r8d\n"
        "    movl $56, %eax\n"
        "    syscall\n"
        "    testq %rax, %rax\n"
        "    jz 1f\n"
        "    ret\n"
        "1:  xorl %ebp, %ebp\n"
        "    popq %rdi\n"
        "    popq %rax\n"
        "    call *%rax\n"
        "    movl %eax, %edi\n"
        "    movl $231, %eax\n"
        "    syscall\n"
        "    hlt\n"
        ".size guard_clone, .-guard_clone\n"
        ".globl guard_clone3\n"
        ".type guard_clone3,@function\n"
        "guard_clone3:\n"
        "    movq %rcx, %r8\n"
        "    movl $435, %eax\n"
        "    syscall\n"
        "    testq %rax, %rax\n"
        "    jz 1f\n"
        "    ret\n"
        "1:  xorl %ebp, %ebp\n"
        "    movq %r8, %rdi\n"
        "    call *%rdx\n"
        "    movl %eax, %edi\n"
        "    movl $231, %eax\n"
        "    syscall\n"
        "    hlt\n"
        ".size guard_clone3, .-guard_clone3\n"
        ".section .note.GNU-stack,\"\",@progbits\n"
        ".text\n");
#else
__asm__(".text\n"
        ".globl _start\n"
        ".type _start,%function\n"
        "_start:\n"
        "    mov x29, #0\n"
        "    mov x30, #0\n"
        "    mov x0, sp\n"
        "    b guard_start\n"
        ".size _start, .-_start\n"
        ".globl guard_clone\n"
        ".type guard_clone,%function\n"
        "guard_clone:\n"
        "    and x3, x3, #-16\n"
        "    stp x1, x2, [x3, #-16]!\n"
        "    mov x1, x3\n"
        "    mov x2, #0\n"
        "    mov x3, #0\n"
        "    mov x4, #0\n"
        "    mov x8, #220\n"
        "    svc #0\n"
        "    cbz x0, 1f\n"
        "    ret\n"
        "1:  ldp x1, x0, [sp], #16\n"
        "    mov x29, #0\n"
        "    mov x30, #0\n"
        "    blr x1\n"
        "    mov x8, #94\n"
        "    svc #0\n"
        "    brk #1\n"
        ".size guard_clone, .-guard_clone\n"
        ".globl guard_clone3\n"
        ".type guard_clone3,%function\n"
        "guard_clone3:\n"
        "    mov x8, #435\n"
        "    svc #0\n"
        "    cbz x0, 1f\n"
        "    ret\n"
        "1:  mov x29, #0\n"
        "    mov x30, #0\n"
        "    mov x0, x3\n"
        "    blr x2\n"
        "    mov x8, #94\n"
        "    svc #0\n"
        "    brk #1\n"
        ".size guard_clone3, .-guard_clone3\n"
        ".section .note.GNU-stack,\"\",%progbits\n"
        ".text\n");
#endif

struct clone3_args {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    uint64_t set_tid, set_tid_size, cgroup;
};

long guard_clone3(const struct clone3_args *args, size_t size, int (*fn)(void *),
                  void *arg);

long
guard_clone_into(int cgroup, int (*fn)(void *), void *arg, void *stack, size_t len)
{
    struct clone3_args args = {
        .flags = (GUARD_VFORK & ~0xfful) | GUARD_CLONE_INTO_CGROUP,
        .exit_signal = SIGCHLD,
        .stack = (uint64_t)(uintptr_t)stack,
        .stack_size = len,
        .cgroup = (uint64_t)cgroup,
    };

    return guard_clone3(&args, sizeof(args), fn, arg);
}

#else /* with a C library */

long
guard_clone_into(int cgroup, int (*fn)(void *), void *arg, void *stack, size_t len)
{
    (void)cgroup;
    (void)fn;
    (void)arg;
    (void)stack;
    (void)len;
    return -ENOSYS; /* the child enters the group itself */
}

long
guard_clone(unsigned long flags, int (*fn)(void *), void *arg, void *stack_top)
{
    pid_t pid;

    (void)stack_top;
    if (flags != GUARD_VFORK && flags != GUARD_SHARE)
        return -ENOSYS;
    if (flags == GUARD_VFORK)
        pid = vfork();
    else
        pid = fork();
    if (pid == 0)
        _exit(fn(arg));
    return pid < 0 ? -(long)errno : pid;
}

int
main(int argc, char **argv, char **envp)
{
    return guard_main(argc, argv, envp);
}
#endif
