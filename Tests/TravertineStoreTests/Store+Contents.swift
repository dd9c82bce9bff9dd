import TravertineStore

extension Store {
    /// A key's value in the newest commit as text; a text in brackets when it can't be read.
    func readsAsText(_ key: String, in keyspace: Keyspace = .default) -> String {
        do {
            return try get(key, in: keyspace).map { String(decoding: $0, as: UTF8.self) }
                ?? "(none)"
        } catch {
            return "(\(error.code))"
        }
    }

    /// Every record of the default keyspace in the newest commit.
    func records() throws -> [[UInt8]: [UInt8]] {
        var found: [[UInt8]: [UInt8]] = [:]
        let cursor = try snapshot().cursor()
        var isValid = try cursor.seekToFirst()
        while isValid {
            found[cursor.key] = try cursor.value
            isValid = try cursor.next()
        }
        return found
    }
}
