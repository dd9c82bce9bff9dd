import Measurement

/// The rows of the table, and the parts of a run that measure them.
enum KeyValueWorkloads {
    /// A part of a run: what one child process does to one engine's directory.
    enum Stage: String, Sendable, Codable {
        /// Loads, reads, closes.
        case load
        /// Opens what `load` left, reads.
        case reopen
        /// Opens what `load` left, scans.
        case reopenScan
        /// Loads, overwrites, reads and writes at once.
        case change
        /// Loads ascending keys.
        case sequential
        /// Durable commits from one thread, then from eight.
        case durable
        /// Loads, makes a checkpoint, writes log and waits to be killed.
        case killedWriter
        /// Opens what `killedWriter` left.
        case killedOpening
        /// Loads, overwrites ten times with unsynced commits.
        case sustain
        /// Loads, overwrites with durable commits.
        case sustainDurably
        /// Loads, overwrites, compacts, scans.
        case compacted
        /// Reads alone, then beside compaction.
        case compacting
        /// Overwrites everything ten times beside a snapshot.
        case longReader
        /// Loads, writes a full checkpoint, and one after a thousand random changes.
        case checkpointed
        /// Loads, closes, verifies.
        case verified
        /// Writes alone, beside backups, beside `cp`.
        case backup
        /// Loads more than memory is allowed to hold afterwards.
        case limitedLoad
        /// Opens what `limitedLoad` left with little memory, gets and scans.
        case limitedRead
        /// Compacts what `limitedLoad` left with little memory.
        case limitedCompact
        /// Loads, compacts and closes the records of `--cities`.
        case coldLoad
        /// Opens what `coldLoad` left, reads.
        case coldRead
    }

    /// Stages that follow one another on one directory.
    static let chains: [[Stage]] = [
        [.load, .reopen, .reopenScan], [.change], [.sequential], [.durable],
        [.killedWriter, .killedOpening], [.sustain], [.sustainDurably], [.compacted],
        [.compacting], [.longReader], [.checkpointed], [.verified], [.backup],
        [.limitedLoad, .limitedRead, .limitedCompact], [.coldLoad, .coldRead],
    ]

    /// The rows that run unless others are asked for, with the stage that each belongs to.
    static let basic: [(workload: Workload, stage: Stage)] =
        loading + reading + reopening + changing + committing

    /// All rows.
    static let all: [(workload: Workload, stage: Stage)] = basic + sustained

    /// The engines that a stage makes sense for; nil is all of them.
    static func engines(of stage: Stage) -> Set<EngineName>? {
        switch stage {
        // Only these rewrite everything whenever a call requests it.
        case .compacting: [.travertine, .rocksdb]
        // SQLite's log would grow without bound beside an old snapshot.
        case .longReader: [.travertine, .lmdb, .rocksdb, .leveldb]
        case .checkpointed, .verified: [.travertine]
        case .backup: [.travertine, .lmdb]
        case .coldLoad, .coldRead: [.travertine, .rocksdb]
        // Loading so much into SQLite takes longer than everything else together.
        case .limitedLoad, .limitedRead, .limitedCompact: [.travertine, .lmdb, .rocksdb, .leveldb]
        default: nil
        }
    }

    static let loading: [(workload: Workload, stage: Stage)] = [
        (
            Workload(
                "fill_batch", unit: "ops/s", target: .ratio(3),
                meaning: "Random keys, 1,000 per unsynced transaction, one sync at the end inside "
                    + "the time."), .load
        ),
        (
            Workload(
                "fill_batch_unsynced", unit: "ops/s",
                meaning: "The same without the final sync."), .load
        ),
        (
            Workload(
                "memory_loaded", unit: "B/key", better: .lower, target: .atMost(40),
                meaning: "Anonymous memory after fill_batch, less that before opening, per key."),
            .load
        ),
    ]

