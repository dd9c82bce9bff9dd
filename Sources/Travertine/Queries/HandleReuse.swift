/// Makes the handles of a loop, or lets one handle be that of one object after another.
///
/// A handle is used again only if nothing can tell: when nobody else refers to it, not even weakly,
/// and its class has nothing of its own beside persisted properties.
struct HandleReuse {
    /// How many handles in a row are found to be kept before it is given up.
    private static let missCountMax = 4

    /// The handle that was given out last, and its address.
    private var spare: ObjectBase?
    private var address: UnsafeRawPointer?
    private let soleWord = SoleReference.soleWord
    private var missesLeft: Int
    private let collections: RememberedCollections

    /// The class of the handles.
    private let type: ObjectBase.Type

    init(_ type: ObjectBase.Type, _ table: ObjectTable, isOn: Bool) {
        self.type = type
        let info = table.classInfo
        missesLeft =
            isOn && info?.type == type && info?.isHandleOnly == true ? Self.missCountMax : 0
        collections = RememberedCollections(type, table)
    }

    /// Forgets the handle.
    mutating func end() {
        spare = nil
        address = nil
    }

    /// A handle of a row.
    @inline(__always)
    mutating func handle(
        _ session: RealmSession, _ table: ObjectTable, _ key: UInt64, _ row: UnsafeRawBufferPointer
    ) -> ObjectBase {
        if let spare = takeSpare() {
            spare.key = key
            spare.isStaged = false
            _ = session.point(spare, to: row, table)
            return spare
        }
        return keep(make(session, table, FoundRow(key: key, bytes: row), isOwn: true))
    }

    /// A handle of an object whose row is looked up when it is first used.
    mutating func handle(_ session: RealmSession, _ table: ObjectTable, later key: UInt64)
        -> ObjectBase
    {
        if let spare = takeSpare() {
            spare.point(later: key)
            return spare
        }
        return keep(make(session, table, later: key, isOwn: true))
    }

    @inline(__always)
    private mutating func takeSpare() -> ObjectBase? {
        guard let address else { return nil }
        guard isKnownUniquelyReferenced(&spare), SoleReference.word(at: address) == soleWord else {
            missesLeft &-= 1
            return nil
        }
        guard let spare else { return nil }
        collections.forget(in: spare)
        return spare
    }

    @inline(never)
    private mutating func keep(_ made: ObjectBase) -> ObjectBase {
        spare = missesLeft > 0 ? made : nil
        address = spare.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        return made
    }

    /// A new handle of a row; `isOwn` tells whether it is of the class of the handles, and not of one
    /// that derives from it.
    func make(
        _ session: RealmSession, _ table: ObjectTable, _ row: FoundRow, isOwn: Bool
    ) -> ObjectBase {
        let object = newHandle(table, isOwn)
        object.bind(to: session, table, key: row.key, row: row.bytes)
        return object
    }

    /// A new handle of an object whose row is looked up when it is first used.
    func make(
        _ session: RealmSession, _ table: ObjectTable, later key: UInt64, isOwn: Bool
    ) -> ObjectBase {
        let object = newHandle(table, isOwn)
        object.bind(to: session, table, key: key)
        if table.hasUnwrappedProperties { object.bindUnwrappedProperties() }
        return object
    }

    private func newHandle(_ table: ObjectTable, _ isOwn: Bool) -> ObjectBase {
        isOwn || type is DynamicObject.Type ? type.newInstance() : table.info.type.newInstance()
    }
}

/// Tells objects to which there is one strong reference and no other, not even a weak one.
///
/// `isKnownUniquelyReferenced` tells the first; the rest is told by the word behind the metadata
/// pointer, in which Swift's runtime counts, or refers to where it counts once there are weak
/// references: it must be what it is in an object that nobody ever referred to otherwise. Should a
/// runtime count elsewhere, that word never or always matches: never is slower, and always would
/// let a weak reference see the next object instead of nil.
enum SoleReference {
    private final class Probe {}

    /// The word of an object with one strong reference.
    static let soleWord: UInt = {
        var probe: Probe? = Probe()
        let address = probe.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        guard let address, isKnownUniquelyReferenced(&probe) else { return 0 }
        let found = word(at: address)
        return withExtendedLifetime(probe) { found }
    }()

    /// The word of the object at an address.
    @inline(never)
    static func word(at address: UnsafeRawPointer) -> UInt {
        address.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self)
    }
}
