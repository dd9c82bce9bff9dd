import TravertineStore

/// Showing other versions than the newest for a while.
extension RealmSession {
    /// Runs `body` while the session shows another version; nothing of the application runs in it.
    func showing<Result>(_ version: Snapshot, _ body: () throws -> Result) throws -> Result {
        guard let current = snapshot, current !== version else { return try body() }
        try show(version)
        let result = Swift.Result { try body() }
        try show(current)
        return try result.get()
    }
}
