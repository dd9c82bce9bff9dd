import TravertineStore

/// What schema discovery and handles need of a wrapper in a class.
protocol PersistedWrapper: SendableMetatype {
    static var valueType: any _Persistable.Type { get }
    /// The attributes of the wrapper at an address.
    static func attributes(at storage: UnsafeRawPointer) -> UInt8
    /// Whether the wrapper at an address has a value: an initial one, or one that was set or read.
    static func isSet(at storage: UnsafeRawPointer) -> Bool
    /// Stores which property of which managed object the wrapper at an address is.
    static func setLocator(_ locator: PropertyLocator?, at storage: UnsafeMutableRawPointer)
    /// Stores that its object is unmanaged again, and the attributes that it was declared with.
    static func clearLocator(attributes: UInt8, at storage: UnsafeMutableRawPointer)
    /// Removes the value that the wrapper at an address has made of the row.
    static func forgetValue(at storage: UnsafeMutableRawPointer)
    /// Takes the value out of the wrapper at an address of an object that is released, where it can
    /// be taken.
    static func takeValue(at storage: UnsafeMutableRawPointer) -> Any?
}

extension Persisted: PersistedWrapper {
    static var valueType: any _Persistable.Type { Value.self }

    static func attributes(at storage: UnsafeRawPointer) -> UInt8 {
        storage.assumingMemoryBound(to: Self.self).pointee.attributes
    }

    static func isSet(at storage: UnsafeRawPointer) -> Bool {
        storage.assumingMemoryBound(to: Self.self).pointee.storage != nil
    }

    static func forgetValue(at storage: UnsafeMutableRawPointer) {
        storage.assumingMemoryBound(to: Self.self).pointee.storage = nil
    }

    static func takeValue(at storage: UnsafeMutableRawPointer) -> Any? {
        storage.assumingMemoryBound(to: Self.self).pointee.storage.take()
    }
}
