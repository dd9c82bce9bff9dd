/// A type whose `let` properties are persisted without `@Persisted`, in a class level that has no
/// `@Persisted` at all.
///
/// Nothing is between such a property and the code that reads it, so that the instance in the
/// field must have the location of its values: it gets that when its object becomes managed
/// (`bindUnwrappedProperties`), and it records itself when a key path leads through it.
///
/// Invariant: the field's bytes are those of `Persisted<Value>.storage` when it holds a value, for
/// the `valueType` of the field, so that whatever reads an unmanaged value through the wrapper's
/// `storage` reads the field.
protocol UnwrappedProperty: PersistedWrapper {
    /// Lets the field note what is asked of it on the way of a key path.
    static func attach(_ tracer: KeyPathTracer, at storage: UnsafeMutableRawPointer)
    /// Whether a value that a key path led to is the one in the field.
    static func holds(_ value: Any, at storage: UnsafeMutableRawPointer) -> Bool
}

extension UnwrappedProperty {
    static func attributes(at storage: UnsafeRawPointer) -> UInt8 { 0 }

    static func isSet(at storage: UnsafeRawPointer) -> Bool { true }

    static func setLocator(_ locator: PropertyLocator?, at storage: UnsafeMutableRawPointer) {}

    static func clearLocator(attributes: UInt8, at storage: UnsafeMutableRawPointer) {}

    static func forgetValue(at storage: UnsafeMutableRawPointer) {}

    // A collection takes care of its elements itself.
    static func takeValue(at storage: UnsafeMutableRawPointer) -> Any? { nil }
}

extension UnwrappedProperty where Self: _StoredCollection {
    static var valueType: any _Persistable.Type { Self.self }

    static func attach(_ tracer: KeyPathTracer, at storage: UnsafeMutableRawPointer) {
        unmanagedValue(storage)._attach(tracer)
    }

    static func holds(_ value: Any, at storage: UnsafeMutableRawPointer) -> Bool {
        (value as? Self) === unmanagedValue(storage)
    }
}

extension List: PersistedWrapper, UnwrappedProperty {}
extension MutableSet: PersistedWrapper, UnwrappedProperty {}
extension Map: PersistedWrapper, UnwrappedProperty {}

extension LinkingObjects: PersistedWrapper, UnwrappedProperty {
    static var valueType: any _Persistable.Type { Self.self }

    static func attach(_ tracer: KeyPathTracer, at storage: UnsafeMutableRawPointer) {}

    static func holds(_ value: Any, at storage: UnsafeMutableRawPointer) -> Bool {
        (value as? Self)?.isSameField(as: unmanagedValue(storage)) ?? false
    }
}

extension ObjectBase {
    /// Lets the fields without wrapper show the stored values of an object that is managed now.
    ///
    /// A dynamic object has none of the fields of the class that its table is of.
    @inline(never)
    final func bindUnwrappedProperties() {
        if self is DynamicObject { return }
        let info = table.info
        for property in info.properties where property.isUnwrapped {
            property.valueType._becameManaged(
                _memory + property.offset, of: self, at: property.offset)
        }
        for inverse in info.inverses where inverse.isUnwrapped {
            inverse.valueType._becameManaged(
                _memory + inverse.offset, of: self, at: inverse.offset)
        }
    }

    /// Lets the fields without wrapper note what a key path leads through.
    final func attachUnwrappedProperties(_ tracer: KeyPathTracer) {
        for field in ClassInfo.of(type(of: self)).unwrappedProperties {
            field.type.attach(
                KeyPathTracer(after: tracer, named: field.name), at: _memory + field.offset)
        }
    }

    /// The name of the field without wrapper that holds what a key path led to.
    final func nameOfUnwrappedProperty(holding value: Any) -> String? {
        ClassInfo.of(type(of: self)).unwrappedProperties.first {
            $0.type.holds(value, at: _memory + $0.offset)
        }?.name
    }
}
