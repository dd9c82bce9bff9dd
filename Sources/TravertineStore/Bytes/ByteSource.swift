#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Something that is a key or a value: it shows its bytes for the length of a call.
///
/// Keys are ordered by their bytes, as `memcmp` does. `UInt64` is eight bytes, big-endian, so that
/// its order is the order of the numbers.
public protocol ByteSource {
    /// Calls `body` with the bytes; they are valid only during the call.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

extension UnsafeRawBufferPointer: ByteSource {
    /// Calls `body` with the buffer itself.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }
}

extension [UInt8]: ByteSource {
    /// Calls `body` with the elements.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (buffer) throws(Failure) in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }
}

extension ArraySlice<UInt8>: ByteSource {
    /// Calls `body` with the elements.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes { capture($0, body) }.get()
    }
}

extension String: ByteSource {
    /// Calls `body` with the UTF-8 bytes; copies them only if the string is not stored as UTF-8.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var contiguous = self
        return try contiguous.withUTF8 { capture(UnsafeRawBufferPointer($0), body) }.get()
    }
}

extension Substring: ByteSource {
    /// Calls `body` with the UTF-8 bytes; copies them only if they are not stored as UTF-8.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let inPlace = utf8.withContiguousStorageIfAvailable {
            capture(UnsafeRawBufferPointer($0), body)
        }
        if let inPlace { return try inPlace.get() }
        return try String(self).withBytes(body)
    }
}

extension StaticString: ByteSource {
    /// Calls `body` with the UTF-8 bytes.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard hasPointerRepresentation else { return try description.withBytes(body) }
        return try body(UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount))
    }
}

extension Data: ByteSource {
    /// Calls `body` with the bytes.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes { capture($0, body) }.get()
    }
}

extension UInt64: ByteSource {
    /// Calls `body` with the eight bytes of the number, most significant first.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes(of: bigEndian) { capture($0, body) }.get()
    }
}

/// Turns a typed throw into a `Result`, to carry it through a function that rethrows untyped.
@inlinable
@inline(__always)
package func capture<Success, Failure: Error>(
    _ body: () throws(Failure) -> Success
) -> Result<Success, Failure> {
    do {
        return .success(try body())
    } catch {
        return .failure(error)
    }
}

/// As above, of a body that gets bytes.
@inlinable
@inline(__always)
package func capture<Success, Failure: Error>(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
) -> Result<Success, Failure> {
    capture { () throws(Failure) in try body(bytes) }
}
