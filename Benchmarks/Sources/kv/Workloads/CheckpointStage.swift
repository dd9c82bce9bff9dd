import Measurement

extension StageRun {
    /// Compares the bytes of a checkpoint of everything with those of one after a few changes;
    /// Travertine only.
    mutating func writeCheckpoints() throws {
        let engine = try E(task.setup(.unsynced, keepsLog: true))
        _ = try fill(engine, count: recordCount, generation: 0)
        try engine.checkpoint()
        let full = try engine.figures()?.pageByteCount ?? 0
        var writer = try engine.makeWriter()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        var stream = RandomStream(seed: UInt64(task.repetition) &+ 31)
        try overwriteRandomly(&writer, buffer, &stream)
        writer.close()
        try engine.checkpoint()
        let both = try engine.figures()?.pageByteCount ?? 0
        note("checkpoint_full", Double(full) / 1e6)
        note("checkpoint_incremental", Double(both - full) / 1e6)
        if full > 0 { note("checkpoint_share", Double(both - full) / Double(full)) }
        try engine.close()
    }
}