    static let reading: [(workload: Workload, stage: Stage)] = [
        (
            Workload(
                "read_random_1t", unit: "ops/s", target: .ratio(2.5),
                meaning: "Gets of random keys, 1,000 per snapshot, one thread."), .load
        ),
        (
            Workload(
                "read_random_2t", unit: "ops/s", target: .ratio(2.5),
                meaning: "The same from two threads, both together."), .load
        ),
        (
            Workload(
                "read_random_snap_per_get", unit: "ops/s", target: .ratio(2),
                meaning: "A snapshot for each get."), .load
        ),
        (
            Workload(
                "read_batch", unit: "ops/s",
                meaning: "Gets of random keys, 100 per call and 1,000 per snapshot; one by one "
                    + "where an engine has no call for it."), .load
        ),
        (
            Workload(
                "read_missing", unit: "ops/s", target: .ratio(2),
                meaning: "Gets of keys that were never written."), .load
        ),
        (
            Workload(
                "scan_full", unit: "records/s", target: .ratio(1),
                meaning: "All records in key order, every byte of every value."), .load
        ),
        (
            Workload(
                "scan_full_keys", unit: "records/s",
                meaning: "The same, reading every key too."), .load
        ),
        (
            Workload(
                "scan_100", unit: "scans/s", target: .ratio(1),
                meaning: "A seek to a random key and 100 records from there."), .load
        ),
        (
            Workload(
                "close_clean", unit: "ms", better: .lower,
                meaning: "Closing after those reads."), .load
        ),
        (
            Workload(
                "space_filled", unit: "× live", better: .lower,
                meaning: "Allocated bytes after fill_batch and close ÷ bytes of keys and values."),
            .load
        ),
    ]

    static let reopening: [(workload: Workload, stage: Stage)] = [
        (
            Workload(
                "open_clean", unit: "ms", better: .lower, target: .atMost(3),
                meaning: "Open to the end of the first get, in a new process, after a clean "
                    + "close."), .reopen
        ),
        (
            Workload(
                "memory_reopened", unit: "B/key", better: .lower, target: .atMost(8),
                meaning: "Anonymous memory then, less that before opening, per key."), .reopen
        ),
        (
            Workload(
                "read_random_reopened", unit: "ops/s", target: .ratio(2),
                meaning: "Gets of random keys from then on, first touch included."), .reopen
        ),
        (
            Workload(
                "memory_reopened_read", unit: "B/key", better: .lower, target: .atMost(8),
                meaning: "Anonymous memory after those gets."), .reopen
        ),
        (
            Workload(
                "scan_full_reopened", unit: "records/s", target: .ratio(1),
                meaning: "A full scan as the first thing after opening in a new process, first "
                    + "touch included."), .reopenScan
        ),
    ]

    static let changing: [(workload: Workload, stage: Stage)] = [
        (
            Workload(
                "overwrite", unit: "ops/s",
                meaning: "Every record once, in random order, 1,000 per unsynced transaction, one "
                    + "sync at the end inside the time."), .change
        ),
        (
            Workload(
                "mixed_reads", unit: "ops/s", target: .ratio(3),
                meaning: "Gets, 100 per snapshot, beside a writer."), .change
        ),
        (
            Workload(
                "mixed_writes", unit: "ops/s", target: .ratio(3),
                meaning: "Overwrites, 100 per unsynced transaction, beside that reader."), .change
        ),
        (
            Workload(
                "space_overwritten", unit: "× live", better: .lower,
                meaning: "Allocated bytes after those, and a pause ÷ bytes of keys and values."),
            .change
        ),
    ]

    static let committing: [(workload: Workload, stage: Stage)] = [
        (
            Workload(
                "fill_seq", unit: "ops/s", target: .ratio(1.5),
                meaning: "Ascending 8-byte keys, 1,000 per unsynced transaction, without the final "
                    + "sync."), .sequential
        ),
        (
            Workload(
                "fill_seq_synced", unit: "ops/s",
                meaning: "The same with the final sync inside the time."), .sequential
        ),
        (
            Workload(
                "fill_sync_1t", unit: "commits/s", target: .ratio(1.2),
                meaning: "One record per durable commit, one thread."), .durable
        ),
        (
            Workload(
                "fill_sync_8t", unit: "commits/s", target: .ratio(1.5),
                meaning: "The same from eight threads, all together."), .durable
        ),
        (
            Workload(
                "open_after_kill", unit: "ms", better: .lower, target: .atMost(300),
                meaning:
                    "Open to the end of the first get after SIGKILL of a writer with 64 MiB of "
                    + "keys and values (2 MiB in a smoke run) past its last checkpoint."),
            .killedOpening
        ),
    ]
}
