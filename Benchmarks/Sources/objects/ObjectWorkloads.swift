import Measurement

/// The rows of the table.
enum ObjectWorkloads {
    /// Those that are measured against GRDB.
    static let compared = [
        Workload(
            "insert_bulk", unit: "objects/s", target: .ratio(8), peer: "grdb",
            meaning: "10,000 objects per transaction, unsynced, one sync at the end inside the "
                + "time."),
        Workload(
            "insert_durable", unit: "commits/s", target: .ratio(2), peer: "grdb",
            meaning: "One object per transaction, each durable when its commit returns."),
        Workload(
            "open", unit: "ms", better: .lower,
            meaning: "Open to the first property of a person by primary key, in a new process."),
        Workload(
            "get_by_key", unit: "objects/s", target: .ratio(4), peer: "grdb_sql",
            meaning: "An object by its primary key, an Int and a String read."),
        Workload(
            "iterate_all", unit: "objects/s", target: .ratio(2), peer: "grdb_sql",
            meaning: "All objects, one Int read of each."),
        Workload(
            "iterate_lending", unit: "objects/s", target: .ratio(4), peer: "grdb_sql",
            meaning:
                "The same by `forEachLending`, which lends one handle; grdb_sql does as before."),
        Workload("sum", unit: "objects/s", meaning: "The sum of an Int over all objects."),
        Workload(
            "count_older", unit: "ms", better: .lower,
            meaning: "How many are older than 50; the property is not indexed."),
        Workload(
            "find_older", unit: "ms", better: .lower,
            meaning: "All objects older than 50 in an array, one Int read of each."),
        Workload(
            "count_name_contains", unit: "ms", better: .lower,
            meaning: "How many names contain a text of three characters."),
        Workload(
            "find_name", unit: "queries/s",
            meaning: "All objects with a name, through its index (about 100 in a million), one Int "
                + "read of each."),
        Workload(
            "sort_first_100", unit: "ms", better: .lower,
            meaning: "The first 100 by a Double that is not indexed."),
        Workload(
            "walk_links", unit: "hops/s", target: .ratio(4), peer: "grdb_sql",
            meaning: "From a random object along to-one links, an Int read per hop."),
        Workload(
            "follow_all", unit: "objects/s", target: .ratio(0.5), peer: "grdb_sql",
            meaning: "All objects, their link followed, an Int read there."),
        Workload(
            "follow_all_bulk", unit: "objects/s", target: .ratio(1), peer: "grdb_sql",
            meaning:
                "The same by `forEachLending(following:)`, which looks links up in batches; grdb_sql "
                + "does as before."),
        Workload(
            "update", unit: "objects/s", target: .ratio(5), peer: "grdb_sql",
            meaning: "An Int of a tenth of all objects (100,000 of a million), scattered, in one "
                + "unsynced transaction and one sync."),
        Workload(
            "update_together", unit: "objects/s", target: .ratio(8), peer: "grdb_sql",
            meaning:
                "The same for another tenth by `forEachObject(ofType:forPrimaryKeys:)`, which looks "
                + "keys up in batches; the others do as before."),
        Workload(
            "delete", unit: "objects/s", target: .ratio(8), peer: "grdb",
            meaning: "A tenth of all objects deleted, scattered, by primary key, in one unsynced "
                + "transaction and one sync; links to them become none."),
        Workload(
            "update_all", unit: "objects/s",
            meaning:
                "An Int of every object, one after another, in one unsynced transaction and one "
                + "sync. grdb_sql: one UPDATE."),
        Workload(
            "delete_all", unit: "objects/s",
            meaning:
                "Every object deleted by one call, with links to one and lists of five, and what "
                + "is derived of them, in one unsynced transaction and one sync. A tenth as many "
                + "objects. GRDB: rows, and a table of the lists' links with an index each way."),
        Workload(
            "delete_all_singly", unit: "objects/s",
            meaning: "The same, one object at a time, by primary key."),
        Workload(
            "read_property", unit: "ns", better: .lower, target: .atMost(2),
            meaning: "An Int property of one managed object, read ten million times."),
        Workload(
            "insert_wide", unit: "objects/s", target: .ratio(5), peer: "grdb",
            meaning: "Objects of 25 properties, a tenth as many, 10,000 per unsynced transaction, "
                + "one sync at the end inside the time."),
        Workload(
            "read_wide", unit: "objects/s", target: .ratio(5), peer: "grdb",
            meaning: "All of them, one Int read of each."),
        Workload(
            "schema_add", unit: "ms", better: .lower, target: .atMost(50),
            meaning: "Opening with one property more, a String with a default. GRDB: opening and "
                + "ALTER TABLE."),
        Workload(
            "schema_remove", unit: "ms", better: .lower, target: .atMost(50),
            meaning: "Opening with one property less."),
        Workload(
            "schema_rename", unit: "ms", better: .lower, target: .atMost(50),
            meaning: "Opening with one property under another name."),
        Workload(
            "space_log", unit: "B/object", better: .lower, target: .atMost(90),
            meaning: "Bytes of log after all objects were inserted and compacted."),
        Workload(
            "space_pages", unit: "B/object", better: .lower, target: .atMost(90),
            meaning: "Bytes of index pages on the disk then, of both kept checkpoints."),
        Workload(
            "space_compacted", unit: "B/object", better: .lower,
            meaning: "Allocated bytes of everything then, after a close. GRDB: VACUUM."),
        Workload(
            "memory_loaded", unit: "B/object", better: .lower,
            meaning: "Anonymous memory after insert_bulk, less that before opening."),
        Workload(
            "space_filled", unit: "B/object", better: .lower,
            meaning: "Allocated bytes after insert_bulk and close."),
    ]

    static let all =
        compared + QueryWorkload.workloads + TextWorkload.workloads + ObservingWorkload.workloads
        + RealmWorkloadRun.workloads

    /// The stage that measures a row.
    static func stage(of workload: String) -> ObjectTask.Stage {
        switch workload {
        case "insert_bulk", "memory_loaded", "space_filled": .load
        case "insert_durable": .durable
        case "insert_wide", "read_wide": .wide
        case "delete_all", "delete_all_singly": .linked
        case "schema_add", "schema_remove", "schema_rename": .schema
        case "space_log", "space_pages", "space_compacted": .compact
        default:
            prefixes.first { workload.hasPrefix($0.prefix) }?.stage ?? .query
        }
    }

    /// The stages that rows belong to by their prefix.
    private static let prefixes: [(prefix: String, stage: ObjectTask.Stage)] = [
        (RealmWorkloadRun.prefix, .realm), (QueryWorkload.prefix, .queries),
        (TextWorkload.rowPrefix, .texts), (ObservingWorkload.prefix, .observing),
    ]
}
