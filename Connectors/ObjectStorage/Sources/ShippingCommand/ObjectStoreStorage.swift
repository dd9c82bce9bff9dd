import ObjectStorage
import StoreShipping

/// One operation on the storage, with all its attempts.
final class StorageOperation: Sendable {
    /// The operation that the current task performs.
    @TaskLocal static var current: StorageOperation?
}

/// A prefix of an S3 bucket as what continuous backup needs of it.
struct ObjectStoreStorage: BackupStorage {
    let store: ObjectStore
    /// Called after each operation, with whether it succeeded.
    let ended: @Sendable (StorageOperation, Bool) -> Void

    func put(
        _ bytes: [UInt8], at key: String, condition: StorageCondition
    ) async throws -> StorageTag {
        try await translating {
            let tag = try await store.put(
                .bytes(bytes), at: key, condition: try Self.condition(condition))
            return StorageTag(tag.value)
        }
    }

    func get(_ key: String, byteCountMax: Int) async throws -> StoredContent {
        try await translating {
            do {
                let content = try await store.get(key, byteCountMax: UInt64(byteCountMax))
                return StoredContent(
                    bytes: content.bytes, tag: StorageTag(content.attributes.entityTag.value))
            } catch ObjectStorageError.responseTooLarge {
                throw StorageFailure.tooLarge(key: key)
            }
        }
    }

    func list(prefix: String, _ body: (StoredItem) throws -> Void) async throws {
        try await translating {
            for try await object in store.list(prefix: prefix) {
                try body(StoredItem(key: object.key, byteCount: object.byteCount))
            }
        }
    }

    func delete(_ keys: [String]) async throws {
        try await translating { try await store.delete(keys) }
    }

    var timeMilliseconds: Int64? { store.serviceSecondsSince1970.map { $0 * 1000 } }

    private static func condition(_ condition: StorageCondition) throws -> PutCondition {
        switch condition {
        case .always: return .always
        case .ifAbsent: return .ifAbsent
        case .ifMatch(let tag):
            guard let tag = EntityTag(tag.value) else {
                throw StorageFailure.unavailable("the service gave a tag that can't be sent back")
            }
            return .ifMatch(tag)
        }
    }

    private func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
        let operation = StorageOperation()
        var hasSucceeded = false
        defer { ended(operation, hasSucceeded) }
        do {
            let result = try await StorageOperation.$current.withValue(operation) {
                try await body()
            }
            hasSucceeded = true
            return result
        } catch let error as ObjectStorageError {
            throw StorageFailure(error)
        } catch let error as StorageConfigurationError {
            // Credentials are read again when they have expired.
            throw StorageFailure.denied("\(error)")
        }
    }
}

extension StorageFailure {
    /// What an error of the client means for a backup.
    init(_ error: ObjectStorageError) {
        switch error {
        case .notFound(let key): self = .notFound(key: key)
        case .conditionFailed(let key): self = .conditionFailed(key: key)
        case .accessDenied: self = .denied("\(error)")
        case .invalidArgument, .bucketNotFound, .wrongRegion, .bodyTooLarge, .responseTooLarge,
            .rangeNotSatisfiable, .closed:
            self = .refused("\(error)")
        case .server(let answer):
            let isRefusal = answer.status == 501 || (400..<500).contains(answer.status)
            self = isRefusal && !error.isTransient ? .refused("\(error)") : .unavailable("\(error)")
        case .outcomeUnknown, .throttled, .timedOut, .malformedResponse, .checksumMismatch,
            .unreachable, .connectionLost, .deletionIncomplete, .file:
            self = .unavailable("\(error)")
        }
    }
}
