/// A reference to a node: in memory, or a page of a page file.
///
/// Eight bytes. 0 is no node; with bit 63 clear they are the node's address; with bit 63 set,
/// bits 62...32 are a page file's number and bits 31...0 the page in it. Only the last form occurs
/// in page files.
@usableFromInline
package struct NodeReference: Equatable, BitwiseCopyable, Sendable {
    /// The eight bytes.
    @usableFromInline package var bits: UInt64

    /// A reference from its eight bytes.
    @inlinable @inline(__always)
    package init(bits: UInt64) { self.bits = bits }

    /// A reference to a page.
    package init(file: UInt32, page: UInt32) {
        precondition(file < 1 << 31, "page file numbers have 31 bits")
        bits = 1 << 63 | UInt64(file) << 32 | UInt64(page)
    }

    /// The page referred to, or nil for a node in memory and for no node.
    package var page: (file: UInt32, page: UInt32)? {
        guard bits >> 63 == 1 else { return nil }
        return (
            UInt32(truncatingIfNeeded: bits >> 32) & 0x7fff_ffff, UInt32(truncatingIfNeeded: bits)
        )
    }
}
