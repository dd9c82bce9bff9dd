import Measurement

/// The options of `objects`.
struct ObjectOptions {
    var sizeName = "standard"
    var count = 1_000_000
    var durableSeconds = 3.0
    var repetitionCount = 3
    var workloads = Set(ObjectWorkloads.all.map(\.name))
    var engines = ObjectEngineName.allCases
    var directory = BenchmarkDirectory.standard
    var jsonPath: String?
    var chartPath: String?
    var markdownPath: String?
    /// Where the chart of queries by the number of objects goes; nil for a run of one size.
    var growthPath: String?
    var growthSizes = GrowthCampaign.sizes

    static let help = """
        usage: objects [options]

        Measures Travertine's objects and GRDB with the same workloads in the same run.

          --size smoke|standard|large
                                  20 thousand (under a minute in all), 1 million (default) or 10
                                  million objects (only the changes of the schema, unless
                                  --workloads says otherwise)
          --engines a,b,…         of travertine, grdb, grdb_sql; all unless given
          --workloads a,b,…       rows to measure; all unless given
          --repeat N              repetitions; 3, or 1 for smoke and large
          --objects N             objects, instead of the size's
          --directory PATH        where the data goes; it is removed afterwards. Unless given,
                                  .build-bench below the current directory, or TMPDIR if set
          --json FILE             all values, with the machine and the settings
          --svg FILE              a chart
          --markdown FILE         the table as Markdown
          --growth FILE           the queries (q_…) at several numbers of objects, once each unless
                                  --repeat says otherwise, and a chart of queries a second by size
          --sizes N,N,…           the numbers for --growth; 100000,1000000,10000000 unless given
          --list                  the workloads and what they mean
          --help                  this text
        """

    /// What the arguments ask for; nil if they asked for a text, which was printed.
    init?(_ arguments: [String]) throws {
        var reader = ArgumentReader(arguments)
        var repetitions: Int?
        var objectCount: Int?
        var named: Set<String>?
        while let name = reader.nextName() {
            switch name {
            case "--help", "-h":
                print(Self.help)
                return nil
            case "--list":
                for row in ObjectWorkloads.all {
                    print("\(row.name) (\(row.unit)): \(row.meaning)")
                }
                return nil
            case "--size":
                sizeName = try reader.value(of: name)
                switch sizeName {
                case "smoke": (count, durableSeconds, repetitionCount) = (20_000, 0.5, 1)
                case "large":
                    (count, durableSeconds, repetitionCount) = (10_000_000, 3, 1)
                case "standard": (count, durableSeconds, repetitionCount) = (1_000_000, 3, 3)
                default:
                    throw BenchmarkError("--size is smoke, standard or large, not “\(sizeName)”.")
                }
            case "--engines":
                let known = ObjectEngineName.allCases.map(\.rawValue)
                engines = try reader.names(of: name, among: known)
                    .compactMap(ObjectEngineName.init(rawValue:))
            case "--workloads":
                let known = ObjectWorkloads.all.map(\.name)
                named = Set(try reader.names(of: name, among: known))
            case "--repeat": repetitions = try reader.number(of: name)
            case "--objects": objectCount = try reader.number(of: name)
            case "--directory": directory = try reader.value(of: name)
            case "--json": jsonPath = try reader.value(of: name)
            case "--svg": chartPath = try reader.value(of: name)
            case "--growth": growthPath = try reader.value(of: name)
            case "--sizes":
                let text = try reader.value(of: name)
                growthSizes = try text.split(separator: ",").map {
                    guard let size = Int($0), size > 0 else {
                        throw BenchmarkError("--sizes are numbers of objects, not “\($0)”.")
                    }
                    return size
                }
            case "--markdown": markdownPath = try reader.value(of: name)
            default: throw BenchmarkError("\(name) is not an option; --help lists them.")
            }
        }
        if sizeName == "large" { workloads = Set(SchemaChange.allCases.map(\.rawValue)) }
        workloads = named ?? workloads
        if growthPath != nil {
            try require(
                workloads.contains { $0.hasPrefix(QueryWorkload.prefix) } && !growthSizes.isEmpty,
                "--growth measures rows that begin with \(QueryWorkload.prefix), at one size or more."
            )
            repetitionCount = 1
        }
        count = objectCount ?? count
        repetitionCount = repetitions ?? repetitionCount
    }
}
