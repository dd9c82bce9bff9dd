import TravertineStore

/// A file of a store as it is stored: parts that follow each other.
struct ShippedFile: Codable, Hashable, Sendable {
    /// Its name in the store's directory.
    var name: String
    /// The salt of a segment, or the seed of a page file.
    var mark: HexadecimalNumber
    /// From the first byte to the last, without a gap; each is not empty.
    var parts: [ShippedPart]
    /// The part of the log that a segment has, without which no commit between points is found in
    /// it; nil for a page file.
    var log: ShippedLog?

    /// The bytes of all parts.
    var byteCount: UInt64 { parts.last?.end ?? 0 }

    /// Whether it is a segment of the log.
    var isSegment: Bool { imageFile?.isSegment ?? false }

    /// The number in the name of a segment; 0 for another file.
    var segmentNumber: UInt32 { imageFile.map { $0.isSegment ? $0.number : 0 } ?? 0 }

    private var imageFile: BackupImage.File? {
        BackupImage.File(name: name, mark: mark.value, byteCount: byteCount)
    }

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
        guard let imageFile else {
            throw ShippingError.damaged(key: key, "“\(name)” is no file of a store")
        }
        return imageFile
    }
}

/// The batches of a segment, and the segment that it follows.
struct ShippedLog: Codable, Hashable, Sendable {
    /// The LSN of its first batch.
    var firstLSN: UInt64
    /// The LSN of its last batch; one less than `firstLSN` if it has none.
    var lastLSN: UInt64
    /// The number of the segment before it in the log; 0 for none.
    var predecessor: UInt32
}

extension ShippedLog {
    /// What an image says of a segment.
    init(_ range: BackupImage.LogRange) {
        self.init(
            firstLSN: range.firstLSN, lastLSN: range.lastLSN, predecessor: range.predecessor)
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
