/* SPDX-License-Identifier: MIT
 *
 * base.hpp - texts, errors, results, owners and callbacks of the C++ interface.
 *
 * Include <mcphost/mcphost.hpp>, which includes this header.
 */
#ifndef MCPHOST_CXX_BASE_HPP
#define MCPHOST_CXX_BASE_HPP

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mcphost/mcphost.h>

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define MCPHOSTXX_EXCEPTIONS 1
#define MCPHOSTXX_MODE       throwing
#include <exception>
#else
#define MCPHOSTXX_MODE nothrowing
#endif

namespace mcphostxx {

/* ---- texts ------------------------------------------------------------------------- */

/*
 * text - an argument that the library takes as a text that ends with a NUL.
 *
 * The class passes on a literal or a std::string without a copy, and copies a
 * std::string_view.  If a std::string or a std::string_view has a NUL inside, functions
 * return MCPHOST_E_INVALID, because the library would see only the part before the NUL.
 * nullptr means no text, if the function allows NULL.
 */
class text {
  public:
    text(std::nullptr_t = nullptr) noexcept {}
    text(const char *p) noexcept : p_(p) {}
    text(const std::string &s) noexcept : p_(s.c_str())
    {
        check(s.data(), s.size());
    }
    text(std::string_view s) noexcept
    {
        if (!s.data())
            return;
        char *to = small_;
        if (s.size() >= sizeof(small_))
            to = heap_ = static_cast<char *>(std::malloc(s.size() + 1));
        if (!to) {
            fault_ = MCPHOST_E_NOMEM;
            return;
        }
        if (!s.empty())
            std::memcpy(to, s.data(), s.size());
        to[s.size()] = '\0';
        p_ = to;
        check(s.data(), s.size());
    }
    text(const text &) = delete;
    text &operator=(const text &) = delete;
    ~text() { std::free(heap_); }

    const char *c_str() const noexcept { return p_; }
    /* Returns 0, or the error code with which a function refuses the text. */
    int fault() const noexcept { return fault_; }

  private:
    void check(const char *p, std::size_t len) noexcept
    {
        if (len > 0 && std::memchr(p, '\0', len))
            fault_ = MCPHOST_E_INVALID;
    }

    const char *p_ = nullptr;
    char *heap_ = nullptr;
    int fault_ = 0;
    char small_[64];
};

/*
 * text_list - an argument that is a list of texts.
 *
 * The class copies a list in braces or a range of texts, and passes on an array that ends
 * with a null pointer.  nullptr means no list, if the function allows NULL.
 */
class text_list {
  public:
    text_list(std::nullptr_t = nullptr) noexcept {}
    text_list(const char *const *array) noexcept : list_(array)
    {
        while (array && array[n_])
            n_++;
    }
    text_list(std::initializer_list<std::string_view> texts) noexcept { copy(texts); }
    template <class Range, class = decltype(std::string_view(
                               *std::begin(std::declval<const Range &>())))>
    text_list(const Range &texts) noexcept
    {
        copy(texts);
    }
    text_list(const text_list &) = delete;
    text_list &operator=(const text_list &) = delete;
    ~text_list() { std::free(block_); }

    const char *const *data() const noexcept { return list_; }
    std::size_t size() const noexcept { return n_; }
    int fault() const noexcept { return fault_; }

  private:
    template <class Range> void copy(const Range &texts) noexcept
    {
        std::size_t n = 0, bytes = 0;
        for (std::string_view s : texts) {
            n++;
            bytes += s.size() + 1;
            if (!s.empty() && std::memchr(s.data(), '\0', s.size()))
                fault_ = MCPHOST_E_INVALID;
        }
        block_ = std::malloc((n + 1) * sizeof(char *) + bytes);
        if (!block_) {
            fault_ = MCPHOST_E_NOMEM;
            return;
        }
        auto **list = static_cast<char **>(block_);
        char *to = reinterpret_cast<char *>(list + n + 1);
        for (std::string_view s : texts) {
            list[n_++] = to;
            if (!s.empty())
                std::memcpy(to, s.data(), s.size());
            to += s.size();
            *to++ = '\0';
        }
        list[n_] = nullptr;
        list_ = list;
    }

