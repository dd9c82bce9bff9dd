import Measurement

/// The options of `kv`.
struct KeyValueOptions {
    var size = RunSize.standard
    var engines = EngineName.standard
    var workloads: Set<String>
    var repetitionCount: Int
    var directory: String
    /// Lines of JSON for the rows `cold_…`.
    var citiesPath = "Examples/Data/cities.jsonl"
    /// The library of SQLCipher; nil is the installed one.
    var sqlcipherPath: String?
    var jsonPath: String?
    var chartPath: String?
    var markdownPath: String?

    static let help = """
        usage: kv [options]

        Measures Travertine and its peers with the same workloads in the same run, and prints a
        table of medians, ratios to the best peer, and targets.

          --size smoke|standard|large   50 thousand (under a minute a suite), 1 million (default)
                                        or 10 million records
          --suite basic|sustained       the rows of a fresh store (default), or those of one that
                                        is overwritten, compacted, backed up and verified
          --engines a,b,…               of travertine, lmdb, rocksdb, leveldb, sqlite (all of
                                        these unless given), lmdb_nosync, and with encryption
                                        travertine_encrypted, sqlcipher
          --workloads a,b,…             rows to measure, of any suite; all of the suite unless given
          --repeat N                    repetitions; 3, or 1 for smoke and large
          --records N                   records, instead of the size's
          --value-bytes N               bytes of a value, instead of 100
          --cities FILE                 lines of JSON for the rows cold_…; unless given,
                                        Examples/Data/cities.jsonl below the current directory
          --sqlcipher FILE              the library of SQLCipher, instead of the installed one
          --directory PATH              where the data goes; it is removed afterwards. Unless given,
                                        .build-bench below the current directory, or TMPDIR if set
          --json FILE                   all values, with the machine and the settings
          --svg FILE                    a chart
          --markdown FILE               the table as Markdown
          --list                        the workloads and what they mean
          --help                        this text

        A figure of a busy machine says little: leave the machine alone during a run.
        """

    /// What the arguments ask for; nil if they asked for a text, which was printed.
    init?(_ arguments: [String]) throws {
        var reader = ArgumentReader(arguments)
        var repetitions: Int?
        var directory: String?
        var recordCount: Int?
        var valueByteCount: Int?
        var suite = KeyValueWorkloads.basic
        var named: Set<String>?
        while let name = reader.nextName() {
            switch name {
            case "--help", "-h":
                print(Self.help)
                return nil
            case "--list":
                Self.printWorkloads()
                return nil
            case "--size":
                let size = try reader.value(of: name)
                guard let known = RunSize.all.first(where: { $0.name == size }) else {
                    throw BenchmarkError("--size is smoke, standard or large, not “\(size)”.")
                }
                self.size = known
            case "--engines":
                let known = EngineName.allCases.map(\.rawValue)
                engines = try reader.names(of: name, among: known)
                    .compactMap(EngineName.init(rawValue:))
            case "--workloads":
                let known = KeyValueWorkloads.all.map(\.workload.name)
                named = Set(try reader.names(of: name, among: known))
            case "--suite":
                switch try reader.value(of: name) {
                case "basic": suite = KeyValueWorkloads.basic
                case "sustained": suite = KeyValueWorkloads.sustained
                default: throw BenchmarkError("--suite is basic or sustained.")
                }
            case "--cities": citiesPath = try reader.value(of: name)
            case "--sqlcipher": sqlcipherPath = try reader.value(of: name)
            case "--repeat": repetitions = try reader.number(of: name)
            case "--records": recordCount = try reader.number(of: name)
            case "--value-bytes": valueByteCount = try reader.number(of: name)
            case "--directory": directory = try reader.value(of: name)
            case "--json": jsonPath = try reader.value(of: name)
            case "--svg": chartPath = try reader.value(of: name)
            case "--markdown": markdownPath = try reader.value(of: name)
            default:
                throw BenchmarkError("\(name) is not an option; --help lists them.")
            }
        }
        workloads = named ?? Set(suite.map(\.workload.name))
        if let recordCount {
            size.recordCount = UInt64(recordCount)
            size.limitedRecordCount = UInt64(recordCount)
        }
        if let valueByteCount { size.valueByteCount = valueByteCount }
        _ = try Records(valueByteCount: size.valueByteCount)
        repetitionCount = repetitions ?? size.repetitionCount
        self.directory = directory ?? BenchmarkDirectory.standard
    }

    private static func printWorkloads() {
        for (workload, _) in KeyValueWorkloads.all {
            print("\(workload.name) (\(workload.unit)): \(workload.meaning)")
        }
    }
}
