/// Where a value of JSON ends, by its grammar alone.
public enum JSONEnd: Sendable, Equatable {
    /// After so many bytes.
    case at(Int)
    /// Not in the bytes that are there, all of which are right.
    case beyond
    /// Nowhere: it is not JSON.
    case nowhere

    /// The end of the value that bytes begin with, whatever its depth.
    public static func find(in bytes: UnsafeRawBufferPointer) -> JSONEnd {
        var scanner = JSONScanner(bytes)
        do throws(JSONFailure) {
            try scanner.skipValue()
            return .at(scanner.offset)
        } catch {
            return scanner.offset == bytes.count ? .beyond : .nowhere
        }
    }
}