    const char *const *list_ = nullptr;
    void *block_ = nullptr;
    std::size_t n_ = 0;
    int fault_ = 0;
};

/* owned_text - a text that the library made for the caller.  The text ends with a NUL. */
class owned_text {
  public:
    owned_text() noexcept = default;
    owned_text(char *adopted, std::size_t len) noexcept : p_(adopted), n_(len) {}
    explicit owned_text(char *adopted) noexcept
        : p_(adopted), n_(adopted ? std::strlen(adopted) : 0)
    {}
    owned_text(owned_text &&other) noexcept
        : p_(std::exchange(other.p_, nullptr)), n_(std::exchange(other.n_, 0))
    {}
    owned_text &operator=(owned_text &&other) noexcept
    {
        std::swap(p_, other.p_);
        std::swap(n_, other.n_);
        return *this;
    }
    ~owned_text() { mcphost_free(p_); }

    std::string_view view() const noexcept
    {
        return p_ ? std::string_view(p_, n_) : std::string_view();
    }
    operator std::string_view() const noexcept { return view(); }
    std::string str() const { return std::string(view()); }
    const char *c_str() const noexcept { return p_ ? p_ : ""; }
    std::size_t size() const noexcept { return n_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }

  private:
    char *p_ = nullptr;
    std::size_t n_ = 0;
};

/* ---- errors ------------------------------------------------------------------------ */

/*
 * error - a code MCPHOST_E_* and, if the library gave a mcphost_error, a reference to it.
 *
 * An error can be moved.  ref() makes a second object for the same error.  An error may
 * outlive the host.
 */
class error {
  public:
    error() noexcept = default;
    explicit error(int code, mcphost_error *adopted = nullptr) noexcept
        : code_(code), p_(adopted)
    {}
    error(error &&other) noexcept
        : code_(std::exchange(other.code_, 0)), p_(std::exchange(other.p_, nullptr)),
          made_(std::exchange(other.made_, false))
    {}
    error &operator=(error &&other) noexcept
    {
        std::swap(code_, other.code_);
        std::swap(p_, other.p_);
        std::swap(made_, other.made_);
        return *this;
    }
    ~error() { mcphost_error_unref(p_); }

    /* Makes an error of the application, for example in the setup of a provider.  The
     * function of a tool may return the error: then the model gets the message. */
    static error make(int code, const text &message) noexcept
    {
        mcphost_error *p = nullptr;
        int r = mcphost_error_new(code, message.c_str(), &p);
        error made(r, p);
        made.made_ = p != nullptr;
        return made;
    }
    /* Returns an error with its own reference to `from`, or an empty error if `from` is
     * nullptr. */
    static error borrow(const mcphost_error *from) noexcept
    {
        return from ? error(mcphost_error_get_code(from),
                            mcphost_error_ref(const_cast<mcphost_error *>(from)))
                    : error();
    }
    error ref() const noexcept
    {
        error other(code_, mcphost_error_ref(p_));
        other.made_ = made_;
        return other;
    }

    /* Returns true if the object holds an error. */
    explicit operator bool() const noexcept { return code_ != 0; }
    int code() const noexcept { return code_; }
    /* Returns the name of the code, as mcphost_enum_get_name() does: "timeout". */
    std::string_view code_name() const noexcept
    {
        return view(mcphost_enum_get_name(MCPHOST_ENUM_ERROR_CODE, code_));
    }
    std::string_view message() const noexcept
    {
        return p_ ? mcphost_error_get_message(p_) : mcphost_strerror(code_);
    }
    std::string_view server_id() const noexcept
    {
        return view(p_ ? mcphost_error_get_server_id(p_) : nullptr);
    }
    std::string_view source_id() const noexcept
    {
        return view(p_ ? mcphost_error_get_source_id(p_) : nullptr);
    }
    /* Returns the errno of the system call that failed, or 0. */
    int sys_errno() const noexcept { return p_ ? mcphost_error_get_errno(p_) : 0; }
    std::int64_t rpc_code() const noexcept
    {
        return p_ ? mcphost_error_get_rpc_code(p_) : 0;
    }
    std::string_view rpc_data() const noexcept
    {
        std::size_t len = 0;
        const char *data = p_ ? mcphost_error_get_rpc_data(p_, &len) : nullptr;
        return data ? std::string_view(data, len) : std::string_view();
    }
    std::string_view file() const noexcept
    {
        return view(p_ ? mcphost_error_get_file(p_) : nullptr);
    }
    int line() const noexcept { return p_ ? mcphost_error_get_line(p_) : 0; }
    int column() const noexcept { return p_ ? mcphost_error_get_column(p_) : 0; }
    std::string_view stderr_tail() const noexcept
    {
        return view(p_ ? mcphost_error_get_stderr_tail(p_) : nullptr);
    }
    int http_status() const noexcept
    {
        return p_ ? mcphost_error_get_http_status(p_) : 0;
    }
    std::string_view retry_after() const noexcept
    {
        return view(p_ ? mcphost_error_get_retry_after(p_) : nullptr);
    }
    /* Returns the error as a JSON object, or an empty text if the object holds no error
     * or memory is short. */
    owned_text json() const noexcept
    {
        char *made = nullptr;
        std::size_t len = 0;
        error whole = p_ ? ref() : make(code_, mcphost_strerror(code_));
        if (!whole.p_ || mcphost_error_make_json(whole.p_, &made, &len) < 0)
            return owned_text();
        return owned_text(made, len);
    }

