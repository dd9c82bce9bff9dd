// Types of RealmSwift that are not there, and what to use instead.

/// Not there: enums conform to `PersistableEnum`.
@available(*, unavailable, renamed: "PersistableEnum")
public protocol RealmEnum {}

/// Not there: Device Sync ended with its service.
@available(*, unavailable, message: "Device Sync ended with its service")
public struct SyncConfiguration {}

/// Not there: there is no Objective-C.
@available(*, unavailable, message: "there is no Objective-C: use the Swift types")
public enum ObjectiveCSupport {}

/// Not there: Combine.
@available(
    *, unavailable,
    message: "Combine publishers are not there: use observe(_:), or the sequence of `changes`"
)
public enum RealmPublishers {}

/// Not there: SwiftUI.
@available(
    *, unavailable,
    message:
        "SwiftUI wrappers are not there: keep Results and use observe(_:), the sequence of `changes`, or withObservationTracking"
)
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
