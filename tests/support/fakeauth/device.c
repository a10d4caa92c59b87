/* SPDX-License-Identifier: MIT
 *
 * device.c - the device grant (RFC 8628): codes, polls, and the pages at which the user
 * decides.
 */
#include <stdlib.h>
#include <string.h>

#include "support/fakeauth/inner.h"

static struct device *
make_device(struct auth *auth, const struct as *as, const struct client *client,
            const struct form *form)
{
    static int number;
    struct device *device = fake_alloc(NULL, sizeof(*device));
    char *scope = login_scope(auth, form_get(form, "scope"));

    *device = (struct device){
        .code = auth_random("dc-"),
        .user_code = auth_format("FAKE-%04d", ++number),
        .login = login_new(as, client, scope, form_get(form, "resource")),
        .until_ms = auth_now_ms() + auth->device_expires_s * 1000,
        .interval_s = auth->device_interval_s,
        .next = auth->devices,
    };
    auth->devices = device;
    free(scope);
    return device;
}

void
device_take(struct auth *auth, struct as *as, struct exchange *ex, const char *body,
            size_t len)
{
    struct reply reply = {0};
    struct client *client;
    struct device *device;
    const char *text;
    struct form form;
    char *page, *whole;

    fault_count(auth, STEP_DEVICE);
    form_read(auth, body, len, &form);
    if (fault_replaces(auth, ex, STEP_DEVICE)) {
        form_done(&form);
        return;
    }
    client = client_check(auth, as, ex, &form, STEP_DEVICE);
    if (client) {
        device = make_device(auth, as, client, &form);
        page = fault_is(auth, STEP_DEVICE, "lying", NULL, &text)
                   ? strdup(*text ? text : "javascript:alert(1)")
                   : auth_format("%s/device", as->issuer);
        whole = auth_format("%s?user_code=%s", page, device->user_code);
        auth_trace(auth, "device", "%s", device->user_code);
        reply_document(auth, STEP_DEVICE, 200, &reply,
                       json_pack("{s:s,s:s,s:s,s:s,s:I,s:I}", "device_code", device->code,
                                 "user_code", device->user_code, "verification_uri", page,
                                 "verification_uri_complete", whole, "expires_in",
                                 (json_int_t)auth->device_expires_s, "interval",
                                 (json_int_t)device->interval_s));
        free(page);
        free(whole);
    } else {
        reply_error(&reply, 401, "invalid_client", NULL);
    }
    reply_send(auth, ex, STEP_DEVICE, &reply);
    form_done(&form);
}

static void
approve(struct auth *auth, struct device *device, const char *account)
{
    device->state = DEVICE_APPROVED;
    login_as(auth, device->login, auth_account(auth, account));
}

void
device_visit(struct auth *auth, struct as *as, struct exchange *ex, const char *path,
             const char *query)
{
    struct device *device = auth->devices;
    const char *code, *page = "Approve or deny.";
    struct form form;

    form_read(auth, query, strlen(query), &form);
    code = form_get(&form, "user_code");
    while (device && (!code || strcmp(device->user_code, code) != 0 ||
                      device->login->as != as->number))
        device = device->next;
    if (!device || device->state != DEVICE_PENDING) {
        device = NULL;
        page = "No such code.";
    } else if (strcmp(path, "/device/approve") == 0) {
        approve(auth, device, form_get(&form, "account"));
        page = "Approved.";
    } else if (strcmp(path, "/device/deny") == 0) {
        device->state = DEVICE_DENIED;
        page = "Denied.";
    }
    exchange_reply(auth->http, ex, device ? 200 : 404, "text/html", page, strlen(page));
    form_done(&form);
}

const char *
device_poll(struct auth *auth, const struct as *as, const char *code,
            struct login **ret_login)
{
    struct device *device = auth->devices;
    int64_t now = auth_now_ms();
    bool is_early;

    while (device &&
           (!code || strcmp(device->code, code) != 0 || device->login->as != as->number))
        device = device->next;
    if (!device || device->state == DEVICE_USED)
        return "invalid_grant";
    if (now >= device->until_ms)
        return "expired_token";
    is_early = now < device->next_poll_ms;
    device->interval_s += is_early ? 5 : 0;
    device->next_poll_ms = now + device->interval_s * 1000;
    if (is_early)
        return "slow_down";
    device->polls++;
    if (device->state == DEVICE_PENDING && device->polls == auth->device_polls)
        approve(auth, device, NULL);
    if (device->state == DEVICE_PENDING)
        return "authorization_pending";
    if (device->state == DEVICE_DENIED)
        return "access_denied";
    device->state = DEVICE_USED;
    *ret_login = device->login;
    return NULL;
}
