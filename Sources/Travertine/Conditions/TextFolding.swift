@_spi(_Unicode) import Swift

/// What texts are compared by when letters count as alike (Q10): lowercased without locale, and
/// decomposed and freed from nonspacing marks.
enum TextFolding {
    /// The bytes of a text in which letters that are alike are the same.
    static func folded(_ text: String, _ options: StringOptions) -> [UInt8] {
        var text = options.contains(.caseInsensitive) ? text.lowercased() : text
        if options.contains(.diacriticInsensitive) {
            var scalars = String.UnicodeScalarView()
            for scalar in text._nfd
            where scalar.properties.generalCategory != .nonspacingMark {
                scalars.append(scalar)
            }
            text = String(scalars)
        }
        return Array(text.utf8)
    }

    /// The same of a text's UTF-8 bytes; makes a string only where one is not ASCII.
    static func folded(_ bytes: UnsafeRawBufferPointer, _ options: StringOptions) -> [UInt8] {
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            return folded(String(decoding: bytes, as: UTF8.self), options)
        }
        return options.contains(.caseInsensitive) ? bytes.map(lowercased) : Array(bytes)
    }

    /// An ASCII byte, of a capital letter that of the small one.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
