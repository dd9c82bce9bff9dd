/// Decides whether a request may be answered, before anything of it is looked at.
struct RequestGuard: Sendable {
    let port: UInt16
    let token: AccessToken

    /// The name of the cookie: cookies do not distinguish ports.
    var cookieName: String { "travertine-studio-\(port)" }

    /// The field that sets the cookie. A script can't read it, no other site sends it, and no
    /// server on another port gets it.
    var cookie: String {
        "\(cookieName)=\(token.text); Path=/\(token.path); HttpOnly; SameSite=Strict"
    }

    /// Not `localhost`, which may be `[::1]` first, where a program of another user may listen.
    private var host: String { "127.0.0.1:\(port)" }

    /// Checks where a request comes from.
    ///
    /// - Throws: `RequestFailure` if it was meant for another host, comes from another site, or,
    ///   where it changes something, does not say where it comes from.
    func checkOrigin(_ request: Request, isOfPage: Bool) throws(RequestFailure) {
        guard request.fields["host"] == host else {
            throw RequestFailure(421, "This server answers to 127.0.0.1:\(port) only.")
        }
        if let origin = request.fields["origin"] {
            guard origin.lowercased() == "http://\(host)" else {
                throw RequestFailure(403, "Requests of other sites are refused.")
            }
        } else if request.method != "GET" {
            throw RequestFailure(403, "The request does not say of which site it is (Origin).")
        }
        // A link on another site may open the page, which shows nothing without the cookie.
        if !isOfPage, let site = request.fields["sec-fetch-site"],
            site != "same-origin", site != "none"
        {
            throw RequestFailure(403, "Requests of other sites are refused.")
        }
        if request.method == "POST" {
            let type = request.fields["content-type"]?.lowercased() ?? ""
            guard type == "application/json" || type.hasPrefix("application/json;") else {
                throw RequestFailure(415, "The body must be JSON (Content-Type: application/json).")
            }
        }
    }

    /// Checks that a request has the cookie, and a path that begins with the secret part.
    ///
    /// - Returns: the rest of the path.
    func checkAccess(_ request: Request) throws(RequestFailure) -> String {
        guard let cookie = request.cookie(cookieName), token.matches(cookie),
            let rest = token.rest(ofPath: request.path)
        else {
            throw RequestFailure(
                401, "Open the address that travertine studio has printed: it has the key.")
        }
        return rest
    }
}
