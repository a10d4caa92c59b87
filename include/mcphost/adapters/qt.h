/* SPDX-License-Identifier: MIT
 *
 * qt.h - a host in an event loop of Qt 5 or 6 (C++).
 *
 * adapter.h describes attached hosts and how they end.  Compile with the flags of
 * pkg-config Qt5Core or Qt6Core.  The header needs no moc.
 */
#ifndef MCPHOST_ADAPTERS_QT_H
#define MCPHOST_ADAPTERS_QT_H

#include <QCoreApplication>
#include <QEvent>
#include <QSocketNotifier>
#include <functional>
#include <memory>
#include <utility>

#include <mcphost/adapters/adapter.h>

/* mcphost_qt - a host that is attached to the event loop of the thread that made this
 * object.  mcphost_qt_attach() makes the object. */
class mcphost_qt : public QSocketNotifier
{
  public:
    mcphost_qt(const mcphost_qt &) = delete;
    mcphost_qt &operator=(const mcphost_qt &) = delete;
    ~mcphost_qt() override
    {
        mcphost_adapter_detach(&held_->adapter);
    }

  protected:
    bool
    event(QEvent *e) override
    {
        if (e->type() != QEvent::SockAct)
            return QSocketNotifier::event(e);
        /* Keep `held_`, because a function of the application may delete this object.
         * Ignore the descriptor while the host dispatches, because a function of the
         * application may run another event loop inside. */
        std::shared_ptr<held> kept = held_;
        if (kept->adapter.inside)
            return true;
        setEnabled(false);
        int next = mcphost_adapter_turn(&kept->adapter);
        if (next == MCPHOST_ADAPTER_POLL || next == MCPHOST_ADAPTER_AGAIN)
            setEnabled(true);
        return true;
    }

  private:
    struct held {
        mcphost_adapter adapter;
        std::function<void(mcphost *, int)> ended;

        static void
        call(mcphost *host, int code, void *arg)
        {
            auto ended = std::move(static_cast<held *>(arg)->ended);
            if (ended)
                ended(host, code);
        }
    };

    mcphost_qt(int fd, std::shared_ptr<held> of, QObject *parent)
        : QSocketNotifier(fd, QSocketNotifier::Read, parent), held_(std::move(of))
    {
    }
    friend int mcphost_qt_attach(mcphost *host, QObject *parent,
                                 std::function<void(mcphost *, int)> ended,
                                 mcphost_qt **ret_attached);
    friend void mcphost_qt_detach(mcphost_qt *attached);

    std::shared_ptr<held> held_;
};

/*
 * mcphost_qt_attach - attach a host to the event loop of this thread.
 *
 * Make the QCoreApplication first, because the thread must have an event loop.  If
 * `parent` is not a null pointer, deleting `parent` detaches the host.  `ended` may be
 * empty.
 *
 * Returns: 0 and *ret_attached, or an error code of mcphost_get_fd() or
 *   mcphost_set_driven().
 */
inline int
mcphost_qt_attach(mcphost *host, QObject *parent,
                  std::function<void(mcphost *, int)> ended, mcphost_qt **ret_attached)
{
    auto held = std::make_shared<mcphost_qt::held>();
    held->ended = std::move(ended);
    int fd =
        mcphost_adapter_begin(&held->adapter, host, mcphost_qt::held::call, held.get());
    if (fd < 0)
        return fd;
    *ret_attached = new mcphost_qt(fd, held, parent);
    return 0;
}

/* mcphost_qt_detach - detach a host, and delete the object.  A null pointer is
 * ignored. */
inline void
mcphost_qt_detach(mcphost_qt *attached)
{
    if (!attached)
        return;
    if (!attached->held_->adapter.inside) {
        delete attached;
        return;
    }
    attached->setEnabled(false);
    mcphost_adapter_detach(&attached->held_->adapter);
    attached->deleteLater();
}

#endif