    /* Returns the mcphost_error, or nullptr if the object holds only a code. */
    mcphost_error *get() const noexcept { return p_; }
    /* Gives the reference to the caller.  After this, the object holds no reference. */
    mcphost_error *release() noexcept { return std::exchange(p_, nullptr); }
    /* Returns true if make() made the error. */
    bool is_made() const noexcept { return made_; }

  private:
    static std::string_view view(const char *p) noexcept
    {
        return p ? std::string_view(p) : std::string_view();
    }

    int code_ = 0;
    mcphost_error *p_ = nullptr;
    bool made_ = false;
};

/* ---- results ----------------------------------------------------------------------- */

namespace detail {

[[noreturn]] inline void
bad_access(const error &e) noexcept
{
    std::string_view message = e.message();
    std::fprintf(stderr, "mcphost: a result without a value was used: %.*s\n",
                 static_cast<int>(message.size()), message.data());
    std::abort();
}

template <class T> std::string_view
view(const T *p) noexcept
{
    return p ? std::string_view(p) : std::string_view();
}

inline std::string_view
view(const char *p, std::size_t len) noexcept
{
    return p ? std::string_view(p, len) : std::string_view();
}

/* Returns the bytes of the text, or an empty text in place of a null pointer. */
inline const char *
data(std::string_view s) noexcept
{
    return s.data() ? s.data() : "";
}

inline int
fault() noexcept
{
    return 0;
}
template <class T, class... Rest>
int
fault(const T &first, const Rest &...rest) noexcept
{
    return first.fault() ? first.fault() : fault(rest...);
}

} // namespace detail

/*
 * result<T> - a value, or an error.
 *
 * The class has a part of the interface of std::expected<T, error>.  value(), operator*
 * and operator-> of a result without a value end the process with a message: test the
 * result first.
 */
template <class T> class [[nodiscard]] result {
  public:
    using value_type = T;
    using error_type = mcphostxx::error;

    result(T value) noexcept : value_(std::move(value)) {}
    result(mcphostxx::error e) noexcept : error_(std::move(e)) {}

    bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    T &value() & noexcept { return checked(); }
    const T &value() const & noexcept
    {
        return const_cast<result *>(this)->checked();
    }
    T &&value() && noexcept { return std::move(checked()); }
    T &operator*() & noexcept { return checked(); }
    const T &operator*() const & noexcept { return value(); }
    T &&operator*() && noexcept { return std::move(checked()); }
    T *operator->() noexcept { return &checked(); }
    const T *operator->() const noexcept { return &value(); }
    template <class U> T value_or(U &&other) &&
    {
        return has_value() ? std::move(*value_) : static_cast<T>(std::forward<U>(other));
    }
    const mcphostxx::error &error() const & noexcept { return error_; }
    mcphostxx::error &&error() && noexcept { return std::move(error_); }
    /* Returns 0, or the code of the error. */
    int code() const noexcept { return error_.code(); }

    template <class F> auto and_then(F &&f) && -> std::invoke_result_t<F, T &&>
    {
        if (has_value())
            return std::invoke(std::forward<F>(f), std::move(*value_));
        return std::move(error_);
    }
    template <class F>
    auto transform(F &&f) && -> result<std::invoke_result_t<F, T &&>>
    {
        if (has_value())
            return std::invoke(std::forward<F>(f), std::move(*value_));
        return std::move(error_);
    }

  private:
    T &checked() noexcept
    {
        if (!value_)
            detail::bad_access(error_);
        return *value_;
    }

    std::optional<T> value_;
    mcphostxx::error error_;
};

template <> class [[nodiscard]] result<void> {
  public:
    using value_type = void;
    using error_type = mcphostxx::error;

    result() noexcept = default;
    result(mcphostxx::error e) noexcept : error_(std::move(e)) {}

    bool has_value() const noexcept { return !error_; }
    explicit operator bool() const noexcept { return has_value(); }
    void value() const noexcept
    {
        if (error_)
            detail::bad_access(error_);
    }
    const mcphostxx::error &error() const & noexcept { return error_; }
    mcphostxx::error &&error() && noexcept { return std::move(error_); }
    int code() const noexcept { return error_.code(); }

    template <class F> auto and_then(F &&f) && -> std::invoke_result_t<F>
    {
        if (has_value())
            return std::invoke(std::forward<F>(f));
        return std::move(error_);
    }

  private:
    mcphostxx::error error_;
};

/*
 * outcome - the value that a function of the application returns to the library: a
 * number, as the C interface describes it, or a result<void>.
 */
class outcome {
  public:
    outcome(int code = 0) noexcept : error_(code) {}
    outcome(mcphostxx::error e) noexcept : error_(std::move(e)) {}
    outcome(result<void> r) noexcept : error_(std::move(r).error()) {}

