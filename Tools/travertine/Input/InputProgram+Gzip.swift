import Foundation

extension InputProgram {
    /// The system's `gzip`, which decompresses a file.
    ///
    /// - Parameters:
    ///   - file: the compressed file.
    ///   - name: what messages call the file.
    static func gzip(reading file: Int32, name: String) throws -> InputProgram {
        try InputProgram(
            "/usr/bin/env", ["gzip", "-dc"],
            input: FileHandle(fileDescriptor: file, closeOnDealloc: false),
            startFailure: CommandError(
                ExitStatus.inputOutput, "\(name) can't be decompressed: gzip can't be started.")
        ) { end, text in
            switch end {
            case .status(0): return nil
            case .status(127):
                return CommandError(
                    ExitStatus.inputOutput,
                    "\(name) can't be decompressed: gzip is not installed. Install it, or "
                        + "decompress the file elsewhere.")
            // With 2 it warns: what follows the compressed bytes is none, and would be left out.
            case .status:
                let reason = text.split(separator: "\n").first { !$0.isEmpty } ?? "it is damaged"
                return CommandError(ExitStatus.badData, "\(name) can't be decompressed: \(reason)")
            case .signal(let signal):
                return CommandError(
                    ExitStatus.inputOutput,
                    "\(name) was not decompressed to its end: gzip was ended by signal \(signal).")
            }
        }
    }
}
