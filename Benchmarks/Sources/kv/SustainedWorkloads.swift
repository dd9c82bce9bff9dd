import Measurement

extension KeyValueWorkloads {
    /// The rows of a store that runs for long: `--suite sustained`.
    static let sustained: [(workload: Workload, stage: Stage)] =
        overwriting + durableOverwriting + compaction + longReading + maintenance + limited + cold

    static let overwriting: [(workload: Workload, stage: Stage)] = [
        Workload(
            "sustain_overwrite", unit: "ops/s", target: .ratio(2),
            meaning: "Random records overwritten, 1,000 per unsynced transaction, ten times the "
                + "data set or until time is up, one sync at the end inside the time."),
        Workload(
            "sustain_rounds", unit: "× data",
            meaning: "How many times the data set that was."),
        Workload(
            "sustain_p999", unit: "µs", better: .lower, target: .ratio(1),
            meaning: "The 99.9th percentile of its transactions, puts and commit."),
        Workload(
            "sustain_pause", unit: "ms", better: .lower, target: .atMostOrBestPeer(50),
            meaning: "The longest of them."),
        Workload(
            "sustain_space", unit: "× live", better: .lower, target: .atMost(1.6),
            meaning: "Space at the end. Travertine: by the definition of its space bound "
                + "(statistics.boundedSpaceAmplification). Peers: allocated bytes ÷ bytes of keys "
                + "and values."),
        Workload(
            "sustain_space_peak", unit: "× live", better: .lower,
            meaning: "The greatest such value seen after every 256 transactions."),
        Workload(
            "sustain_disk", unit: "× live", better: .lower,
            meaning: "Allocated bytes of the directory at the end ÷ bytes of keys and values, "
                + "for all engines alike; with index pages, free segments and logs."),
        Workload(
            "sustain_disk_peak", unit: "× live", better: .lower,
            meaning: "The greatest such value seen after every 256 transactions."),
        Workload(
            "sustain_written", unit: "× asked", better: .lower,
            meaning: "write_bytes of the process (/proc/self/io) ÷ bytes of keys and values that "
                + "were overwritten."),
        Workload(
            "sustain_log", unit: "× asked", better: .lower,
            meaning: "Of that, by Travertine's statistics: batches of log without moves."),
        Workload(
            "sustain_moves", unit: "× asked", better: .lower,
            meaning: "Records moved by compaction."),
        Workload(
            "sustain_pages", unit: "× asked", better: .lower,
            meaning: "Page files of checkpoints."),
        Workload(
            "sustain_zeros", unit: "× asked", better: .lower,
            meaning: "Zeros written ahead of the log's tail."),
        Workload("sustain_passes", unit: "passes", meaning: "Passes of compaction in that time."),
        Workload(
            "sustain_delayed", unit: "× time", better: .lower,
            meaning: "How much of the time commits were slowed down by the throttle of compaction."),
    ].map { ($0, .sustain) }

    static let durableOverwriting: [(workload: Workload, stage: Stage)] = [
        Workload(
            "durable_overwrite", unit: "commits/s",
            meaning: "Random records overwritten, 100 per durable commit, one thread, while "
                + "compaction and checkpoints run."),
        Workload(
            "durable_p999", unit: "µs", better: .lower, target: .ratio(1),
            meaning: "The 99.9th percentile of these transactions."),
        Workload(
            "durable_pause", unit: "ms", better: .lower, target: .atMostOrBestPeer(50),
            meaning: "The longest of them."),
        Workload("durable_passes", unit: "passes", meaning: "Passes of compaction in that time."),
        Workload("durable_checkpoints", unit: "checkpoints", meaning: "Checkpoints in that time."),
    ].map { ($0, .sustainDurably) }

    static let compaction: [(workload: Workload, stage: Stage)] =
        [
            Workload(
                "compact_all", unit: "records/s",
                meaning: "A full compaction of a store that was loaded and overwritten in random "
                    + "order: compact(), RocksDB's and LevelDB's of the whole range, SQLite's "
                    + "VACUUM, LMDB's compacting copy."),
            Workload(
                "scan_full_compacted", unit: "records/s", target: .ratio(1.3),
                meaning: "A full scan after that, every byte of every value; the second of two."),
            Workload(
                "scan_100_compacted", unit: "scans/s", target: .ratio(1.5),
                meaning: "A seek to a random key and 100 records from there, after that."),
            Workload(
                "read_random_compacted", unit: "ops/s",
                meaning: "Gets of random keys, 1,000 per snapshot, after that."),
            Workload(
                "space_compacted", unit: "× live", better: .lower,
                meaning: "Allocated bytes after that and a close ÷ bytes of keys and values."),
        ].map { ($0, .compacted) }
        + [
            Workload(
                "read_random_alone", unit: "ops/s",
                meaning: "Gets of random keys, 1,000 per snapshot, with nothing beside."),
            Workload(
                "read_random_compacting", unit: "ops/s",
                meaning: "The same while one full compaction after another runs."),
            Workload(
                "compacting_share", unit: "× alone", target: .atLeast(0.8),
                meaning: "The second ÷ the first."),
            Workload(
                "compacting_count", unit: "compactions",
                meaning: "Full compactions that ended in that time."),
        ].map { ($0, .compacting) }

