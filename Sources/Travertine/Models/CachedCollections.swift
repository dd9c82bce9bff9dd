/// The collections that a handle has of its object, which must be removed from it before it becomes
/// the handle of another.
struct CachedCollections {
    private let properties: [ClassInfo.Property]

    /// Those of handles of a class to objects of a table. Handles of another class than the
    /// table's, dynamic ones, have none.
    init(_ type: ObjectBase.Type, _ table: TableState) {
        let info = table.classInfo
        self.init(info?.type == type ? info : nil)
    }

    /// Those of handles of a class.
    init(_ info: ClassInfo?) {
        properties = info?.properties.filter { $0.type.collection != .none } ?? []
    }

    /// Lets a handle make its collections anew; those that the program has stay as they are.
    @inline(__always)
    func forget(in handle: ObjectBase) {
        if !properties.isEmpty { forgetAll(in: handle) }
    }

    @inline(never)
    private func forgetAll(in handle: ObjectBase) {
        for property in properties {
            property.wrapper.forgetValue(at: handle._memory + property.offset)
        }
    }
}
