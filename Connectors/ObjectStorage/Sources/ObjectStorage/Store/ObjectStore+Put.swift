import AsyncHTTPClient

extension ObjectStore {
    /// Stores an object whole, and returns the name of its new state.
    ///
    /// A conditional put reports `conditionFailed` only if it did not take place, and success only
    /// if it did, also when answers are lost; see `ConditionalPut`. If neither can be found out it
    /// throws `outcomeUnknown`. After a cancellation it may have taken place or not.
    ///
    /// - Parameters:
    ///   - body: Bytes or a file, up to `putByteCountMax` of the options, else `bodyTooLarge`.
    ///   - key: Relative to the store's prefix; 1 to 1024 bytes together with it.
    ///   - condition: What must be there for the put to take place.
    ///   - metadata: Names of lower-case letters, digits and `-`, and values of visible ASCII
    ///     characters and single spaces. Up to 2 KiB in sum. Names that begin with `travertine-`
    ///     are reserved.
    ///
    /// Costs one request if all goes well. A file is read twice, on the calling task.
    @discardableResult
    public func put(
        _ body: ObjectBody, at key: String, condition: PutCondition = .always,
        metadata: [String: String] = [:]
    ) async throws -> EntityTag {
        var request = StorageRequest(method: .PUT, key: try wholeKey(key))
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            try Self.checkMetadata(name: name, value: value)
            request.headers.append((ObjectAttributes.metadataPrefix + name, value))
        }
        request.payload = try RequestPayload(body, byteCountMax: options.putByteCountMax)
        request.headers.append((BodyChecksum.headerName, request.payload.checksum.base64))
        request.headers.append(("x-amz-sdk-checksum-algorithm", "SHA256"))
        if condition != .always {
            return try await ConditionalPut(self, request, key: key, condition: condition).run()
        }
        var attempts = Attempts(options)
        while true {
            do {
                return try await put(request, key: key, within: attempts.remaining)
            } catch {
                try await attempts.pause(after: error)
            }
        }
    }

    /// Sends a put once.
    func put(
        _ request: StorageRequest, key: String, within remaining: Duration
    ) async throws -> EntityTag {
        let checksum = request.payload.checksum.base64
        return try await send(request, key: key, within: remaining) { response, activity in
            try await HTTPTransport.drain(response, activity)
            if let stored = BodyChecksum.wholeObject(in: response.headers), stored != checksum {
                throw ObjectStorageError.checksumMismatch(
                    "'\(key)' was sent with \(checksum) and stored with \(stored)")
            }
            let tag = response.headers.first(name: "etag").flatMap(EntityTag.init(headerValue:))
            guard let tag else { throw ObjectStorageError.malformedResponse("there is no ETag") }
            return tag
        }
    }

    private static func checkMetadata(name: String, value: String) throws {
        let isNameValid =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-")
            }
        let isValueValid =
            !value.isEmpty && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !value.hasPrefix(" ") && !value.hasSuffix(" ") && !value.contains("  ")
        guard isNameValid, isValueValid, !name.hasPrefix(ConditionalPut.reservedPrefix) else {
            throw ObjectStorageError.invalidArgument(
                "metadata of the name '\(name)' cannot be stored")
        }
    }
}
