import Measurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension StageRun {
    /// Records that are overwritten past the checkpoint: as many as make up the size of log asked
    /// for, and no more than there are.
    private var overwrittenCount: UInt64 {
        min(recordCount, UInt64(task.size.killedLogByteCount / records.byteCount))
    }

    /// Loads, makes a checkpoint, writes log past it, reports it, and writes on until it is killed.
    mutating func writeUntilKilled() throws {
        let engine = try E(task.setup(.unsynced, keepsLog: true))
        _ = try fill(engine, count: recordCount, generation: 0)
        try engine.sync()
        try engine.checkpoint()
        _ = try fill(engine, count: overwrittenCount, generation: 1)
        try engine.sync()
        try TextFile.write("ready", to: task.resultPath)
        var writer = try engine.makeWriter()
        let buffer = RecordBuffer(records)
        var number: UInt64 = 1 << 41
        while true {
            try writer.begin()
            Records.writeKey(number, to: buffer.key)
            records.writeValue(number, generation: 0, to: buffer.value)
            try writer.put(
                UnsafeRawBufferPointer(buffer.key), UnsafeRawBufferPointer(buffer.value))
            try writer.commit()
            number += 1
            usleep(1000)
        }
    }

    /// Opens what the killed writer left, and checks that everything synced is there.
    mutating func openAfterKill() throws {
        let watch = Stopwatch()
        let engine = try E(task.setup(.unsynced, keepsLog: true))
        var reader = try engine.makeReader()
        try firstGet(&reader)
        note("open_after_kill", watch.seconds * 1000)
        _ = try readRandom(&reader, ReadPlan(seed: 9, count: min(20_000, task.size.readCount)))
        reader.close()
        try verify(engine, count: overwrittenCount, generation: 1)
        try engine.close()
    }
}
