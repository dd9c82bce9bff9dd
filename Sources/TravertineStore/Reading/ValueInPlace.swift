/// What a look for a value in place gives for one that must be decompressed: bytes without an
/// address. Where it is returned, the value is asked for again, with a buffer around it; so that
/// reads of values that are not compressed take nothing but one comparison more.
@usableFromInline
enum ValueInPlace {
    @usableFromInline static var compressed: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
