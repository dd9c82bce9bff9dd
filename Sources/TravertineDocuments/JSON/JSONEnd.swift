/// Where a value of JSON ends, by its grammar alone.
enum JSONEnd: Equatable {
    /// Behind so many bytes.
    case at(Int)
    /// Not in the bytes that are there, all of which are right.
    case beyond
    /// Nowhere: it is not JSON.
    case nowhere

    /// The end of the value that bytes begin with, whatever its depth.
    static func find(in bytes: UnsafeRawBufferPointer) -> JSONEnd {
        var search = Search(scanner: JSONScanner(bytes))
        do throws(DocumentError) {
            try search.value()
            return .at(search.scanner.offset)
        } catch {
            return search.scanner.offset == bytes.count ? .beyond : .nowhere
        }
    }

    private struct Search {
        var scanner: JSONScanner
        /// The brackets that end what is open.
        private var closers: [UInt8] = []

        init(scanner: JSONScanner) { self.scanner = scanner }

        mutating func value() throws(DocumentError) {
            while true {
                // A value stands here; what is opened goes on with one inside.
                if try open() { continue }
                while let closer = closers.last {
                    if scanner.take(closer) {
                        closers.removeLast()
                        continue
                    }
                    try scanner.require(UInt8(ascii: ","), "between elements")
                    if closer == UInt8(ascii: "}") { try name() }
                    break
                }
                if closers.isEmpty { return }
            }
        }

        /// Takes a single value or an empty one, or opens one; true for the last.
        private mutating func open() throws(DocumentError) -> Bool {
            scanner.skipSpace()
            switch scanner.byte {
            case UInt8(ascii: "{"):
                scanner.offset += 1
                if scanner.take(UInt8(ascii: "}")) { return false }
                closers.append(UInt8(ascii: "}"))
                try name()
                return true
            case UInt8(ascii: "["):
                scanner.offset += 1
                if scanner.take(UInt8(ascii: "]")) { return false }
                closers.append(UInt8(ascii: "]"))
                return true
            case UInt8(ascii: "\""): _ = try scanner.string()
            case UInt8(ascii: "t"): try scanner.word("true")
            case UInt8(ascii: "f"): try scanner.word("false")
            case UInt8(ascii: "n"): try scanner.word("null")
            default: _ = try scanner.number()
            }
            return false
        }

        private mutating func name() throws(DocumentError) {
            scanner.skipSpace()
            _ = try scanner.string()
            try scanner.require(UInt8(ascii: ":"), "behind a name")
        }
    }
}
