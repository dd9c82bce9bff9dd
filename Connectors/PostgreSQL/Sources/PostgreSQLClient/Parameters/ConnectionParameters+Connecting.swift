#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ConnectionParameters {
    /// What connecting sets where the text does not; see the type.
    private static let defaults = [
        ("fallback_application_name", "travertine")
    ]
    private static let transportDefaults = [
        ("keepalives_idle", "30"),
        ("keepalives_interval", "10"),
        ("keepalives_count", "3"),
        // Milliseconds.
        ("tcp_user_timeout", "30000"),
    ]

    /// The keywords and values for libpq.
    var connectingValues: [(keyword: String, value: String)] {
        var all = values
        for (keyword, value) in Self.defaults where all[keyword] == nil { all[keyword] = value }
        if all["service"] == nil, getenv("PGSERVICE") == nil {
            for (keyword, value) in Self.transportDefaults where all[keyword] == nil {
                all[keyword] = value
            }
        }
        all["client_encoding"] = "UTF8"
        return all.sorted { $0.key < $1.key }.map { (keyword: $0.key, value: $0.value) }
    }
}
