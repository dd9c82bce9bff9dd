import AsyncHTTPClient
import Crypto

extension ObjectStore {
    /// Deletes an object. Succeeds where there is none.
    ///
    /// Costs one request if all goes well.
    public func delete(_ key: String) async throws {
        let request = StorageRequest(method: .DELETE, key: try wholeKey(key))
        do {
            try await sendRepeatedly(request, key: key) { response, activity in
                try await HTTPTransport.drain(response, activity)
            }
        } catch ObjectStorageError.notFound {
            // Some services report what others count as success.
        }
    }

    /// Deletes many objects. Those that do not exist count as deleted.
    ///
    /// Throws `deletionIncomplete` with those that remain after all attempts; other errors leave
    /// open which are deleted. Costs one request for each 1,000 keys if all goes well.
    public func delete(_ keys: some Sequence<String>) async throws {
        var wholeKeys: [String] = []
        for key in keys { wholeKeys.append(try wholeKey(key)) }
        var failures: [UndeletedObject] = []
        var start = 0
        while start < wholeKeys.count {
            let end = min(start + DeletionDocument.keyCountMax, wholeKeys.count)
            failures += try await deleteWhole(Array(wholeKeys[start..<end]))
            start = end
        }
        if !failures.isEmpty { throw ObjectStorageError.deletionIncomplete(failures) }
    }

    /// Deletes objects of one request, again those that failed for a while, and returns what
    /// remains.
    private func deleteWhole(_ keys: [String]) async throws -> [UndeletedObject] {
        var attempts = Attempts(options)
        var keys = keys
        var permanent: [UndeletedObject] = []
        while true {
            var failures: [UndeletedObject] = []
            do {
                failures = try await send(
                    deletionRequest(keys), key: nil, within: attempts.remaining
                ) { [bucket = location.bucket] response, activity in
                    let body = try await HTTPTransport.collect(
                        response, upTo: UInt64(XMLReader.byteCountMax), activity)
                    return try DeletionDocument.undeletedObjects(in: body, bucket: bucket)
                }
            } catch {
                try await attempts.pause(after: error)
                continue
            }
            let transient = failures.filter(\.isTransient)
            permanent += failures.filter { !$0.isTransient }.map(relative)
            if transient.isEmpty { return permanent }
            keys = transient.map(\.key)
            do {
                try await attempts.pause(afterTransient: .deletionIncomplete(transient))
            } catch is ObjectStorageError {
                return permanent + transient.map(relative)
            }
        }
    }

    private func deletionRequest(_ keys: [String]) -> StorageRequest {
        let body = DeletionDocument.request(keys: keys)
        var request = StorageRequest(method: .POST, key: nil, query: [("delete", "")])
        request.payload = RequestPayload(bytes: body)
        request.headers = [
            // Older services ask for the first, newer ones take either.
            ("content-md5", BodyChecksum.base64(Insecure.MD5.hash(data: body))),
            (BodyChecksum.headerName, request.payload.checksum.base64),
            ("x-amz-sdk-checksum-algorithm", "SHA256"),
            ("content-type", "application/xml"),
        ]
        return request
    }

    private func relative(_ object: UndeletedObject) -> UndeletedObject {
        var object = object
        object.key = relativeKey(object.key)
        return object
    }
}

extension UndeletedObject {
    /// Whether a later attempt may delete the object.
    fileprivate var isTransient: Bool {
        ["InternalError", "SlowDown", "ServiceUnavailable", "OperationAborted"].contains(code)
    }
}
