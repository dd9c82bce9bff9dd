/// What continuous backup needs of a storage service.
///
/// Keys are texts of ASCII letters, digits, `.`, `-` and `/`. Operations throw `StorageFailure`, or
/// `CancellationError` when their task was cancelled. All may run at the same time, on any task.
public protocol BackupStorage: Sendable {
    /// Stores an object whole, and returns the name of its new state.
    ///
    /// A conditional put throws `conditionFailed` only if it did not take place. After any other
    /// error it may have taken place.
    func put(
        _ bytes: [UInt8], at key: String, condition: StorageCondition
    ) async throws -> StorageTag

    /// Reads an object whole. Throws `notFound`, and `tooLarge` for one that is larger than
    /// `byteCountMax`.
    func get(_ key: String, byteCountMax: Int) async throws -> StoredContent

    /// Calls `body` for the objects whose keys begin with `prefix`, in the order of the keys'
    /// bytes.
    func list(prefix: String, _ body: (StoredItem) throws -> Void) async throws

    /// Deletes objects; those that do not exist count as deleted.
    func delete(_ keys: [String]) async throws

    /// The time of day by the service's clock, in milliseconds since 1970, as its newest answer
    /// said it; nil if none did. No point is older than it is at this time (U7).
    var timeMilliseconds: Int64? { get }
}

extension BackupStorage {
    /// Nil: the service does not say the time.
    public var timeMilliseconds: Int64? { nil }
}

/// Which state of an object a put requires.
public enum StorageCondition: Hashable, Sendable {
    /// None.
    case always
    /// There is no object of this key.
    case ifAbsent
    /// The object is in this state.
    case ifMatch(StorageTag)
}

/// The service's name for one state of an object. No two states of an object that is put
/// conditionally may have the same content.
public struct StorageTag: Hashable, Sendable {
    /// The name.
    public let value: String

    /// A tag of this name.
    public init(_ value: String) { self.value = value }
}

/// An object's content.
public struct StoredContent: Sendable {
    /// All bytes.
    public var bytes: [UInt8]
    /// The state that they are of.
    public var tag: StorageTag

    /// The content of a state.
    public init(bytes: [UInt8], tag: StorageTag) {
        self.bytes = bytes
        self.tag = tag
    }
}

/// An object as a listing shows it.
public struct StoredItem: Hashable, Sendable {
    /// The key.
    public var key: String
    /// The size in bytes.
    public var byteCount: UInt64

    /// An object of this key and size.
    public init(key: String, byteCount: UInt64) {
        self.key = key
        self.byteCount = byteCount
    }
}
