/* SPDX-License-Identifier: MIT
 *
 * test_torture_files.c - the provider `files` while memory runs out, from setup to
 * teardown.
 *
 * A client reads, lists and watches files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "provide/connection.h"
#include "support/memory.h"
#include "support/rig.h"
#include "torture/torture.h"

#define TURNS 2000

static struct rig_workspace ws;
static struct mcph_core *core;
static mcphost_provider *provider;
static struct mcph_transport *transport;
static struct mcph_connection *connection;
static int sent, answered, errors, overs, updated;
static int64_t now;

static int64_t
clock_now(void *arg)
{
    (void)arg;
    return now;
}

static void
turn(void)
{
    for (int i = 0; i < TURNS && mcph_core_dispatch(core) > 0; i++)
        ;
}

/* ---- the client: its own allocations never fail ------------------------------------ */

static void
write_line(const char *text)
{
    failing_pause();
    (void)mcph_memory_peer_write(transport, text, strlen(text));
    (void)mcph_memory_peer_write(transport, "\n", 1);
    failing_resume();
}

static void
on_line(struct mcph_transport *t, struct mcph_span line, void *arg)
{
    static const char notice[] = "\"method\":\"notifications/resources/updated\"";
    char text[4096];

    (void)t;
    (void)arg;
    snprintf(text, sizeof(text), "%.*s", (int)line.len, line.p);
    updated += strstr(text, notice) != NULL;
    answered += !strstr(text, "\"method\":") && strstr(text, "\"id\":");
    errors += strstr(text, "\"error\":{") != NULL;
}

static const struct mcph_memory_peer peer = {.received = on_line};

static void
send_request(int id, const char *method, const char *params)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s}}", id,
             method, params);
    sent++;
    write_line(text);
    turn();
    now += 20;
    turn();
}

/* ---- a session --------------------------------------------------------------------- */

static void
on_over(struct mcph_connection *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)arg;
    overs++;
    torture_must(mcphost_error_get_message(reason) != NULL);
}

static const struct mcph_connection_events events = {.over = on_over};

static bool
make_provider(void)
{
    mcphost_error *err = NULL;
    char options[256];
    int r;

    snprintf(
        options, sizeof(options),
        "{\"base_dir\":\"%s/base\",\"allowed_extensions\":[\"json\",\"yaml\",\"bin\"]"
        ",\"max_bytes\":100000}",
        ws.dir);
    r = mcph_provider_new(core, "p", &provider, &err);
    if (!torture_told(r, err))
        return false;
    err = NULL;
    r = mcph_files_fill_json(provider, mcph_span_str(options), &err);
    return torture_told(r, err);
}

static bool
connect(void)
{
    struct mcph_connection_spec spec;
    struct mcph_service *service = NULL;
    int r;

    mcph_connection_spec_init(&spec);
    failing_pause();
    transport = mcph_memory_new(core, NULL, NULL, &peer, NULL);
    (void)mcph_transport_open(transport, NULL);
    failing_resume();
    if (!torture_good(mcph_provider_serve(provider, &service)))
        return false;
    r = mcph_connection_new(core, &spec, transport, service, &events, NULL, &connection);
    if (r < 0)
        service->ops->free(service);
    return torture_good(r);
}

static void
change(const char *name, const char *text)
{
    int fd = open(rig_workspace_path(&ws, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (fd >= 0) {
        (void)!write(fd, text, strlen(text));
        close(fd);
    }
    turn();
    now += 200;
    turn();
}

static void
talk(void)
{
    send_request(0, "initialize",
                 "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}");
    write_line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    send_request(1, "resources/subscribe", "\"uri\":\"file://a.json\"");
    send_request(2, "resources/subscribe", "\"uri\":\"dir://\"");
    send_request(3, "resources/read", "\"uri\":\"file://a.json\"");
    send_request(4, "resources/read", "\"uri\":\"file://b.yaml\"");
    send_request(5, "resources/read", "\"uri\":\"file://c.bin\"");
    send_request(6, "resources/read", "\"uri\":\"dir://\"");
    send_request(7, "resources/read", "\"uri\":\"dir://d\"");
    change("base/a.json", "[2]");
    change("base/new.json", "[3]");
    unlink(rig_workspace_path(&ws, "base/new.json"));
    send_request(8, "resources/unsubscribe", "\"uri\":\"file://a.json\"");
}

static int
session(void)
{
    int complete;

    sent = answered = errors = overs = updated = 0;
    now = 1000000;
    failing_pause();
    torture_must(mcph_core_new(&core, NULL) == 0);
    mcph_core_set_clock(core, clock_now, NULL);
    failing_resume();
    if (make_provider() && connect()) {
        talk();
        torture_must(overs == 1 || answered == sent);
        complete = overs == 0 && errors == 0 && updated >= 2;
        if (!complete)
            (void)torture_good(MCPHOST_E_NOMEM);
    }
    connection = mcph_connection_free(connection);
    turn();
    transport = mcph_transport_free(transport, 0);
    if (provider)
        mcph_provider_close(provider, 0);
    turn();
    provider = mcph_provider_unref(provider);
    mcph_core_drain(core);
    core = mcph_core_unref(core);
    return torture_code();
}

static void
up(void)
{
    char big[20000];

    rig_workspace_up(&ws, NULL);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "base"), 0700), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, "base/d"), 0700), 0);
    rig_workspace_write(&ws, "base/a.json", "[1]");
    rig_workspace_write(&ws, "base/b.yaml", "a: [1, {b: c}]\n");
    memset(big, 0xff, sizeof(big));
    big[sizeof(big) - 1] = '\0';
    rig_workspace_write(&ws, "base/c.bin", "%s", big);
    for (int i = 0; i < 20; i++) {
        char name[32];

        snprintf(name, sizeof(name), "base/d/%d.json", i);
        rig_workspace_write(&ws, name, "%d", i);
    }
}

static void
down(void)
{
    rig_workspace_down(&ws);
}

/* R160 */
START_TEST(if_allocations_fail_each_request_for_files_is_answered_or_the_connection_ends)
{
    static const int modes[] = {FAIL_ONCE, FAIL_FROM_THEN_ON};
    struct rig_census before = rig_census_take();

    torture_run(&(struct torture){.run = session, .least = 100}, modes[_i]);
    rig_census_check(&before, 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "files");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(
        tc, if_allocations_fail_each_request_for_files_is_answered_or_the_connection_ends,
        0, 2);
}

int
main(void)
{
    return torture_main("torture-files", add);
}
