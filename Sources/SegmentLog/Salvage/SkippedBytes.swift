/// Bytes of a source that nothing could be made of.
package struct SkippedBytes: Sendable, Hashable {
    package var source: Int
    package var position: Int
    package var byteCount: Int
}
