#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments>,
    _ test: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

// An environment variable and not an argument: libFuzzer starts the program again with its own.
private let parser = getenv("FUZZ_PARSER").flatMap { Parser(rawValue: String(cString: $0)) }

/// What libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    parser?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Where the program begins: SwiftPM gives the `main` of an executable this name.
///
/// With FUZZ_SEEDS set, writes the parser's seeds to that directory; else it is libFuzzer.
@_cdecl("fuzz_main")
public func fuzzMain(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    guard let parser else {
        let names = Parser.allCases.map(\.rawValue).joined(separator: " ")
        say("set FUZZ_PARSER to one of: \(names)")
        return 64
    }
    if let directory = getenv("FUZZ_SEEDS").map({ String(cString: $0) }) {
        return writeSeeds(of: parser, to: directory)
    }
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments) { testOneInput($0, $1) }
}

private func say(_ message: String) {
    let bytes = Array("fuzz: \(message)\n".utf8)
    _ = write(2, bytes, bytes.count)
}

private func writeSeeds(of parser: Parser, to directory: String) -> CInt {
    do {
        for (number, seed) in try parser.seeds().enumerated() {
            let path = "\(directory)/seed-\(number)"
            guard let file = fopen(path, "wb") else { throw SeedError(path: path) }
            defer { fclose(file) }
            guard fwrite(seed, 1, seed.count, file) == seed.count else {
                throw SeedError(path: path)
            }
        }
        return 0
    } catch {
        say("no seeds for \(parser.rawValue): \(error)")
        return 74
    }
}

private struct SeedError: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) can't be written" }
}
