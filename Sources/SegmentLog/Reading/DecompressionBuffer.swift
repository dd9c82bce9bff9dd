import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Memory that decompressed values are read from. Each thread keeps a few, so that a read of a
/// compressed value allocates nothing.
///
/// Code that needs a value while other code may read more takes a buffer with `take` and gives it
/// back; a value that is used at once is read through `current`.
package final class DecompressionBuffer {
    private var bytes: UnsafeMutableRawBufferPointer
    private var next: DecompressionBuffer?
    private static let byteCountMin = 64 << 10
    /// Larger ones are freed after use.
    private static let byteCountMax = 1 << 20

    private init() { bytes = .allocate(byteCount: Self.byteCountMin, alignment: 16) }

    deinit { bytes.deallocate() }

    /// Memory of exactly so many bytes, valid until the next call.
    func memory(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let isTooLarge = bytes.count > Self.byteCountMax && byteCount <= Self.byteCountMin
        if bytes.count < byteCount || isTooLarge {
            bytes.deallocate()
            bytes = .allocate(byteCount: max(byteCount, Self.byteCountMin), alignment: 16)
        }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount])
    }

    // MARK: The thread's buffers

    private static let key = makeThreadKey()

    private static var first: DecompressionBuffer? {
        pthread_getspecific(key).map {
            Unmanaged<DecompressionBuffer>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// The buffer of the calling thread; what is in it lives until the thread's next such read.
    package static var current: DecompressionBuffer {
        if let first { return first }
        let buffer = DecompressionBuffer()
        pthread_setspecific(key, Unmanaged.passRetained(buffer).toOpaque())
        return buffer
    }

    /// Takes a buffer out of the thread's, until it is given back on the same thread.
    package static func take() -> DecompressionBuffer {
        guard let buffer = first else { return DecompressionBuffer() }
        pthread_setspecific(key, buffer.next.map { Unmanaged.passRetained($0).toOpaque() })
        // The thread's reference to it; `next` holds another one until here.
        Unmanaged.passUnretained(buffer).release()
        buffer.next = nil
        return buffer
    }

    /// Gives a buffer back that the same thread has taken.
    package func give() {
        let known = pthread_getspecific(Self.key)
        // The chain takes over the reference that the thread had.
        next = known.map { Unmanaged<DecompressionBuffer>.fromOpaque($0).takeRetainedValue() }
        pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque())
    }
}
