import StoreMaintenance
import StoreWorkload
import TravertineStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Writes the transactions of a workload into a store for ever, and prints the number of each one
// that was acknowledged: `store-crash-writer DIRECTORY SEED`. Tests kill it.

// `store-crash-writer DIRECTORY follow` reads beside a writer instead: for each line on its
// standard input it refreshes, and prints the LSN that it sees.

if CommandLine.arguments.count == 3, CommandLine.arguments[2] == "follow" {
    let reader = try StoreReader.open(at: CommandLine.arguments[1])
    while readLine() != nil {
        try reader.refresh()
        let line = "\(reader.lsn)\n"
        guard line.withCString({ write(1, $0, strlen($0)) }) == line.utf8.count else { exit(1) }
    }
    exit(0)
}

// `store-crash-writer DIRECTORY confined` opens a store with 32 MiB of address space more than it
// has anyway, and prints the code of the error; `confined-verification` verifies it instead.

#if os(Linux)
    if CommandLine.arguments.count == 3, CommandLine.arguments[2].hasPrefix("confined") {
        var text = [UInt8](repeating: 0, count: 64)
        let file = open("/proc/self/statm", O_RDONLY)
        _ = read(file, &text, text.count)
        let pageCount = text.prefix { (0x30...0x39).contains($0) }.reduce(0) {
            $0 * 10 + UInt64($1 - 0x30)
        }
        let byteCount = pageCount * UInt64(sysconf(Int32(_SC_PAGESIZE))) + 32 << 20
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        do {
            if CommandLine.arguments[2] == "confined" {
                try Store.open(at: CommandLine.arguments[1]).close()
                print("opened")
            } else {
                let report = try StoreVerifier.verify(path: CommandLine.arguments[1])
                print(report.findings.map(\.message))
            }
        } catch {
            print(error.code.rawValue)
        }
        exit(0)
    }
#endif

guard CommandLine.arguments.count == 3, let seed = UInt64(CommandLine.arguments[2]) else {
    print("usage: store-crash-writer DIRECTORY SEED")
    exit(64)
}

var options = StoreOptions()
options.checkpointInterval = 64 << 10
options.segmentByteCount = 1 << 20
let workload = Workload(seed: seed)
let store = try Store.open(at: CommandLine.arguments[1], options: options)
var number = try Workload.counter(in: store.snapshot())
let levels: [Durability] = [.commit, .unsynced, .interval(milliseconds: 1)]
while true {
    number += 1
    let level = levels[Int(number % 3)]
    try store.write(durability: level) { try workload.apply(number, to: $0) }
    // One line in one call: a kill leaves whole lines only.
    let line = "\(number)\n"
    guard line.withCString({ write(1, $0, strlen($0)) }) == line.utf8.count else { exit(1) }
}
