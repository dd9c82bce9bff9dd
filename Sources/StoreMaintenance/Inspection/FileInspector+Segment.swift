import SegmentLog
import TravertineStore

/// Segments, batches and records; also batches in files that are no segments.
extension FileInspector {
    mutating func inspectSegment(_ selection: FileInspection.Selection) {
        switch selection {
        case .overview(let limit):
            if inspection.kind == .segment { addSegmentHeader() }
            let (count, isTooLarge) = inspection.parts.count.addingReportingOverflow(limit)
            listBatches(limit: isTooLarge ? .max : count)
        case .lsn(let wanted):
            forEachStretch { inspector, offset, stretch in
                guard case .batch(let batch) = stretch, batch.lsn.rawValue == wanted else {
                    return true
                }
                inspector.addBatch(batch, at: offset, recordAt: nil)
                return false
            }
        case .offset(let wanted):
            if inspection.kind == .segment, (0..<SegmentHeader.byteCount).contains(wanted) {
                addSegmentHeader()
                return
            }
            forEachStretch { inspector, offset, stretch in
                guard (offset..<offset + stretch.byteCount).contains(wanted) else { return true }
                switch stretch {
                case .batch(let batch):
                    let isHeader = wanted < offset + BatchHeader.byteCount
                    inspector.addBatch(batch, at: offset, recordAt: isHeader ? nil : wanted)
                case .other(let byteCount):
                    inspector.addOther(
                        at: max(offset, wanted & ~15), min(byteCount, offset + byteCount - wanted))
                }
                return false
            }
        }
    }

    /// A stretch of a file: a valid batch, or bytes that are none.
    private enum Stretch {
        case batch(BatchHeader)
        case other(Int)

        var byteCount: Int {
            switch self {
            case .batch(let batch): Int(batch.byteCount)
            case .other(let byteCount): byteCount
            }
        }
    }

    /// Calls `body` with each stretch until it says false.
    private mutating func forEachStretch(
        _ body: (inout FileInspector, Int, Stretch) -> Bool
    ) {
        var offset = inspection.kind == .segment ? SegmentHeader.byteCount : 0
        while offset < window.byteCount {
            if let batch = FragmentReader.batch(in: window, at: offset) {
                if !body(&self, offset, .batch(batch)) { return }
                offset += Int(batch.byteCount)
            } else {
                let next = FragmentReader.nextBatch(in: window, from: offset) ?? window.byteCount
                if !body(&self, offset, .other(next - offset)) { return }
                offset = next
            }
        }
    }

    private mutating func addSegmentHeader() {
        var problem: String?
        var isSealed = false
        switch SegmentHeader.decode(bytes(at: 0, SegmentHeader.byteCount)) {
        case .damaged(let reason): problem = reason
        case .newerFormat(let version): problem = "format version \(version)"
        case .header(let header): isSealed = header.algorithm != nil
        case .spare: break
        }
        if isSealed, !window.isDecrypted { problem = "it is encrypted: give the key of its store" }
        add("segment header", at: 0, SegmentHeader.byteCount, problem: problem) { reader in
            reader.bytes("magic", 8)
            reader.number("format version", UInt32.self)
            reader.number("flags", UInt32.self) {
                $0 & 1 == 1 ? "\($0): output of compaction" : "\($0)"
            }
            reader.uuid("store UUID", highFirst: false)
            reader.number("lineage", UInt64.self) { hex($0, 16) }
            reader.number("segment number", UInt32.self)
            reader.zeros(4)
            reader.number("salt", UInt64.self) { hex($0, 16) }
            reader.number("first LSN", UInt64.self)
            reader.number("predecessor: number", UInt32.self) { $0 == 0 ? "0: none" : "\($0)" }
            reader.zeros(4)
            reader.number("predecessor: salt", UInt64.self) { hex($0, 16) }
            reader.number("predecessor: end offset", UInt64.self)
            reader.number("predecessor: last LSN", UInt64.self)
            reader.number("segment byte count", UInt64.self)
            reader.number("durable LSN", UInt64.self)
            if isSealed {
                reader.algorithm()
                reader.number("check of the header, or random", UInt64.self) { hex($0, 16) }
            } else {
                reader.zeros(12)
            }
            reader.number("checksum", UInt32.self) { hex($0, 8) }
        }
    }

    private mutating func listBatches(limit: Int) {
        forEachStretch { inspector, offset, stretch in
            var part: FileInspection.Part
            switch stretch {
            case .batch(let batch):
                inspector.batchCount += 1
                part = FileInspection.Part(
                    title: Self.title(of: batch), offset: offset, byteCount: stretch.byteCount)
                if Int(batch.offset) != offset {
                    part.problem = "it belongs at offset \(batch.offset) of its segment"
                }
            case .other(let byteCount):
                guard inspector.holdsSomething(at: offset, byteCount) else { return true }
                part = FileInspection.Part(
                    title: "no batch", offset: offset, byteCount: byteCount,
                    problem: "no valid batch begins here")
            }
            if inspector.inspection.parts.count < limit {
                inspector.inspection.parts.append(part)
            } else {
                inspector.inspection.omittedPartCount += 1
            }
            return true
        }
    }

    private static func title(of batch: BatchHeader) -> String {
        var title = "batch, LSN \(batch.lsn), \(batch.recordCount) records"
        if batch.transactionFirstLSN != batch.lsn {
            title += ", of the transaction from LSN \(batch.transactionFirstLSN) on"
        }
        if !batch.isLast { title += ", not its transaction's last" }
        if batch.flags & BatchHeader.compactionFlag != 0 { title += ", compaction" }
        return title
    }

