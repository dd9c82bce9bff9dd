/// What values begin with, the elements of arrays and objects, and skipping values.
extension JSONScanner {
    /// What the next value begins with, after any space.
    @inlinable @inline(__always)
    public mutating func beginning() throws(JSONFailure) -> JSONBeginning {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .text
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case let byte? where byte == UInt8(ascii: "-") || byte &- 0x30 < 10: return .number
        default: throw noValue
        }
    }

    @usableFromInline var noValue: JSONFailure {
        failure(byte == nil ? "a value expected, the end found" : "a value expected")
    }

    /// Takes the bracket that begins an array or an object.
    @inlinable @inline(__always)
    public mutating func open() -> JSONElements {
        // Closing brackets follow their opening ones by two places in ASCII.
        let elements = JSONElements(closer: bytes[offset] + 2)
        offset += 1
        return elements
    }

    /// Takes what is before the next element; false, with the closing bracket taken, if there is
    /// none.
    @inlinable @inline(__always)
    public mutating func hasNext(_ elements: inout JSONElements) throws(JSONFailure) -> Bool {
        if take(elements.closer) { return false }
        if elements.isFirst {
            elements.isFirst = false
        } else if byte == UInt8(ascii: ",") {
            offset += 1
        } else {
            throw noElement(before: elements.closer)
        }
        return true
    }

    @usableFromInline
    func noElement(before closer: UInt8) -> JSONFailure {
        failure("\",\" or \(Self.quoted(closer)) expected, \(found) found")
    }

    /// Reads a name with its colon.
    public mutating func name() throws(JSONFailure) -> String {
        try beginName()
        let name = try string()
        try require(UInt8(ascii: ":"), "after a name")
        return name
    }

    /// Reads a value by its grammar alone, whatever its names.
    ///
    /// - Parameter depthMax: the most levels of arrays and objects.
    public mutating func skipValue(depthMax: Int = .max) throws(JSONFailure) {
        var open: [JSONElements] = []
        repeat {
            let start = offset
            switch try beginning() {
            case .object, .array:
                guard open.count < depthMax else {
                    throw failure("more than \(depthMax) levels", at: start)
                }
                open.append(self.open())
            case .text: try skipText()
            case .number: try skipNumber()
            case .null, .bool: break
            }
        } while try hasNext(in: &open)
    }

    /// Takes what is before the next value in the innermost of what is open, with the ends of what
    /// ends here; false if all does.
    private mutating func hasNext(in open: inout [JSONElements]) throws(JSONFailure) -> Bool {
        while !open.isEmpty {
            if try hasNext(&open[open.count - 1]) {
                if open[open.count - 1].closer == UInt8(ascii: "}") { try skipName() }
                return true
            }
            open.removeLast()
        }
        return false
    }

    private mutating func skipName() throws(JSONFailure) {
        try beginName()
        try skipText()
        try require(UInt8(ascii: ":"), "after a name")
    }

    /// Requires that a name comes next, after any space.
    @inlinable @inline(__always)
    public mutating func beginName() throws(JSONFailure) {
        skipSpace()
        if byte != UInt8(ascii: "\"") { throw noName }
    }

    @usableFromInline var noName: JSONFailure {
        failure("a name in quotes expected, \(found) found")
    }
}
