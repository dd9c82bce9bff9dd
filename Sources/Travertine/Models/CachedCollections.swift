import Synchronization

/// The collections that a handle has of its object, which must be removed from it before it becomes
/// the handle of another.
struct CachedCollections {
    /// A property that has a collection.
    private struct Property {
        let offset: Int
        let wrapper: any PersistedWrapper.Type
        /// Whether its value is a reference, which is the wrapper's first word; 0 if it has none.
        let isReference: Bool
    }

    private let properties: [Property]

    /// Those of handles of a class to objects of a table. Handles of another class than the
    /// table's, dynamic ones, have none.
    init(_ type: ObjectBase.Type, _ table: TableState) {
        let info = table.classInfo
        self.init(info?.type == type ? info : nil)
    }

    /// Those of handles of a class.
    init(_ info: ClassInfo?) {
        properties = (info?.properties ?? []).filter { $0.type.collection != .none }.map {
            Property(
                offset: $0.offset, wrapper: $0.wrapper,
                isReference: $0.wrapper.valueType is AnyObject.Type)
        }
    }

    /// Lets a handle make its collections anew; those that the program has stay as they are.
    @inline(__always)
    func forget(in handle: ObjectBase) {
        if !properties.isEmpty { forgetAll(in: handle) }
    }

    @inline(never)
    private func forgetAll(in handle: ObjectBase) {
        // Another thread may have referred to a frozen handle last, and made collections in it.
        atomicMemoryFence(ordering: .acquiring)
        for property in properties {
            let storage = handle._memory + property.offset
            // Most loops leave collections alone: no metadata are looked up for these.
            if property.isReference, storage.load(as: UInt.self) == 0 { continue }
            property.wrapper.forgetValue(at: storage)
        }
    }
}