    /// Whether a stretch is more than zeros.
    private func holdsSomething(at offset: Int, _ byteCount: Int) -> Bool {
        var position = offset
        while position < offset + byteCount {
            let part = bytes(at: position, min(64 << 10, offset + byteCount - position))
            if part.isEmpty { return false }
            if part.contains(where: { $0 != 0 }) { return true }
            position += part.count
        }
        return false
    }

    private mutating func addOther(at offset: Int, _ byteCount: Int) {
        add(
            "no batch", at: offset, min(byteCount, 256), problem: "no valid batch covers this place"
        ) { _ in }
    }

    /// Adds a batch with all its records, or only the record at an offset.
    private mutating func addBatch(_ batch: BatchHeader, at offset: Int, recordAt wanted: Int?) {
        add(Self.title(of: batch), at: offset, BatchHeader.byteCount, problem: nil) { reader in
            reader.bytes("magic", 4)
            reader.number("checksum", UInt32.self) { hex($0, 8) }
            reader.number("LSN", UInt64.self)
            reader.number("salt of the segment", UInt64.self) { hex($0, 16) }
            reader.number("offset of this batch", UInt32.self)
            reader.number("byte count", UInt32.self)
            reader.number("transaction's first LSN", UInt64.self)
            reader.number("durable LSN", UInt64.self)
            reader.number("record count", UInt32.self)
            reader.number("flags", UInt32.self) {
                let names = [($0 & 1, "last of its transaction"), ($0 & 2, "compaction")]
                    .filter { $0.0 != 0 }.map(\.1)
                return names.isEmpty ? "\($0)" : "\($0): \(names.joined(separator: ", "))"
            }
            if batch.isSealed {
                reader.number("activation", UInt64.self) { hex($0, 16) }
            } else {
                reader.zeros(8)
            }
        }
        var places: [(offset: Int, byteCount: Int, kind: RecordKind)] = []
        FragmentReader.forEachRecord(
            of: batch, at: offset, in: window, number: .none, expandsPacks: false
        ) {
            places.append(($1, $0.storedByteCount, $0.kind))
        }
        for (place, byteCount, kind) in places {
            if let wanted, !(place..<place + byteCount).contains(wanted) { continue }
            addRecord(kind, at: place, byteCount)
        }
    }

    /// The parts of a pack's value.
    private static func readPack(_ reader: inout FieldReader) {
        let count = Int(reader.number("entry count", UInt16.self) ?? 0)
        reader.number("form of the block", UInt16.self) {
            $0 == 0 ? "0: LZ4" : $0 == 1 ? "1: the values as they are" : "\($0)"
        }
        let directoryByteCount = Int(reader.number("directory byte count", UInt32.self) ?? 0)
        let blockByteCount = Int(reader.number("block byte count", UInt32.self) ?? 0)
        reader.bytes("ends of the values", 2 * count)
        reader.bytes("directory", directoryByteCount, shown: 512)
        reader.bytes("block", blockByteCount, shown: 32)
    }

    /// The stretches of a retirement table.
    private static func readRetirementTable(_ count: Int, _ reader: inout FieldReader) {
        for place in 0..<min(count, 1000) {
            let name = "stretch \(place)"
            reader.number("\(name): last segment", UInt32.self)
            reader.number("\(name): predecessor", UInt32.self) { $0 == 0 ? "0: none" : "\($0)" }
            reader.number("\(name): first LSN", UInt64.self)
            reader.number("\(name): last LSN", UInt64.self)
            reader.number("\(name): end of predecessor", UInt64.self)
            reader.number("\(name): open transaction", UInt32.self) {
                let outcome = RetirementTable.Continuation.Outcome(rawValue: $0)
                return "\($0): " + (outcome.map { "\($0)" } ?? "unknown")
            }
            reader.number("\(name): void offset", UInt32.self)
            reader.number("\(name): void LSN", UInt64.self) { $0 == 0 ? "0: none" : "\($0)" }
        }
    }

    private mutating func addRecord(_ kind: RecordKind, at offset: Int, _ byteCount: Int) {
        add("record, \(kind)", at: offset, byteCount, problem: nil) { reader in
            reader.number("checksum", UInt32.self) { hex($0, 8) }
            reader.number("distance to its batch", UInt32.self)
            reader.number("kind", UInt8.self) { "\($0): \(kind)" }
            reader.number("flags", UInt8.self) { $0 & 1 == 1 ? "\($0): LZ4" : "\($0)" }
            let keyByteCount = Int(reader.number("key length", UInt16.self) ?? 0)
            reader.number("keyspace", UInt32.self)
            let valueByteCount = Int(reader.number("value length", UInt32.self) ?? 0)
            if kind.isMove {
                reader.number("original LSN", UInt64.self)
                reader.number("source location", UInt64.self) {
                    "segment and offset \(Location(rawValue: $0))"
                }
            }
            reader.bytes("key", keyByteCount, shown: 512)
            if kind == .indexPut, valueByteCount == 8 {
                reader.number("value", UInt64.self)
            } else if kind == .pack {
                Self.readPack(&reader)
            } else if kind == .retireSegment, valueByteCount % 48 == 0 {
                Self.readRetirementTable(valueByteCount / 48, &reader)
            } else if valueByteCount > 0 {
                reader.bytes("value", valueByteCount)
            }
        }
    }
}
