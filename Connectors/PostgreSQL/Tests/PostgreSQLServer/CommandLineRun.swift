import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One run of a program, with what it printed.
public struct CommandLineRun {
    /// The program, which is looked for in PATH, and its arguments.
    public let command: [String]

    /// A run to come.
    public init(_ command: [String]) { self.command = command }

    /// A run as a user who may change no files of others, also where the tests are run by root.
    ///
    /// - Throws: `ServerFailure` if there is no such user.
    public static func unprivileged(_ command: [String]) throws -> CommandLineRun {
        CommandLineRun(try ServerUser().command(command))
    }

    /// Runs it to its end, without input, and returns what it printed.
    ///
    /// The output goes to a file and not to a pipe: a server that the program starts would keep a
    /// pipe open.
    ///
    /// - Throws: `ServerFailure` with the output if its status is not 0.
    @discardableResult
    public func run() throws -> String {
        let path = "/tmp/tpg-\(UUID().uuidString.prefix(8)).out"
        let output = try ChildProcess.open(path, O_RDWR | O_CREAT | O_EXCL)
        defer {
            close(output)
            unlink(path)
        }
        let input = try ChildProcess.open("/dev/null", O_RDONLY)
        defer { close(input) }
        let status = try ChildProcess(command, input: input, output: output).wait()
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard status == 0 else {
            throw ServerFailure(
                "\(command.joined(separator: " ")) ended with \(status): \(text)")
        }
        return text
    }
}
