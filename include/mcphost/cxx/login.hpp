/* SPDX-License-Identifier: MIT
 *
 * login.hpp - requests that ask the user to log in.
 *
 * Include <mcphost/mcphost.hpp>, which includes this header.
 */
#ifndef MCPHOST_CXX_LOGIN_HPP
#define MCPHOST_CXX_LOGIN_HPP

#include <mcphost/cxx/handles.hpp>

namespace mcphostxx
{

/*
 * login_request - a MCPHOST_REQUEST_AUTHORIZE: the user logs in on a page.
 *
 *   if (auto login = mcphostxx::login_request::of(event.request()))
 *       show(login->message(), login->url());
 *
 * The object owns a reference.  The request ends by itself when the user has logged in.
 */
class login_request
{
  public:
    /* Returns the login, or nothing if the request has another kind. */
    static std::optional<login_request>
    of(request_ref request)
    {
        if (!request || request.kind() != MCPHOST_REQUEST_AUTHORIZE)
            return std::nullopt;
        return login_request(request.ref());
    }

    const mcphostxx::request &
    request() const noexcept
    {
        return request_;
    }
    std::string_view
    server_id() const
    {
        return request_.server_id();
    }
    /* A text that tells the user what to do. */
    std::string_view
    message() const
    {
        return request_.message();
    }
    /* The page on which the user logs in.  The URL contains a secret: do not log it. */
    std::string_view
    url() const
    {
        return request_.url();
    }
    /* `browser` or `device`. */
    std::string_view
    flow() const
    {
        return request_.param("flow");
    }
    /* The authorization server. */
    std::string_view
    issuer() const
    {
        return request_.param("issuer");
    }
    /* The URL that names the MCP server to the authorization server. */
    std::string_view
    resource() const
    {
        return request_.param("resource");
    }
    /* The configured label of the account. */
    std::string_view
    account() const
    {
        return request_.param("account");
    }
    /* The scopes that the user grants, separated by blanks. */
    std::string_view
    scope() const
    {
        return request_.param("scope");
    }
    /* The beginning of the URL that the user pastes: the URL to which the browser
     * returns. */
    std::string_view
    redirect_uri() const
    {
        return request_.param("redirectUri");
    }
    /* The code that the user enters at the page.  Only the flow `device` has this
     * code. */
    std::string_view
    user_code() const
    {
        return request_.param("userCode");
    }
    /* The URL of the page at which the user enters the code, and the URL of the same page
     * with the code filled in.  Only the flow `device` has these URLs. */
    std::string_view
    verification_uri() const
    {
        return request_.param("verificationUri");
    }
    std::string_view
    verification_uri_complete() const
    {
        return request_.param("verificationUriComplete");
    }
    /* The reason why an earlier login is no longer valid. */
    std::string_view
    reason() const
    {
        return request_.param("reason");
    }
    bool
    is_open() const
    {
        return request_.is_open();
    }

    /* Answers with the URL to which the browser was redirected, or with the code in this
     * URL.  Call this function if the browser cannot reach this machine.  If the text
     * does not belong to this login, the request stays open. */
    mcphostxx::result<void>
    paste(std::string_view text) const
    {
        std::string json = "{\"redirect\":\"";
        for (char c : text) {
            char escaped[8];

            if (static_cast<unsigned char>(c) < 0x20) {
                std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
                json += escaped;
                continue;
            }
            if (c == '"' || c == '\\')
                json += '\\';
            json += c;
        }
        return request_.respond(json + "\"}");
    }

    /* Ends the login, because the user declines it. */
    mcphostxx::result<void>
    decline(const mcphostxx::text &message = nullptr) const
    {
        return request_.reject(MCPHOST_REJECT_DECLINE, message);
    }

  private:
    explicit login_request(mcphostxx::request request) : request_(std::move(request))
    {
    }
    mcphostxx::request request_;
};

} // namespace mcphostxx

#endif
