import TravertineStore

/// Showing other versions than the newest for a while.
extension RealmSession {
    /// Runs `body` while the session shows another version; nothing of the application runs in it.
    ///
    /// - Throws: what `body` throws, and what keeps one of the two versions from being shown, also
    /// after   `body` has returned. The session shows the version from before in any case.
    func showing<Result>(_ version: Snapshot, _ body: () throws -> Result) throws -> Result {
        guard let current = snapshot, current !== version else { return try body() }
        let result = Swift.Result {
            try show(version)
            return try body()
        }
        try show(current)
        return try result.get()
    }
}
