#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Members of RealmSwift's types, and functions, that are not there, and what to use instead. They
// are members of protocols and of structs, so that a class may have its own of the same name.

extension Realm.Configuration {
    /// Not there: Device Sync ended with its service.
    @available(*, unavailable, message: "Device Sync ended with its service")
    public var syncConfiguration: Any? {
        get { unavailableHere() }
        set { unavailableHere() }
    }
}
