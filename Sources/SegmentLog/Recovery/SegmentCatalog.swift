/// The segment files of a directory, with their headers.
struct SegmentCatalog {
    private(set) var entries: [SegmentNumber: Entry] = [:]
    private(set) var numbers: [SegmentNumber] = []
    /// All numbers that files have, those below the first wanted one included.
    private(set) var allNumbers: [SegmentNumber] = []

    enum Entry {
        case header(SegmentHeader)
        case spare
        case bad(String)

        var header: SegmentHeader? {
            if case .header(let header) = self { return header }
            return nil
        }
    }

    /// Reads the headers of all segments from number `first` on. A writer may remove one at the
    /// same time: such a file counts as removed before.
    init(
        directory: String, identity: StoreIdentity, fileSystem: FileSystem, first: SegmentNumber
    ) throws(LogError) {
        let names: [String]
        do throws(FileSystemError) {
            names = try fileSystem.list(directory)
        } catch {
            throw .io(error)
        }
        allNumbers = names.compactMap { SegmentNumber(fileName: $0) }.sorted()
        numbers = allNumbers.filter { $0 >= first }
        try readHeaders(directory, identity, fileSystem, mayBeRemoved: true)
        numbers.removeAll { entries[$0] == nil }
        allNumbers.removeAll { $0 >= first && entries[$0] == nil }
    }

    /// Reads the headers of these segments, which must be there; by number.
    init(
        directory: String, identity: StoreIdentity, fileSystem: FileSystem,
        numbers: [SegmentNumber]
    ) throws(LogError) {
        allNumbers = numbers
        self.numbers = numbers
        try readHeaders(directory, identity, fileSystem, mayBeRemoved: false)
    }

    private mutating func readHeaders(
        _ directory: String, _ identity: StoreIdentity, _ fileSystem: FileSystem, mayBeRemoved: Bool
    ) throws(LogError) {
        for number in numbers {
            let path = number.path(in: directory)
            let decoded: SegmentHeader.Decoded
            do throws(FileSystemError) {
                let file = try fileSystem.open(path, .readOnly)
                defer { file.close() }
                decoded = try SegmentHeader.read(from: file)
            } catch  where mayBeRemoved && error.isNotFound {
                continue
            } catch {
                throw .io(error)
            }
            entries[number] = try Self.entry(
                decoded, number: number, path: path, identity: identity,
                isDecrypted: fileSystem.segmentAlgorithm != nil)
        }
    }

    private static func entry(
        _ decoded: SegmentHeader.Decoded, number: SegmentNumber, path: String,
        identity: StoreIdentity, isDecrypted: Bool
    ) throws(LogError) -> Entry {
        switch decoded {
        case .spare: return .spare
        case .damaged(let reason): return .bad(reason)
        case .newerFormat(let found):
            throw .newerFormat(
                path: path, found: found, supported: SegmentHeader.sealedFormatVersion)
        case .header(let header):
            guard header.identity.isOfSameStore(as: identity) else {
                throw .wrongStore(path: path, expected: identity, found: header.identity)
            }
            guard header.number == number else {
                return .bad("the header is that of segment \(header.number)")
            }
            if let algorithm = header.algorithm, !SegmentSeal.algorithms.contains(algorithm) {
                throw .newerFormat(
                    path: path, found: SegmentHeader.sealedFormatVersion,
                    supported: SegmentHeader.sealedFormatVersion)
            }
            if header.algorithm != nil, !isDecrypted {
                throw .damaged(
                    LogDamage(
                        file: path, offset: 0, lsn: nil,
                        reason: "the segment is encrypted, and the store is not"))
            }
            return .header(header)
        }
    }

    subscript(number: SegmentNumber) -> Entry? { entries[number] }

    /// The segment that goes on where `header`'s ends: the newest that names it as predecessor.
    func successor(of header: SegmentHeader) -> SegmentHeader? {
        for number in numbers.reversed() where number > header.number {
            guard let candidate = entries[number]?.header else { continue }
            if candidate.predecessor.number == header.number,
                candidate.predecessor.salt == header.salt
            {
                return candidate
            }
        }
        return nil
    }

    /// The first segment after a number that another one follows and that has no file.
    func firstAbsent(after number: SegmentNumber) -> SegmentNumber? {
        headers(after: number).map(\.predecessor.number)
            .filter { $0 > number && entries[$0] == nil }.min()
    }

    /// The log's first segment: the newest without a predecessor.
    var root: SegmentHeader? {
        for number in numbers.reversed() {
            if let header = entries[number]?.header, header.predecessor.number == .none {
                return header
            }
        }
        return nil
    }

    /// The valid headers with a number above `number`.
    func headers(after number: SegmentNumber) -> [SegmentHeader] {
        numbers.filter { $0 > number }.compactMap { entries[$0]?.header }
    }
}
