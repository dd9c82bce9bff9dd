/// What the verification of one segment file found.
package struct SegmentVerification: Sendable {
    package var batchCount = 0
    package var recordCount = 0
    /// Bytes of valid batches.
    package var byteCount: UInt64 = 0
    /// True for a file that was prepared and never written.
    package var isSpare = false
    /// Stretches that hold something and are no batches of this segment.
    package var damage: [LogDamage] = []

    package init() {}
}

extension SegmentLog {
    /// Checks the header of a segment file; writes nothing.
    ///
    /// - Parameter identity: The store's, if it is known.
    package static func verifyHeader(
        of number: SegmentNumber, in directory: String, identity: StoreIdentity?,
        environment: Environment
    ) throws(FileSystemError) -> SegmentVerification {
        let path = number.path(in: directory)
        var found = SegmentVerification()
        func damage(_ offset: Int, _ lsn: LSN?, _ reason: String) -> LogDamage {
            LogDamage(file: path, offset: UInt64(offset), lsn: lsn, reason: reason)
        }
        let (file, decoded) = try openForVerification(path, environment)
        file.close()
        switch decoded {
        case .header(let header):
            if header.number != number {
                found.damage.append(
                    damage(
                        SegmentHeader.Offset.number, nil,
                        "the header is that of segment \(header.number)"))
            }
            if let identity, !header.identity.isOfSameStore(as: identity) {
                found.damage.append(
                    damage(
                        SegmentHeader.Offset.uuidLow, nil, "the segment belongs to another store"))
            }
        case .spare: found.isSpare = true
        case .newerFormat(let version):
            found.damage.append(damage(0, nil, "the segment has format version \(version)"))
        case .damaged(let reason): found.damage.append(damage(0, nil, reason))
        }
        return found
    }

    /// Checks every batch and record of a segment file whose header can be believed; reads through
    /// `pread`, writes nothing.
    ///
    /// Goes on after a damaged stretch if a valid batch follows. What counts and what may be
    /// ignored is not decided here: that needs the whole log.
    /// - Parameter verified: Where batches that are verified already end, and the LSN that follows.
    package static func verifyBatches(
        of number: SegmentNumber, in directory: String, after verified: (offset: Int, next: LSN)?,
        environment: Environment
    ) throws(FileSystemError) -> SegmentVerification {
        var found = SegmentVerification()
        let (file, decoded) = try openForVerification(
            number.path(in: directory), environment)
        guard case .header(let header) = decoded else {
            file.close()
            return found
        }
        let scanner = try SegmentScanner(file: file, header: header)
        try verifyBatches(
            scanner, from: verified ?? (SegmentHeader.byteCount, header.firstLSN), &found)
        return found
    }

    /// Opens a segment file and reads its header.
    private static func openForVerification(
        _ path: String, _ environment: Environment
    ) throws(FileSystemError) -> (File, SegmentHeader.Decoded) {
        let file = try environment.fileSystem.open(path, .readOnly)
        do throws(FileSystemError) {
            return (file, try SegmentHeader.read(from: file))
        } catch {
            file.close()
            throw error
        }
    }

    private static func verifyBatches(
        _ scanner: SegmentScanner, from start: (offset: Int, next: LSN),
        _ found: inout SegmentVerification
    ) throws(FileSystemError) {
        var offset = start.offset
        var lsn: LSN? = start.next
        while offset < scanner.byteCount {
            switch try scanner.batch(at: offset) {
            case .batch(let batch, _):
                if let expected = lsn, batch.lsn != expected {
                    found.damage.append(
                        LogDamage(
                            file: scanner.path, offset: UInt64(offset), lsn: expected,
                            reason: "LSN \(batch.lsn) follows where \(expected) should"))
                }
                found.batchCount += 1
                found.recordCount += Int(batch.recordCount)
                found.byteCount += UInt64(batch.byteCount)
                offset += Int(batch.byteCount)
                lsn = batch.lsn.next
            case .nothing:
                guard let next = try scanner.firstNonZero(from: offset) else { return }
                found.damage.append(
                    LogDamage(
                        file: scanner.path, offset: UInt64(next), lsn: lsn,
                        reason: "there is something after the last batch"))
                guard let batch = try nextBatch(scanner, from: next) else { return }
                offset = batch
                lsn = nil
            case .bad(let reason):
                found.damage.append(
                    LogDamage(
                        file: scanner.path, offset: UInt64(offset), lsn: lsn, reason: reason))
                guard let batch = try nextBatch(scanner, from: offset + RecordLayout.alignment)
                else { return }
                offset = batch
                lsn = nil
            }
        }
    }

    /// The offset of the next valid batch at or after `start`, or nil.
    private static func nextBatch(
        _ scanner: SegmentScanner, from start: Int
    ) throws(FileSystemError) -> Int? {
        var offset = RecordLayout.padded(start)
        while let nonZero = try scanner.firstNonZero(from: offset) {
            offset = nonZero & ~(RecordLayout.alignment - 1)
            while offset + BatchHeader.byteCount <= scanner.byteCount {
                guard let head = try scanner.bytes(at: offset, count: 4) else { return nil }
                if head.loadUnaligned(as: UInt32.self) == 0 { break }
                if BatchHeader.hasMagic(head),
                    case .batch = try scanner.batch(at: offset)
                {
                    return offset
                }
                offset += RecordLayout.alignment
            }
            offset += RecordLayout.alignment
        }
        return nil
    }
}
