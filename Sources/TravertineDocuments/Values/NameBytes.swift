/// A name by its bytes in UTF-8.
///
/// `String` takes "é" of one scalar and of two for equal; in BSON these are two names.
struct NameBytes: Hashable, ExpressibleByStringLiteral {
    let text: String

    init(_ text: String) { self.text = text }

    init(stringLiteral value: String) { text = value }

    static func == (left: NameBytes, right: NameBytes) -> Bool {
        left.text.isName(right.text)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether the bytes are those of another name.
    func isName(_ other: String) -> Bool {
        // Strings of the same bytes are equal, and only ASCII has as many bytes as UTF-16 code
        // units; where that is equal to something of as many bytes, it is the same.
        self == other && utf8.count == other.utf8.count
            && (utf16.count == utf8.count || utf8.elementsEqual(other.utf8))
    }
}

extension Sequence<String> {
    /// Whether a name is among these, byte by byte.
    func containsName(_ name: String) -> Bool { contains { $0.isName(name) } }
}
