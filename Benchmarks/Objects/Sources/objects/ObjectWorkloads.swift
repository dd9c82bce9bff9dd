import Measurement

/// The rows of the table.
enum ObjectWorkloads {
    static let all = [
        Workload(
            "insert_bulk", unit: "objects/s",
            meaning: "10,000 objects per transaction, unsynced, one sync at the end inside the "
                + "time."),
        Workload(
            "insert_durable", unit: "commits/s",
            meaning: "One object per transaction, each durable when its commit returns."),
        Workload(
            "open", unit: "ms", better: .lower,
            meaning: "Open to the first property of a person by primary key, in a new process."),
        Workload(
            "get_by_key", unit: "objects/s",
            meaning: "An object by its primary key, an Int and a String read."),
        Workload(
            "iterate_all", unit: "objects/s",
            meaning: "All objects, one Int read of each."),
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
            "walk_links", unit: "hops/s",
            meaning: "From a random object along to-one links, an Int read per hop."),
        Workload(
            "follow_all", unit: "objects/s",
            meaning: "All objects, their link followed, an Int read there."),
        Workload(
            "update", unit: "objects/s",
            meaning: "An Int of a tenth of all objects (100,000 of a million), scattered, in one "
                + "unsynced transaction and one sync."),
        Workload(
            "memory_loaded", unit: "B/object", better: .lower,
            meaning: "Anonymous memory after insert_bulk, less that before opening."),
        Workload(
            "space_filled", unit: "B/object", better: .lower,
            meaning: "Allocated bytes after insert_bulk and close."),
    ]
}
