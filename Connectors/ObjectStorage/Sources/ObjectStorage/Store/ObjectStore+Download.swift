extension ObjectStore {
    /// Writes an object into a new file, and makes the file's content durable (`fsync`).
    ///
    /// The object is written as it arrives. After a lost connection the download goes on where it
    /// was, and begins again after a wrong checksum. Throws as `stream` does, and `file` where the
    /// file exists already or cannot be written. A file that is not complete is deleted.
    @discardableResult
    public func download(
        _ key: String, to path: String, ifMatch entityTag: EntityTag? = nil
    ) async throws -> ObjectAttributes {
        let file = try LocalFile(creating: path)
        var attempts = Attempts(options)
        while true {
            do {
                let stream = try await stream(key, ifMatch: entityTag)
                try await write(stream, into: file)
                return stream.attributes
            } catch let error as ObjectStorageError {
                guard case .checksumMismatch = error else {
                    file.remove()
                    throw error
                }
                do {
                    try file.truncate()
                    try await attempts.pause(after: error)
                } catch {
                    file.remove()
                    throw error
                }
            } catch {
                file.remove()
                throw error
            }
        }
    }

    private func write(_ stream: ObjectStream, into file: LocalFile) async throws {
        var offset: UInt64 = 0
        for try await bytes in stream {
            try file.write(bytes, at: offset)
            offset += UInt64(bytes.count)
        }
        try file.synchronize()
    }
}
