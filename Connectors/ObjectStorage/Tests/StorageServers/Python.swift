import Foundation
import Testing

/// A Python that has moto, with its server, and with it botocore.
///
/// Tried in this order: `TRAVERTINE_MOTO_PYTHON`, the virtual environment `.build-moto` of the
/// package, `python3`. If none has moto, the environment is made and moto installed into it.
public enum Python {
    /// The interpreter; nil where no Python has moto and it could not be installed. Waits for
    /// programs: `isAvailable` is to be called first.
    public static let interpreter: String? = find()

    /// Whether tests that need it run. For `.enabled`.
    @Sendable public static func isAvailable() async -> Bool {
        await onThread { interpreter != nil }
    }

    /// Runs what waits for another program on its own thread: other tests measure time.
    public static func onThread<Result: Sendable>(
        _ operation: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: operation()) }.start()
        }
    }

    /// What tests are disabled with.
    public static let absence: Comment = """
        NO PYTHON WITH MOTO: set TRAVERTINE_MOTO_PYTHON, or install python3 with python3-venv. \
        Tests against an S3 server and botocore are left out.
        """

    /// A script beside these tests.
    public static func script(_ name: String) -> String {
        Bundle.module.bundleURL.appending(path: "Servers/\(name)").path
    }

    /// Runs a script to its end, and returns what it printed; nil if it failed.
    public static func run(_ arguments: [String], input: Data = Data()) async -> Data? {
        await onThread {
            guard let interpreter else { return nil }
            return output(of: interpreter, arguments, input: input)
        }
    }

    private static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func find() -> String? {
        let environment = package.appending(path: ".build-moto/bin/python").path
        let named = ProcessInfo.processInfo.environment["TRAVERTINE_MOTO_PYTHON"]
        for candidate in [named, environment, "python3"].compactMap({ $0 }) where hasMoto(candidate)
        {
            return candidate
        }
        print("Installing moto into .build-moto")
        let directory = package.appending(path: ".build-moto").path
        guard output(of: "python3", ["-m", "venv", directory]) != nil,
            output(of: environment, ["-m", "pip", "install", "--quiet", "moto[server]==5.2.1"])
                != nil,
            hasMoto(environment)
        else {
            print(absence)
            return nil
        }
        return environment
    }

    private static func hasMoto(_ interpreter: String) -> Bool {
        output(of: interpreter, ["-c", "import moto.server, botocore.auth"]) != nil
    }

    private static func output(
        of program: String, _ arguments: [String], input: Data = Data()
    ) -> Data? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let standardInput = Pipe()
        let standardOutput = Pipe()
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        // Large inputs go through while the process reads: it reads all before it prints.
        try? standardInput.fileHandleForWriting.write(contentsOf: input)
        try? standardInput.fileHandleForWriting.close()
        let data = standardOutput.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? data : nil
    }
}
