/// A pinned root: what it refers to stays until `unpin`.
///
/// Public only so that a read of another module can hold one; see `IndexFailure`.
public struct IndexPin: BitwiseCopyable, @unchecked Sendable {
    /// The root.
    package let root: UnsafePointer<RootHeader>
    let slot: UnsafeMutablePointer<PinSlot>
    /// The root's version; known also after the pin was given back, and the root freed.
    package let version: UInt64
}
