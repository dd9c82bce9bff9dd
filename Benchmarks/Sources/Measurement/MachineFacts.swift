#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a reader must know of the machine to judge a figure.
public struct MachineFacts: Codable, Sendable {
    /// The processor's name.
    public var processor: String
    /// Processors available.
    public var processorCount: Int
    /// Memory in MiB.
    public var memoryMebibytes: Int
    /// The kernel's name and release.
    public var system: String
    /// The load averages when the run started: other work on the machine disturbs.
    public var loadAtStart: String

    /// The facts of this machine, now.
    public init() {
        var names = utsname()
        uname(&names)
        system = Self.string(&names.sysname) + " " + Self.string(&names.release)
        processorCount = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        memoryMebibytes =
            (Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))) >> 20
        let processors = TextFile.contents(of: "/proc/cpuinfo") ?? ""
        processor =
            processors.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown"
        let load = TextFile.contents(of: "/proc/loadavg") ?? "unknown"
        loadAtStart = load.split(separator: " ").prefix(3).joined(separator: " ")
    }

    /// One line for the head of a report.
    public var summary: String {
        "\(processorCount) × \(processor), \(memoryMebibytes >> 10) GiB, \(system), "
            + "load \(loadAtStart)"
    }

    private static func string<Characters>(_ characters: inout Characters) -> String {
        withUnsafeBytes(of: &characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
