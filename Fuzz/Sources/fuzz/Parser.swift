/// What can be fuzzed. An input's first byte says how it is used where that is mentioned: bit 0,
/// right checksums are put over it.
enum Parser: String, CaseIterable {
    /// Segments of a log, 4096 bytes each: recovery, verification, salvage, inspection.
    case segment
    /// Records, of which a log's first batches are made: replay, and what is done with the result.
    case batch
    /// A page file: the checkpoint's descriptor, and reading and changing trees of its pages.
    case pages
    /// The manifest of a small store.
    case manifest
    /// A retirement table.
    case retirement
    /// A file of key hashes.
    case keys
    /// The list of a backup's files.
    case backup
    /// A dump.
    case dump
    /// A record of the schema keyspace.
    case schema
    /// A document as BSON.
    case bson
    /// A document as Extended JSON.
    case json
    /// A predicate as text.
    case predicate

    /// Tries an input. What a damaged file may do is throw; anything else stops the program.
    func run(_ input: [UInt8]) {
        do {
            switch self {
            case .segment: try LogInput.runSegments(input)
            case .batch: try LogInput.runBatches(input)
            case .pages: try PagesInput.run(input)
            case .manifest: try DirectoryInput.runManifest(input)
            case .retirement: SmallInput.runRetirement(input)
            case .keys: SmallInput.runKeys(input)
            case .backup: try DirectoryInput.runBackup(input)
            case .dump: try DumpInput.run(input)
            case .schema: try SmallInput.runSchema(input)
            case .bson: try DocumentInput.runBSON(input)
            case .json: try DocumentInput.runJSON(input)
            case .predicate: try PredicateInput.run(input)
            }
        } catch {
            // A clean refusal is what a damaged input should get.
            refusalCount += 1
        }
    }

    /// Small inputs that are all right, to begin with.
    func seeds() throws -> [[UInt8]] {
        switch self {
        case .segment: try LogInput.segmentSeeds()
        case .batch: try LogInput.batchSeeds()
        case .pages: try PagesInput.seeds()
        case .manifest: try DirectoryInput.manifestSeeds()
        case .retirement: try SmallInput.retirementSeeds()
        case .keys: try SmallInput.keySeeds()
        case .backup: try DirectoryInput.backupSeeds()
        case .dump: try DumpInput.seeds()
        case .schema: try SmallInput.schemaSeeds()
        case .bson: try DocumentInput.bsonSeeds()
        case .json: try DocumentInput.jsonSeeds()
        case .predicate: try PredicateInput.seeds()
        }
    }
}

/// Inputs that were refused, to see in a debugger that not all are.
nonisolated(unsafe) var refusalCount = 0
