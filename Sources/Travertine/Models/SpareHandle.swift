import CPlatform

/// A handle that may become that of another object, and its address, which can be had without
/// another reference to it.
struct SpareHandle {
    private(set) var handle: ObjectBase?
    private let address: UnsafeRawPointer?

    init(_ handle: ObjectBase? = nil) {
        self.handle = handle
        address = handle.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    }

    var isEmpty: Bool { address == nil }

    /// Whether nobody else refers to the handle, not even weakly. `uniqueWord` is
    /// `UniqueReference.uniqueWord`, which the owner has at hand.
    @inline(__always)
    mutating func isFree(_ uniqueWord: UInt) -> Bool {
        guard let address, isKnownUniquelyReferenced(&handle) else { return false }
        return UniqueReference.word(at: address) == uniqueWord
    }
}

/// Finds out whether there is one strong reference to an object and no other, not even a weak one.
///
/// `isKnownUniquelyReferenced` says the first. The rest is in the word after the metadata pointer,
/// in which Swift's runtime counts, or refers to where it counts once there are weak references: it
/// must be what it is in an object that nobody ever referred to otherwise. Should a runtime count
/// elsewhere, that word never or always matches: never is slower, and always would let a weak
/// reference see the next object instead of nil.
enum UniqueReference {
    private final class Probe {}

    /// The word of an object with one strong reference.
    static let uniqueWord: UInt = {
        var probe: Probe? = Probe()
        let address = probe.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        guard let address, isKnownUniquelyReferenced(&probe) else { return 0 }
        let found = word(at: address)
        return withExtendedLifetime(probe) { found }
    }()

    /// The word of the object at an address, read at this point of the code.
    @inline(__always)
    static func word(at address: UnsafeRawPointer) -> UInt {
        travertine_load_word(address + MemoryLayout<UInt>.size)
    }
}
