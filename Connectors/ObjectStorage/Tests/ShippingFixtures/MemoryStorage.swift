import StoreShipping
import Synchronization

/// Objects in memory, with conditional puts as S3 has them.
public final class MemoryStorage: BackupStorage {
    /// One state of an object.
    public struct Object: Sendable {
        /// The content.
        public var bytes: [UInt8]
        /// The name of the state.
        public var tag: StorageTag
    }

    /// All that is stored.
    public struct State: Sendable {
        /// The objects by their keys.
        public var objects: [String: Object] = [:]
        /// States of the manifest that were replaced, for reads that are not up to date.
        var earlierManifests: [Object] = []
        fileprivate var tagCount = 0
        fileprivate var putKeys: [String] = []
    }

    /// What is stored, for tests to change.
    public let state = Mutex(State())

    /// The time that it says, for tests to set; nil if it says none.
    public let time = Mutex<Int64?>(nil)

    /// A storage with nothing in it.
    public init() {}

    /// As the protocol says.
    public var timeMilliseconds: Int64? { time.withLock { $0 } }

    /// As the protocol says.
    public func put(
        _ bytes: [UInt8], at key: String, condition: StorageCondition
    ) async throws -> StorageTag {
        try putNow(bytes, key, condition)
    }

    private func putNow(
        _ bytes: [UInt8], _ key: String, _ condition: StorageCondition
    ) throws -> StorageTag {
        try state.withLock { state in
            let found = state.objects[key]
            switch condition {
            case .always: break
            case .ifAbsent:
                if found != nil { throw StorageFailure.conditionFailed(key: key) }
            case .ifMatch(let tag):
                guard let found else { throw StorageFailure.notFound(key: key) }
                if found.tag != tag { throw StorageFailure.conditionFailed(key: key) }
            }
            state.tagCount += 1
            if key == "manifest", let found { state.earlierManifests.append(found) }
            let tag = StorageTag("tag-\(state.tagCount)")
            state.objects[key] = Object(bytes: bytes, tag: tag)
            state.putKeys.append(key)
            return tag
        }
    }

    /// As the protocol says.
    public func get(_ key: String, byteCountMax: Int) async throws -> StoredContent {
        try state.withLock { state in
            guard let found = state.objects[key] else { throw StorageFailure.notFound(key: key) }
            guard found.bytes.count <= byteCountMax else {
                throw StorageFailure.tooLarge(key: key)
            }
            return StoredContent(bytes: found.bytes, tag: found.tag)
        }
    }

    /// As the protocol says.
    public func list(prefix: String, _ body: (StoredItem) throws -> Void) async throws {
        let items = state.withLock { state in
            state.objects.filter { $0.key.hasPrefix(prefix) }
                .map { StoredItem(key: $0.key, byteCount: UInt64($0.value.bytes.count)) }
        }
        for item in items.sorted(by: { $0.key < $1.key }) { try body(item) }
    }

    /// As the protocol says.
    public func delete(_ keys: [String]) async throws {
        state.withLock { state in
            for key in keys { state.objects[key] = nil }
        }
    }

    /// All keys with a prefix, in order.
    public func keys(_ prefix: String = "") -> [String] {
        state.withLock { $0.objects.keys.filter { $0.hasPrefix(prefix) }.sorted() }
    }

    /// The keys that were put since the last call.
    public func takePutKeys() -> [String] {
        state.withLock { state in
            defer { state.putKeys = [] }
            return state.putKeys
        }
    }

    /// Changes what is stored, as nobody should.
    public func change(_ key: String, _ body: (inout [UInt8]) -> Void) {
        state.withLock { state in
            guard var object = state.objects[key] else { return }
            body(&object.bytes)
            state.objects[key] = object
        }
    }
}
