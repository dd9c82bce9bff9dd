import Foundation

/// The processors that this process may run on.
enum Processors {
    /// Their numbers where the system reports them; else as many as there are, from 0 on.
    static var allowed: [Int] {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        let list = line?.split(separator: ":").last.map { numbers(in: $0) } ?? []
        return list.isEmpty ? Array(0..<ProcessInfo.processInfo.activeProcessorCount) : list
    }

    /// The numbers of a list such as `0-3,8`.
    private static func numbers(in list: Substring) -> [Int] {
        list.split(separator: ",").flatMap { part -> [Int] in
            let ends = part.split(separator: "-")
                .compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
            guard let first = ends.first, let last = ends.last, first <= last else { return [] }
            return Array(first...last)
        }
    }
}

/// Ranges of seeds that processes of this program live beside each other.
enum SimulatorParts {
    private static let pinner = "/usr/bin/taskset"

    /// Starts a process for each range and waits for all; after a failure the others are ended.
    static func run(_ ranges: [SeedRange], on processors: [Int]) -> SimulationOutcome {
        let parts = zip(ranges.indices, ranges).map { place, range in
            part(range, processor: processors[place % processors.count])
        }
        let processes = parts.map(\.process)
        for part in parts {
            part.process.terminationHandler = { process in
                if process.terminationStatus == 0 { return }
                for other in processes where other.isRunning { other.terminate() }
            }
            do {
                try part.process.run()
            } catch {
                print("A process could not be started: \(error)")
                exit(70)
            }
        }
        var outcome = SimulationOutcome()
        var isWhole = true
        for part in parts {
            let data = part.output.fileHandleForReading.readDataToEndOfFile()
            part.process.waitUntilExit()
            if let found = try? JSONDecoder().decode(SimulationOutcome.self, from: data) {
                outcome.add(found)
            } else {
                isWhole = false
            }
        }
        if !isWhole, outcome.failure == nil {
            print("A process ended before it had said what it found.")
            exit(70)
        }
        return outcome
    }

    private static func part(
        _ range: SeedRange, processor: Int
    ) -> (process: Process, output: Pipe) {
        let program = CommandLine.arguments[0]
        let arguments =
            [
                "--as-part", "--first", "\(range.first)", "--seeds", "\(range.count)",
                "--rounds", "\(range.roundCount)",
            ] + (range.isEncrypted ? ["--encrypted"] : [])
        let process = Process()
        if FileManager.default.isExecutableFile(atPath: pinner) {
            process.executableURL = URL(filePath: pinner)
            process.arguments = ["-c", "\(processor)", program] + arguments
        } else {
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
        }
        let output = Pipe()
        process.standardOutput = output
        return (process, output)
    }
}
