/// A committed root on its way to being published.
package struct CommittedRoot: BitwiseCopyable, @unchecked Sendable {
    /// The root; valid until a newer one is published.
    package let root: UnsafePointer<RootHeader>

    /// The root's version.
    package var version: UInt64 { root.pointee.version }
}
