/// Why an operation on a storage service failed.
public enum StorageFailure: Error, Hashable, Sendable {
    /// There is no object of this key.
    case notFound(key: String)
    /// The object is larger than what is read of it.
    case tooLarge(key: String)
    /// The object is not in the state that the condition names; nothing was changed.
    case conditionFailed(key: String)
    /// The service can't be reached, fails, or answers wrongly: the same may succeed later. A put
    /// may have taken place.
    case unavailable(String)
    /// The service refuses, and will go on doing so: no such bucket, a request that it does not
    /// know.
    case refused(String)
    /// The credentials are wrong, or do not permit it.
    case denied(String)
}

extension StorageFailure: CustomStringConvertible {
    /// One line: what failed and why.
    public var description: String {
        switch self {
        case .notFound(let key): "there is no object “\(key)”"
        case .tooLarge(let key): "the object “\(key)” is larger than it may be"
        case .conditionFailed(let key): "“\(key)” was changed by somebody else"
        case .unavailable(let reason), .refused(let reason), .denied(let reason): reason
        }
    }
}
