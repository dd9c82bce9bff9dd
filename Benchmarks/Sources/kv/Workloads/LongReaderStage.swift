import Measurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension StageRun {
    /// The directory may grow to this many times the bytes of keys and values before the stage
    /// gives up: LMDB writes whole pages and can reuse none of them beside an old reader.
    private static var diskLimit: Double { 40 }

    /// Overwrites everything ten times while one snapshot is open.
    mutating func overwriteBesideReader() throws {
        let baseline = ProcessMemory.anonymousByteCount()
        let engine = try E(task.setup(.unsynced))
        _ = try fill(engine, count: recordCount, generation: 0)
        try engine.sync()
        let loaded = try engine.figures()
        var reader = try engine.makeReader()
        try reader.beginSnapshot()
        var peak = LongReaderPeak()
        var rounds: UInt64 = 0
        while rounds < Self.sustainedRoundCount, allocatedShare < Self.diskLimit {
            rounds += 1
            _ = try fill(engine, count: recordCount, generation: rounds, order: .scattered)
            try engine.sync()
            peak.disk = max(peak.disk, allocatedShare)
            if let baseline, let now = ProcessMemory.anonymousByteCount() {
                peak.memory = max(peak.memory, now - baseline)
            }
            if let loaded, let now = try engine.figures() { peak.add(now, loaded: loaded) }
        }
        note("long_reader_rounds", Double(rounds))
        note("long_reader_disk", peak.disk)
        if peak.memory > 0 {
            note("long_reader_memory", Double(peak.memory) / Double(recordCount))
        }
        if loaded != nil {
            note("long_reader_bound", peak.bound)
            note("long_reader_nodes", peak.nodes)
        }
        try verifySnapshot(&reader)
        try reader.endSnapshot()
        reader.close()
        rounds += 1
        _ = try fill(engine, count: recordCount, generation: rounds, order: .scattered)
        try engine.sync()
        sleep(UInt32(task.size.settleSeconds))
        noteSpace("long_reader_released")
        try verify(engine, count: recordCount, generation: rounds)
        try engine.close()
    }

    /// The snapshot still sees what was there when it began.
    private func verifySnapshot(_ reader: inout E.Reader) throws {
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        var stream = RandomStream(seed: 61)
        for _ in 0..<2000 {
            let number = stream.next(below: recordCount)
            Records.writeKey(number, to: buffer.key)
            records.writeValue(number, generation: 0, to: buffer.value)
            var copy = ValueCopy()
            let isFound = try reader.get(UnsafeRawBufferPointer(buffer.key), &copy)
            try require(
                isFound && copy.value.elementsEqual(buffer.value),
                "\(task.engine.rawValue): an old snapshot does not see record \(number) as it was.")
        }
    }
}

/// The greatest of what was seen beside a long reader.
private struct LongReaderPeak {
    var disk = 0.0
    var memory = 0
    var bound = 0.0
    var nodes = 0.0

    /// The snapshot pins what was live when it began, because all of that was overwritten.
    mutating func add(_ now: EngineFigures, loaded: EngineFigures) {
        let pinned = Double(now.liveByteCount + loaded.liveByteCount)
        let floor = Double(now.spaceFloorByteCount + now.uncheckpointedByteCount)
        bound = max(bound, Double(now.segmentByteCount) / (pinned * 1.5 + floor))
        nodes = max(nodes, Double(now.nodeByteCount) / Double(max(1, loaded.nodeByteCount)))
    }
}
