import Locks
import Synchronization

/// The segments that are in memory for reading, and the slow path that brings them there.
///
/// In the `.mapped` mode a segment is mapped when first touched, and its file closed again at once.
/// In the `.pread` mode it is read into a private copy instead, which no media error and no other
/// process can change later, and every record is verified when it is asked for; the copy stays for
/// as long as the log, so that mode needs memory for every segment that is read.
/// Sealed segments are neither: what is read of them is decrypted into memory of this process
/// (`SealedImage`).
@usableFromInline package final class SegmentMappings: @unchecked Sendable {
    private let directory: String
    private let identity: StoreIdentity
    private let fileSystem: FileSystem
    private let isPrivate: Bool
    private let isSealed: Bool
    private let lock = Locked<Void>()
    // The rest is guarded by `lock`, except for what readers load atomically.
    private var mappings: [UInt32: Mapping] = [:]
    private var tables: [UnsafeMutablePointer<SegmentTable>] = []
    /// Those of segments that are decrypted as far as they are asked for.
    private var sealedTables: [UnsafeMutablePointer<SegmentTable>] = []
    private let head: UnsafeMutablePointer<SegmentTableHead>
    /// Whether somebody else may have the store by now, and remove files that are read here.
    private var isLogClosed = false
    /// Segments with lower numbers don't grow any more.
    private var firstGrowing: UInt32 = 0
    /// What is decrypted, without what was let go of.
    private var decryptedByteCount = 0
    private var decryptedByteCountMax = Int.max
    private var exceeds: @Sendable () -> Void = {}
    private var hasAsked = false
    /// What was let go of, each with the newest version then: a snapshot of one up to that may
    /// still read it.
    private var letGo: [UInt32: (mapping: Mapping, version: UInt64)] = [:]
    /// Tables that were replaced to hide segments, in the same way.
    private var hiddenTables: [(table: UnsafeMutablePointer<SegmentTable>, version: UInt64)] = []

    private struct Mapping {
        var base: UnsafeRawPointer
        var byteCount: Int
        var saltChecksum: UInt32
        /// The LSN of the segment's first batch.
        var firstLSN: LSN
        /// The closed file whose mapping this is; nil for a private copy.
        var file: File?
        /// The private copy.
        var copy: AnonymousMemory?
        /// What is decrypted of a sealed segment.
        var image: SealedImage?
        /// Whether all of that is there, so that it is read like a mapping.
        var isWholeImage = false
        /// The memory of `WholeMarks`, once somebody asked for it.
        var marks: AnonymousMemory?

        /// Whether all of it can be read at its address.
        var isInPlace: Bool { image == nil || isWholeImage }
    }

    init(
        directory: String, identity: StoreIdentity, fileSystem: FileSystem, isPrivate: Bool
    ) {
        self.directory = directory
        self.identity = identity
        self.fileSystem = fileSystem
        self.isPrivate = isPrivate
        isSealed = fileSystem.segmentAlgorithm != nil && !isPrivate
        head = .allocate(capacity: 1)
        let table = Self.makeTable(slotCount: 64)
        tables.append(table)
        head.initialize(
            to: SegmentTableHead(
                table: UInt(bitPattern: table), mappings: Unmanaged.passUnretained(self)))
        guard isSealed else { return }
        let sealed = Self.makeTable(slotCount: 64)
        sealedTables.append(sealed)
        head.pointee.sealedTable.store(UInt(bitPattern: sealed), ordering: .releasing)
    }

    deinit {
        for mapping in mappings.values { release(mapping) }
        for table in tables + sealedTables + hiddenTables.map(\.table) { Self.free(table) }
        head.deinitialize(count: 1)
        head.deallocate()
    }

    var reader: SegmentReader { SegmentReader(head: head) }

    /// The record at a location; brings its segment into memory first.
    func record(at location: Location, verifying: Bool) throws(LogError) -> RecordPointer {
        let path = location.segment.path(in: directory)
        func damage(_ reason: String) -> LogError {
            .damaged(
                LogDamage(
                    file: path, offset: UInt64(max(0, location.recordOffset)), lsn: nil,
                    reason: reason))
        }
        guard !location.isStaged else { throw damage("the location is staged, not in the log") }
        lock.lock()
        defer { lock.unlock() }
        let mapping = try mapping(of: location.segment, path: path)
        // The ordinal of a place that comes from damaged bytes may lead to before the segment.
        if let image = mapping.image, location.recordOffset >= 0 {
            let before = image.openedByteCount
            defer { noteDecrypted(image.openedByteCount - before) }
            guard let record = image.record(at: location.recordOffset) else {
                throw damage("no record that is authentic is here")
            }
            if location.segment.rawValue < firstGrowing, image.becomeWhole() {
                showWhole(location.segment)
            }
            if verifying, !record.verify(saltChecksum: mapping.saltChecksum) {
                throw damage("the record's checksum does not match")
            }
            return record
        }
        guard location.recordOffset >= 0,
            let record = SegmentReader.checked(
                base: mapping.base, offset: location.recordOffset, limit: mapping.byteCount)
        else { throw damage("no record can be here") }
        if isPrivate || verifying, !record.verify(saltChecksum: mapping.saltChecksum) {
            throw damage("the record's checksum does not match")
        }
        return record
    }

    /// The damage that a value is which can't be decompressed though its checksum matches, or was
    /// not looked at.
    func undecodable(_ location: Location) -> LogError {
        .damaged(
            LogDamage(
                file: location.segment.path(in: directory),
                offset: UInt64(max(0, location.recordOffset)), lsn: nil,
                reason: "the compressed value can't be decompressed"))
    }

    /// Makes the marks of what is whole in a mapped segment; does nothing if there is no memory.
    func makeMarks(of number: SegmentNumber) {
        lock.withLock {
            guard let mapping = mappings[number.rawValue], mapping.marks == nil, !isPrivate,
                mapping.image == nil || mapping.isWholeImage,
                let memory = try? AnonymousMemory(
                    byteCount: WholeMarks.byteCount(forSegment: mapping.byteCount), for: directory)
            else { return }
            mappings[number.rawValue]?.marks = memory
            for table in tables {
                let slot = table.pointee.slots + Int(UInt64(number.rawValue) & table.pointee.mask)
                guard
                    SegmentSlot.number(slot.pointee.identity.load(ordering: .relaxed))
                        == number.rawValue
                else {
                    continue
                }
                slot.pointee.marks.store(UInt(bitPattern: memory.base), ordering: .releasing)
            }
        }
    }

    /// Copies what the writer just wrote into the private copy of its segment, if there is one.
    func didWrite(_ bytes: UnsafeRawBufferPointer, segment: SegmentNumber, at offset: Int) {
        guard isPrivate else { return }
        lock.withLock {
            guard let mapping = mappings[segment.rawValue],
                offset + bytes.count <= mapping.byteCount
            else { return }
            UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(mutating: mapping.base) + offset,
                count: bytes.count
            ).copyMemory(from: bytes)
        }
    }

    /// Says how many bytes may be decrypted, and what to call, with the lock held, when more are.
    func setDecryptedByteCountMax(_ max: Int, exceeds: @escaping @Sendable () -> Void) {
        lock.withLock {
            decryptedByteCountMax = max
            self.exceeds = exceeds
        }
    }

    private func noteDecrypted(_ byteCount: Int) {
        decryptedByteCount += byteCount
        guard decryptedByteCount > decryptedByteCountMax, !hasAsked else { return }
        hasAsked = true
        exceeds()
    }

    /// The bytes that are decrypted, those included that were let go of and may still be read.
    var allDecryptedByteCount: Int {
        lock.withLock {
            letGo.values.reduce(decryptedByteCount) {
                $0 + ($1.mapping.image?.openedByteCount ?? 0)
            }
        }
    }

    /// Lets go of decrypted segments, until half of what may be is left, and frees those of earlier
    /// calls that nobody can read any more (X5).
    ///
    /// - Parameters:
    ///   - version: the newest version that somebody may have taken by now.
    ///   - isTaken: whether somebody has a version up to one, or may just be taking it.
    /// - Returns: whether it let go of some, which another call may free.
    func letGoOfDecrypted(version: UInt64, isTaken: (_ through: UInt64) -> Bool) -> Bool {
        lock.withLock {
            hasAsked = false
            letGo = letGo.filter { isTaken($0.value.version) }
            hiddenTables.removeAll { table, version in
                if isTaken(version) { return false }
                Self.free(table)
                return true
            }
            guard decryptedByteCount > decryptedByteCountMax else { return false }
            for (number, mapping) in mappings {
                guard let image = mapping.image else { continue }
                mappings[number] = nil
                decryptedByteCount -= image.openedByteCount
                letGo[number] = (mapping, version)
                if decryptedByteCount <= decryptedByteCountMax / 2 { break }
            }
            replaceTables(version: version)
            return true
        }
    }

    /// Lets readers search tables of what is mapped now. Slots are not changed in place: a reader
    /// that is between two loads of one goes on with the old table.
    private func replaceTables(version: UInt64) {
        for isSealed in [false, true] {
            let old = isSealed ? sealedTables.removeLast() : tables.removeLast()
            hiddenTables.append((old, version))
            showTable(above: Int(old.pointee.mask) / 2, isSealed: isSealed)
        }
    }

    /// Says which segments don't grow any more: those with lower numbers.
    func noteGrowing(from number: SegmentNumber) {
        guard isSealed else { return }
        lock.withLock { firstGrowing = max(firstGrowing, number.rawValue) }
    }

    /// The log was closed. Maps what snapshots that outlive it may read: the process that opens the
    /// store next knows nothing of them, and may remove the files. What can't be mapped now is
    /// `.closed` later, if it was removed; so is every segment of the `.pread` mode, whose copies
    /// would fill the memory.
    func close(keeping numbers: [SegmentNumber]) {
        lock.withLock {
            isLogClosed = true
            if isPrivate { return }
            for number in numbers {
                _ = try? mapping(of: number, path: number.path(in: directory))
            }
        }
    }

    /// Brings segments into memory, which stay readable there when their files are removed.
    func bring(_ numbers: [SegmentNumber]) throws(LogError) {
        lock.lock()
        defer { lock.unlock() }
        for number in numbers { _ = try mapping(of: number, path: number.path(in: directory)) }
    }

    /// The segments that are in memory, with the LSNs of their first batches. Any thread.
    var mapped: [(number: SegmentNumber, firstLSN: LSN)] {
        lock.withLock {
            mappings.map { (SegmentNumber(rawValue: $0.key), $0.value.firstLSN) }
        }
    }

    /// Forgets a segment and unmaps it. Nobody may read it any more.
    func remove(_ number: SegmentNumber) {
        lock.withLock {
            letGo[number.rawValue] = nil
            guard let mapping = mappings.removeValue(forKey: number.rawValue) else { return }
            for table in tables + sealedTables {
                let slot = table.pointee.slots + Int(UInt64(number.rawValue) & table.pointee.mask)
                if SegmentSlot.number(slot.pointee.identity.load(ordering: .relaxed))
                    == number.rawValue
                {
                    slot.pointee.identity.store(0, ordering: .releasing)
                    slot.pointee.marks.store(0, ordering: .relaxed)
                }
            }
            decryptedByteCount -= mapping.image?.openedByteCount ?? 0
            release(mapping)
        }
    }

    // MARK: Under the lock

    private func mapping(
        of number: SegmentNumber, path: String
    ) throws(LogError) -> Mapping {
        if let known = mappings[number.rawValue] { return known }
        if let kept = letGo.removeValue(forKey: number.rawValue)?.mapping {
            mappings[number.rawValue] = kept
            decryptedByteCount += kept.image?.openedByteCount ?? 0
            publish(number, kept)
            return kept
        }
        do throws(FileSystemError) {
            let file = try fileSystem.open(path, .readOnly)
            defer { file.close() }
            let header = try SegmentHeader.read(
                from: file, number: number, identity: identity)
            let byteCount = Int(min(header.segmentByteCount, try file.byteCount()))
            let sealed = isSealed ? file as? SealedSegmentFile : nil
            let image = try sealed.map { (file) throws(FileSystemError) in
                try SealedImage(file, byteCount: byteCount)
            }
            let copy = isPrivate ? try Self.copy(of: file, byteCount: byteCount) : nil
            let base: UnsafeRawPointer
            if let memory = copy ?? image?.memory {
                base = UnsafeRawPointer(memory.base)
            } else {
                base = try file.map(byteCount: byteCount)
            }
            let mapping = Mapping(
                base: base, byteCount: byteCount, saltChecksum: header.saltChecksum,
                firstLSN: header.firstLSN,
                file: isPrivate || isSealed ? nil : file, copy: copy, image: image)
            mappings[number.rawValue] = mapping
            if !isPrivate {
                publish(number, mapping)
                if MappedFiles.shared.exceedMemory {
                    head.pointee.readsFromDevice.store(true, ordering: .relaxed)
                }
            }
            return mapping
        } catch {
            if error.isNotFound, isLogClosed { throw .closed }
            throw LogError(damageOrIO: error)
        }
    }

    // A part that can't be read stays zero: records there fail their check, the others live.
    private static func copy(
        of file: File, byteCount: Int
    ) throws(FileSystemError) -> AnonymousMemory {
        let copy = try AnonymousMemory(byteCount: byteCount, for: file.path)
        let step = 1 << 20
        for start in stride(from: 0, to: byteCount, by: step) {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: copy.bytes[start..<min(start + step, byteCount)])
            do throws(FileSystemError) {
                _ = try file.read(into: part, at: UInt64(start))
            } catch {
                try copyByPage(of: file, into: part, at: start, after: error)
            }
        }
        return copy
    }

    private static func copyByPage(
        of file: File, into target: UnsafeMutableRawBufferPointer, at start: Int,
        after first: FileSystemError
    ) throws(FileSystemError) {
        var readCount = 0
        for page in stride(from: 0, to: target.count, by: FileBlock.byteCount) {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: target[page..<min(page + FileBlock.byteCount, target.count)])
            do throws(FileSystemError) {
                _ = try file.read(into: part, at: UInt64(start + page))
                readCount += 1
            } catch {
                part.initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
        if readCount == 0 { throw first }
    }

    /// Lets a segment that was decrypted whole be found like one that is not encrypted.
    private func showWhole(_ number: SegmentNumber) {
        guard var mapping = mappings[number.rawValue] else { return }
        mapping.isWholeImage = true
        // The marks of single records are of no use any more; others say what was verified.
        mapping.marks = nil
        mappings[number.rawValue] = mapping
        publish(number, mapping)
    }

    private func publish(_ number: SegmentNumber, _ mapping: Mapping) {
        let isSealed = mapping.image != nil && !mapping.isWholeImage
        let table = isSealed ? sealedTables[sealedTables.count - 1] : tables[tables.count - 1]
        let occupant = (table.pointee.slots + Int(UInt64(number.rawValue) & table.pointee.mask))
            .pointee.identity.load(ordering: .relaxed)
        if occupant == 0 {
            fill(table, number.rawValue, mapping, isSealed: isSealed)
            return
        }
        showTable(above: Int(table.pointee.mask), isSealed: isSealed)
    }

    /// Lets readers search a new table with more slots than `mask` has, without the old one.
    private func showTable(above mask: Int, isSealed: Bool) {
        let known = mappings.filter { isSealed ? $0.value.image != nil : $0.value.isInPlace }
        let table = Self.makeTable(
            slotCount: Self.slotCountWithoutCollisions(known.keys, above: mask))
        for (number, mapping) in known { fill(table, number, mapping, isSealed: isSealed) }
        let address = UInt(bitPattern: table)
        if isSealed {
            sealedTables.append(table)
            head.pointee.sealedTable.store(address, ordering: .releasing)
        } else {
            tables.append(table)
            head.pointee.table.store(address, ordering: .releasing)
        }
    }

    private static func slotCountWithoutCollisions(
        _ numbers: Dictionary<UInt32, Mapping>.Keys, above mask: Int
    ) -> Int {
        var count = (mask + 1) * 2
        while Set(numbers.map { Int($0) & (count - 1) }).count < numbers.count { count *= 2 }
        return count
    }

    private func fill(
        _ table: UnsafeMutablePointer<SegmentTable>, _ number: UInt32, _ mapping: Mapping,
        isSealed: Bool
    ) {
        let slot = table.pointee.slots + Int(UInt64(number) & table.pointee.mask)
        slot.pointee.base.store(UInt(bitPattern: mapping.base), ordering: .relaxed)
        slot.pointee.saltChecksum.store(mapping.saltChecksum, ordering: .relaxed)
        let marks = isSealed ? mapping.image?.marks : mapping.marks
        slot.pointee.marks.store(UInt(bitPattern: marks?.base), ordering: .relaxed)
        let identity = SegmentSlot.identity(number, byteCount: mapping.byteCount)
        slot.pointee.identity.store(identity, ordering: .releasing)
    }

    private func release(_ mapping: Mapping) {
        // A private copy, and what was decrypted, are freed with their last reference.
        mapping.file?.unmap(mapping.base, byteCount: mapping.byteCount)
    }

    private static func free(_ table: UnsafeMutablePointer<SegmentTable>) {
        let count = Int(table.pointee.mask) + 1
        table.pointee.slots.deinitialize(count: count)
        table.pointee.slots.deallocate()
        table.deallocate()
    }

    private static func makeTable(slotCount: Int) -> UnsafeMutablePointer<SegmentTable> {
        let slots = UnsafeMutablePointer<SegmentSlot>.allocate(capacity: slotCount)
        for index in 0..<slotCount { (slots + index).initialize(to: SegmentSlot()) }
        let table = UnsafeMutablePointer<SegmentTable>.allocate(capacity: 1)
        table.initialize(to: SegmentTable(mask: UInt64(slotCount - 1), slots: slots))
        return table
    }
}
