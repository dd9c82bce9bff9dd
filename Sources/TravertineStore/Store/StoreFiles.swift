import SegmentLog

/// The names of the files in a store's directory.
package enum StoreFiles {
    /// The root of the store.
    package static let manifest = "manifest"
    /// A manifest that is being written.
    package static let newManifest = "manifest.new"
    /// The manifest of a store that is being removed.
    package static let removedManifest = "manifest.removed"
    /// What a process holds while it has the store open; readers have their slots there.
    package static let lock = "lock"
    /// What is remembered of verification in the background.
    package static let scrub = "scrub"
    /// In a directory where a store is being made (`StorePlace`).
    static let building = "building"
    /// All files of fixed names.
    package static let others = [manifest, newManifest, removedManifest, lock, scrub, building]
    private static let pageSuffix = ".pages"
    private static let segmentSuffix = ".segment"
    private static let keyHashSuffix = ".keys"
    private static let digitCount = 10

    /// The directory that a path lies in.
    package static func parent(of path: String) -> String {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? path.dropLast() : Substring(path)
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    /// The name of a page file.
    package static func pageFile(_ number: UInt32) -> String { name(number, pageSuffix) }

    /// The name of the file with the key hashes of a segment.
    package static func keyHashFile(_ segment: UInt32) -> String { name(segment, keyHashSuffix) }

    private static func name(_ number: UInt32, _ suffix: String) -> String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, digitCount - digits.utf8.count))
        return zeros + digits + suffix
    }

    /// The number in the name of a page file, or nil for any other name.
    package static func pageFileNumber(of name: String) -> UInt32? {
        number(of: name, suffix: pageSuffix)
    }

    /// The number of the segment whose key hashes a file of this name has, or nil.
    package static func keyHashFileNumber(of name: String) -> UInt32? {
        number(of: name, suffix: keyHashSuffix)
    }

    /// The number in the name of a segment, or nil for any other name.
    package static func segmentNumber(of name: String) -> UInt32? {
        number(of: name, suffix: segmentSuffix)
    }

    private static func number(of name: String, suffix: String) -> UInt32? {
        guard name.hasSuffix(suffix), name.utf8.count == digitCount + suffix.utf8.count else {
            return nil
        }
        let digits = name.dropLast(suffix.count)
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        guard let number = UInt32(digits), number <= SegmentNumber.maximum.rawValue else {
            return nil
        }
        return number
    }
}

extension FileSystem {
    /// The bytes that a file takes on the disk; 0 if it can't be asked.
    package func allocatedByteCount(of path: String) -> Int {
        guard let file = try? open(path, .readOnly) else { return 0 }
        defer { file.close() }
        return Int((try? file.allocatedByteCount()) ?? 0)
    }
}

extension StoreFiles {
    /// Whether a file of this name is a segment or a page file.
    package static func isSegmentOrPages(_ name: String) -> Bool {
        segmentNumber(of: name) != nil || pageFileNumber(of: name) != nil
    }
}
