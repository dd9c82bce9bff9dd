import TravertineStore

/// A file of a store as it is stored: parts that follow each other.
struct ShippedFile: Codable, Hashable, Sendable {
    /// Its name in the store's directory.
    var name: String
    /// The salt of a segment, or the seed of a page file.
    var mark: HexadecimalNumber
    /// From the first byte to the last, without a gap; each is not empty.
    var parts: [ShippedPart]

    /// The bytes of all parts.
    var byteCount: UInt64 { parts.last?.end ?? 0 }

    /// The key of each part, with where it begins.
    var locatedParts: [(part: ShippedPart, start: UInt64, key: String)] {
        var start: UInt64 = 0
        return parts.map { part in
            defer { start = part.end }
            return (part, start, ObjectName.part(part, from: start, of: name, mark: mark))
        }
    }

    /// The file as an image has it.
    ///
    /// Throws `ShippingError.damaged` for a name of no store's file, and parts that do not follow
    /// each other.
    func imageFile(in key: String) throws -> BackupImage.File {
        var end: UInt64 = 0
        for part in parts {
            guard part.end > end, part.end - end <= UInt64(PartPlan.partByteCountMax) else {
                throw ShippingError.damaged(key: key, "the parts of \(name) do not fit together")
            }
            end = part.end
        }
        let file = BackupImage.File(name: name, mark: mark.value, byteCount: byteCount)
        guard let file else {
            throw ShippingError.damaged(key: key, "“\(name)” is no file of a store")
        }
        return file
    }
}

/// An object with the bytes of a file from the end of the part before to an offset.
struct ShippedPart: Codable, Hashable, Sendable {
    /// The number of the first point that refers to it.
    var point: UInt64
    /// The offset in the file after its last byte.
    var end: UInt64
    /// The hash of its bytes.
    var sha256: ContentHash
}

/// Files that several points share: an object of `lists`.
struct FileList: Codable, Hashable, Sendable {
    var files: [ShippedFile]
}

/// Where a list is, and what it must be.
struct ListReference: Codable, Hashable, Sendable {
    /// The number of the first point that refers to it.
    var point: UInt64
    /// The hash of the object.
    var sha256: ContentHash
}