    int code() const noexcept { return error_.code(); }
    mcphost_error *release() noexcept { return error_.release(); }
    const mcphostxx::error &error() const noexcept { return error_; }

  private:
    mcphostxx::error error_;
};

/* ---- handles ----------------------------------------------------------------------- */

/*
 * owned - a reference to a handle.  The destructor drops the reference.
 *
 * R is the class X_ref of the handle.  R has all functions of the handle, and drops no
 * reference.  An owner can be moved.  ref() of either class makes another owner of the
 * same handle.
 */
template <class R> class owned : public R {
  public:
    using handle_type = typename R::handle_type;

    owned() noexcept = default;
    /* Takes over a reference of the caller. */
    explicit owned(handle_type *adopted) noexcept : R(adopted) {}
    owned(owned &&other) noexcept : R(other.release()) {}
    owned &operator=(owned &&other) noexcept
    {
        if (this != &other)
            reset(other.release());
        return *this;
    }
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    ~owned() { R::drop(this->p_); }

    /* Gives the reference to the caller.  After this, the object holds no reference. */
    handle_type *release() noexcept { return std::exchange(this->p_, nullptr); }
    /* Drops the reference, and takes over the reference `adopted`. */
    void reset(handle_type *adopted = nullptr) noexcept
    {
        R::drop(std::exchange(this->p_, adopted));
    }
};

/* ---- callbacks --------------------------------------------------------------------- */

#ifdef MCPHOSTXX_EXCEPTIONS

/*
 * exception_handler - handle an exception that a function of the application has thrown.
 *
 * The exception does not reach the library.  `where` is the kind of the function, such as
 * "done".  If the function should return a value, the library treats the function as
 * failed with MCPHOST_E_STATE.
 *
 * The default handler writes a line to stderr.  To end the program at an exception, set
 * terminate_on_exception().  The handler runs on the thread of the function, and must not
 * throw.
 */
using exception_handler = void (*)(const char *where, std::exception_ptr exception);

namespace detail {

inline void
print_exception(const char *where, std::exception_ptr exception) noexcept
{
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "mcphost: an exception in a function '%s': %s\n", where,
                     e.what());
    } catch (...) {
        std::fprintf(stderr, "mcphost: an exception in a function '%s'\n", where);
    }
}

inline std::atomic<exception_handler> current_handler{print_exception};

} // namespace detail

/* Sets the exception handler of the process.  nullptr sets the default handler.  Returns
 * the earlier handler. */
inline exception_handler
set_exception_handler(exception_handler handler) noexcept
{
    return detail::current_handler.exchange(handler ? handler : detail::print_exception);
}

/* Reports the exception on stderr and ends the process.  This function is an
 * exception_handler. */
[[noreturn]] inline void
terminate_on_exception(const char *where, std::exception_ptr exception) noexcept
{
    detail::print_exception(where, exception);
    std::terminate();
}

#endif

namespace detail {

/* The namespace keeps apart the code of files that are compiled with exceptions and the
 * code of files that are compiled without exceptions. */
inline namespace MCPHOSTXX_MODE {

template <class F>
void
guarded(const char *where, F &&f) noexcept
{
#ifdef MCPHOSTXX_EXCEPTIONS
    try {
        f();
    } catch (...) {
        current_handler.load()(where, std::current_exception());
    }
#else
    (void)where;
    f();
#endif
}

/* box - a function of the application, kept until the library calls drop(). */
template <class F> struct box {
    F fn;

    static box *make(F &&fn) noexcept { return new (std::nothrow) box{std::move(fn)}; }
    static void drop(void *arg) noexcept
    {
        guarded("destructor", [arg] { delete static_cast<box *>(arg); });
    }
    static F &of(void *arg) noexcept { return static_cast<box *>(arg)->fn; }
};

} // namespace MCPHOSTXX_MODE

} // namespace detail
} // namespace mcphostxx

#endif
