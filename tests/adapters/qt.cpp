/* SPDX-License-Identifier: MIT
 *
 * qt.cpp - the tests of <mcphost/adapters/qt.h>.
 */
#include <QEventLoop>
#include <QTimer>

#include <mcphost/adapters/qt.h>

#include "suite.h"

static QEventLoop *loop;
static mcphost_qt *attached[HOSTS];
static QObject *parent_of;

static void
loop_run(void)
{
    loop->exec();
}

static void
loop_quit(void)
{
    loop->quit();
}

static void
loop_later(void (*fn)(void))
{
    QTimer::singleShot(20, fn);
}

static int
loop_attach(mcphost *host, int i)
{
    return mcphost_qt_attach(
        host, parent_of, [](mcphost *of, int code) { on_ended(of, code, nullptr); },
        &attached[i]);
}

static void
loop_detach(int i)
{
    mcphost_qt_detach(attached[i]);
    attached[i] = nullptr;
}

/* ---- tests for Qt only ------------------------------------------------------------- */

static void
delete_parent(mcphost_call *call, void *arg)
{
    (void)call;
    delete parent_of;
    parent_of = nullptr;
    drop_host(index_of(arg));
    loop_later(loop_quit);
}

static void
ends_with_its_parent(void)
{
    freed = 0;
    parent_of = new QObject;
    make_host(0);
    start_call(0, delete_parent);
    loop_run();
    CHECK(freed == 1);
}

static void
loop_inside(mcphost_call *call, void *arg)
{
    QEventLoop inner;

    (void)call;
    QTimer::singleShot(20, [&inner] { inner.quit(); });
    inner.exec();
    mcphost_close(hosts[index_of(arg)]);
}

static void
survives_a_loop_in_a_callback(void)
{
    make_host(0);
    start_call(0, loop_inside);
    start_call(0, close_it);
    loop_run();
    CHECK(ended[0] == MCPHOST_E_CLOSED);
    loop_detach(0);
    drop_host(0);
}

int
main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    QEventLoop main_loop;

    loop = &main_loop;
    run_one("ends_with_its_parent", ends_with_its_parent);
    run_one("survives_a_loop_in_a_callback", survives_a_loop_in_a_callback);
    return run_suite();
}