    static let longReading: [(workload: Workload, stage: Stage)] = [
        Workload(
            "long_reader_rounds", unit: "× data",
            meaning: "With one snapshot open, everything is overwritten in random order, ten times "
                + "or until the directory has 40 times the bytes of keys and values: how often."),
        Workload(
            "long_reader_disk", unit: "× live", better: .lower,
            meaning: "The greatest allocated bytes after any round ÷ bytes of keys and values."),
        Workload(
            "long_reader_bound", unit: "× bound", better: .lower, target: .atMost(1),
            meaning: "Segments ÷ ((live + pinned) × space bound + four segments + log after the "
                + "older checkpoint), the greatest after any round."),
        Workload(
            "long_reader_memory", unit: "B/key", better: .lower,
            meaning: "The greatest anonymous memory after any round, less that before opening."),
        Workload(
            "long_reader_nodes", unit: "× one version", better: .lower, target: .atMost(3),
            meaning: "The greatest anonymous memory of index nodes after any round ÷ that after "
                + "loading."),
        Workload(
            "long_reader_released", unit: "× live", better: .lower,
            meaning: "Allocated bytes after the snapshot is gone, one more round and a pause ÷ "
                + "bytes of keys and values."),
    ].map { ($0, .longReader) }

    static let maintenance: [(workload: Workload, stage: Stage)] =
        [
            Workload(
                "checkpoint_full", unit: "MB",
                meaning: "Bytes of the first checkpoint, after loading."),
            Workload(
                "checkpoint_incremental", unit: "MB", better: .lower,
                meaning: "Bytes of the next one, after 1,000 random records were overwritten."),
            Workload(
                "checkpoint_share", unit: "× full", better: .lower, target: .atMost(0.02),
                meaning: "checkpoint_incremental ÷ checkpoint_full; the target is meant for ten "
                    + "million records (--size large)."),
        ].map { ($0, .checkpointed) }
        + [
            Workload(
                "fsck_standard", unit: "MB/s", target: .atLeast(500),
                meaning: "Verification at the default level of a closed store in the page cache: "
                    + "bytes of log ÷ time."),
            Workload("fsck_quick", unit: "ms", better: .lower, meaning: "At the level quick."),
            Workload("fsck_deep", unit: "MB/s", meaning: "At the level deep."),
        ].map { ($0, .verified) }
        + [
            Workload(
                "backup_rate", unit: "MB/s",
                meaning: "Backups to new directories by copying, one after another, while a thread "
                    + "overwrites random records unsynced: allocated bytes ÷ time, syncs included."),
            Workload(
                "cp_rate", unit: "MB/s",
                meaning: "`cp -R` of such a backup, one after another, beside the same writer; "
                    + "nothing synced."),
            Workload(
                "cp_synced_rate", unit: "MB/s",
                meaning: "The same with every file of the copy synced."),
            Workload(
                "backup_share", unit: "× cp", target: .atLeast(0.7),
                meaning: "backup_rate ÷ cp_rate."),
            Workload(
                "backup_synced_share", unit: "× cp",
                meaning: "backup_rate ÷ cp_synced_rate: both are durable."),
            Workload(
                "backup_linked_rate", unit: "MB/s",
                meaning: "backup_rate without an option, so by links where the directories lie on "
                    + "one file system."),
            Workload(
                "backup_linked_share", unit: "× cp", target: .atLeast(0.7),
                meaning: "backup_linked_rate ÷ cp_rate."),
            Workload(
                "backup_linked_writes", unit: "× alone", target: .atLeast(0.7),
                meaning: "The writer's rate beside backups by links ÷ its rate alone."),
            Workload(
                "backup_writes", unit: "× alone", target: .atLeast(0.7),
                meaning: "The writer's rate beside backups ÷ its rate alone."),
            Workload(
                "cp_writes", unit: "× alone",
                meaning: "The writer's rate beside cp and its syncs ÷ its rate alone."),
        ].map { ($0, .backup) }

    static let limited: [(workload: Workload, stage: Stage)] =
        [
            Workload(
                "limited_get", unit: "ops/s", target: .ratio(1),
                meaning: "Gets of random keys from a store four times as large as the memory for "
                    + "it, in a new process with nothing in the page cache."),
            Workload(
                "limited_scan", unit: "records/s", target: .ratio(1),
                meaning: "Scans of 1,000 records from random keys then."),
            Workload(
                "limited_read_peak", unit: "× limit", better: .lower,
                meaning: "The greatest sum of anonymous memory and resident file bytes that was "
                    + "seen in that time."),
        ].map { ($0, .limitedRead) }
        + [
            Workload(
                "limited_compact", unit: "records/s", target: .ratio(1),
                meaning: "A full compaction in a new process, with the same memory."),
            Workload(
                "limited_scan_compacted", unit: "records/s", target: .ratio(1),
                meaning: "The scans again, after that."),
            Workload(
                "limited_compact_peak", unit: "× limit", better: .lower,
                meaning: "The greatest memory seen in that time."),
        ].map { ($0, .limitedCompact) }

    static let cold: [(workload: Workload, stage: Stage)] =
        [
            Workload(
                "cold_space", unit: "MB", better: .lower, target: .ratio(1),
                meaning: "Allocated bytes of the lines of --cities, key geonameid, after a full "
                    + "compaction and a close. RocksDB: LZ4."),
            Workload(
                "cold_length", unit: "MB", better: .lower,
                meaning: "The same by the lengths of the files."),
            Workload(
                "cold_share", unit: "× live", better: .lower,
                meaning: "The allocated bytes ÷ bytes of keys and lines."),
        ].map { ($0, .coldLoad) }
        + [
            Workload(
                "cold_read", unit: "ops/s", target: .ratio(2),
                meaning: "Gets of random lines, 1,000 per snapshot, in a new process, the page "
                    + "cache warm; every byte is added up.")
        ].map { ($0, .coldRead) }
}
