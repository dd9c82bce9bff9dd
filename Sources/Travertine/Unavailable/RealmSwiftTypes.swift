// Types of RealmSwift that are not there, and what to use instead.

/// Not there: enums conform to `PersistableEnum`.
@available(*, unavailable, renamed: "PersistableEnum")
public protocol RealmEnum {}

/// Not there: changes are not reported yet.
@available(*, unavailable, message: "nothing can be observed yet: call refresh() and compare")
public enum RealmCollectionChange<Collection> {
    /// Not there.
    case initial(Collection)
    /// Not there.
    case update(Collection, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Not there.
    case error(any Swift.Error)
}

/// Not there: changes are not reported yet.
@available(*, unavailable, message: "nothing can be observed yet: call refresh() and compare")
public enum RealmMapChange<Collection> {
    /// Not there.
    case initial(Collection)
    /// Not there.
    case update(Collection, deletions: [String], insertions: [String], modifications: [String])
    /// Not there.
    case error(any Swift.Error)
}

/// Not there: changes are not reported yet.
@available(*, unavailable, message: "nothing can be observed yet: call refresh() and compare")
public enum ObjectChange<Object> {
    /// Not there.
    case error(any Swift.Error)
    /// Not there.
    case change(Object, [PropertyChange])
    /// Not there.
    case deleted
}

/// Not there: changes are not reported yet.
@available(*, unavailable, message: "nothing can be observed yet: call refresh() and compare")
public struct PropertyChange {
    /// Not there.
    public let name: String
    /// Not there.
    public let oldValue: Any?
    /// Not there.
    public let newValue: Any?
}

/// Not there: Device Sync ended with its service.
@available(*, unavailable, message: "Device Sync ended with its service")
public struct SyncConfiguration {}

/// Not there: there is no Objective-C.
@available(*, unavailable, message: "there is no Objective-C: use the Swift types")
public enum ObjectiveCSupport {}

/// Not there: Combine.
@available(*, unavailable, message: "Combine publishers are not there: call refresh() and compare")
public enum RealmPublishers {}

/// Not there: SwiftUI.
@available(*, unavailable, message: "SwiftUI wrappers are not there: keep Results, call refresh()")
@propertyWrapper
public struct ObservedResults<Element> {
    /// Not there.
    public init(_ type: Element.Type) { unavailableHere() }
    /// Not there.
    public var wrappedValue: Element { unavailableHere() }
}

/// Not there: SwiftUI.
@available(*, unavailable, message: "SwiftUI wrappers are not there: keep the object itself")
@propertyWrapper
public struct ObservedRealmObject<Value> {
    /// Not there.
    public init(wrappedValue: Value) { unavailableHere() }
    /// Not there.
    public var wrappedValue: Value { unavailableHere() }
}

/// Not there: SwiftUI.
@available(*, unavailable, message: "SwiftUI wrappers are not there: keep the object itself")
@propertyWrapper
public struct StateRealmObject<Value> {
    /// Not there.
    public init(wrappedValue: Value) { unavailableHere() }
    /// Not there.
    public var wrappedValue: Value { unavailableHere() }
}
