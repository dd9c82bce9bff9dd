@testable import SegmentLog
@testable import Travertine
@testable import TravertineStore

/// Inputs that are one structure, read by one function.
enum SmallInput {
    // MARK: Retirement tables

    static func runRetirement(_ input: [UInt8]) {
        guard let table = input.withUnsafeBytes({ RetirementTable(decoding: $0) }) else { return }
        let encoded = table.encoded
        let again = encoded.withUnsafeBytes { RetirementTable(decoding: $0) }
        if again != table { StoreUse.fail("a table is another after it was written") }
        for stretch in table.stretches {
            guard
                table.stretch(holding: stretch.lastLSN) != nil || stretch.firstLSN > stretch.lastLSN
            else { StoreUse.fail("a table does not find what it holds") }
            _ = table.stretch(after: stretch.predecessor)
            var changed = table
            let number = SegmentNumber(rawValue: stretch.number.rawValue &+ 1)
            guard number > stretch.number else { continue }
            changed.add(
                SegmentSummary(
                    number: number, byteCount: 4096, endOffset: 128,
                    firstLSN: stretch.lastLSN.next, lastLSN: stretch.lastLSN.next, salt: 1,
                    predecessor: SegmentHeader.Predecessor(
                        number: stretch.number, salt: 1, endOffset: 128,
                        lastLSN: stretch.lastLSN)), RetirementTable.Continuation())
            if !changed.contains(number) { StoreUse.fail("a table lacks what was added") }
        }
    }

    static func retirementSeeds() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for numbers in [[UInt32(1)], [1, 2, 5], [3, 4, 9, 11]] {
            var table = RetirementTable()
            for number in numbers {
                var continuation = RetirementTable.Continuation()
                continuation.outcome = number % 2 == 0 ? .open : .committed
                table.add(
                    SegmentSummary(
                        number: SegmentNumber(rawValue: number), byteCount: 4096,
                        endOffset: 4096, firstLSN: LSN(rawValue: UInt64(number) * 10),
                        lastLSN: LSN(rawValue: UInt64(number) * 10 + 9), salt: 5,
                        predecessor: SegmentHeader.Predecessor(
                            number: SegmentNumber(rawValue: number - 1), salt: 5, endOffset: 4096,
                            lastLSN: LSN(rawValue: UInt64(number) * 10 - 1))), continuation)
            }
            seeds.append(table.encoded)
        }
        return seeds
    }

    // MARK: Key hashes

    private static let keysSegment = SegmentSummary(
        number: SegmentNumber(rawValue: 1), byteCount: 4096, endOffset: 1000,
        firstLSN: LSN(rawValue: 1), lastLSN: LSN(rawValue: 9), salt: 7, predecessor: .none)

    /// The first byte: bit 0 seals. Then a file of key hashes.
    static func runKeys(_ input: [UInt8]) {
        guard let way = input.first else { return }
        var file = Sealing(Array(input.dropFirst()))
        if way & 1 == 1 { file.sealEnd() }
        let name = StoreFiles.keyHashFile(1)
        let machine = InputMachine([name: file.bytes])
        LogInput.inspect(name, [name: file.bytes])
        let keys = KeyHashFile(
            of: keysSegment, identity: LogInput.identity, directory: InputMachine.path,
            fileSystem: machine.fileSystem)
        guard let hashes = keys.read() else { return }
        for hash in hashes.hashes.prefix(100) { _ = hashes.contains(hash) }
    }

    static func keySeeds() throws -> [[UInt8]] {
        try [[], [1], [5, 9, 80, 4_000_000_000]].flatMap { (hashes: [UInt32]) -> [[UInt8]] in
            let machine = InputMachine(["x": []])
            KeyHashFile(
                of: keysSegment, identity: LogInput.identity, directory: InputMachine.path,
                fileSystem: machine.fileSystem
            ).write(KeyHashes(hashes: hashes))
            let files = machine.fileSystem.contents(of: InputMachine.path)
            guard let bytes = files[StoreFiles.keyHashFile(1)] else {
                throw StoreError(.notFound, "No file of key hashes was written.")
            }
            return [[1] + bytes, [0] + bytes]
        }
    }

    // MARK: Schema records

    /// The first byte: even a type record, odd a layout record.
    static func runSchema(_ input: [UInt8]) throws {
        guard let kind = input.first else { return }
        let rest = Array(input.dropFirst())
        if kind % 2 == 0 {
            let type = try rest.withUnsafeBytes { try StoredObjectType(encoded: $0) }
            let encoded = type.encoded
            let again = try encoded.withUnsafeBytes { try StoredObjectType(encoded: $0) }
            if again != type { StoreUse.fail("a type is another after it was written") }
        } else {
            let layout = try rest.withUnsafeBytes { try Layout(number: 1, encoded: $0) }
            for entry in layout.entries { _ = layout.place(of: entry) }
            let encoded = layout.encoded
            let again = try encoded.withUnsafeBytes { try Layout(number: 1, encoded: $0) }
            if again.entries != layout.entries {
                StoreUse.fail("a layout is another after it was written")
            }
        }
    }

    static func schemaSeeds() throws -> [[UInt8]] {
        var type = StoredObjectType(number: 1, name: "Person")
        type.rows = KeyspaceID(rawValue: 3)
        type.pieces = KeyspaceID(rawValue: 4)
        let kinds: [(PropertyType, CollectionKind)] = [
            (.int, .none), (.string, .none), (.object, .list), (.any, .map), (.date, .none),
        ]
        for (place, kind) in kinds.enumerated() {
            type.properties.append(
                StoredProperty(
                    number: UInt32(place + 1), name: "p\(place)", type: kind.0,
                    isOptional: place % 2 == 0, collection: kind.1, target: "Dog",
                    isPrimaryKey: place == 0, isIndexed: place == 1))
        }
        let layout: [UInt8] =
            [1, 0, 12, 0, 2, 0, 0, 0] + [1, 0, 0, 0, 0, 1, 0, 0, 7, 0, 0, 0]
            + [2, 0, 0, 0, 2, 0, 16, 0, 8, 0, 0, 0]
        return [[0] + type.encoded, [1] + layout]
    }
}
