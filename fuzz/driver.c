/* SPDX-License-Identifier: MIT
 *
 * driver.c - runs a fuzz target over files, without libFuzzer.
 *
 *     build/fuzz/<target> FILE...
 *
 * With this program the corpora are ordinary tests of every build.  The first input is
 * always the empty input.  Each input is in an allocation of its exact size, so that the
 * sanitizers detect a read past the end of the input.  The allocation of an empty input
 * has one byte.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 << 20 };

static int
run_file(const char *path)
{
    uint8_t *data = NULL;
    FILE *file;
    long size;
    int r = -1;

    file = fopen(path, "rbe");
    if (!file)
        goto out;
    if (fseek(file, 0, SEEK_END) < 0)
        goto out;
    size = ftell(file);
    if (size < 0 || size > INPUT_MAX || fseek(file, 0, SEEK_SET) < 0)
        goto out;
    data = malloc(size ? (size_t)size : 1);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
        goto out;
    LLVMFuzzerTestOneInput(data, (size_t)size);
    r = 0;
out:
    if (r < 0)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    free(data);
    if (file)
        fclose(file);
    return r;
}

int
main(int argc, char **argv)
{
    uint8_t *nothing = calloc(1, 1);
    int status = EXIT_SUCCESS;

    if (!nothing)
        return EXIT_FAILURE;
    LLVMFuzzerTestOneInput(nothing, 0);
    free(nothing);
    for (int i = 1; i < argc; i++) {
        /* Print the name before the run, so that the last line names the input after a
         * crash. */
        printf("%s\n", argv[i]);
        fflush(stdout);
        if (run_file(argv[i]) < 0)
            status = EXIT_FAILURE;
    }
    return status;
}
