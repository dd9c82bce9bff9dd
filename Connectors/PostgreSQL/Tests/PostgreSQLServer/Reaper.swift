#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Stops a server and removes its directory when it is released, or when the test process dies.
///
/// It is a shell that waits for the end of its input, which the system closes with the last process
/// that has the other end: this one.
final class Reaper: Sendable {
    private let process: ChildProcess
    private let input: Int32

    private static let script = """
        read -r line
        if [ -s "$1/data/postmaster.pid" ]; then
            server=$(head -n 1 "$1/data/postmaster.pid")
            kill -QUIT "$server" 2>/dev/null
            while kill -0 "$server" 2>/dev/null && [ -e "$1/data/postmaster.pid" ]; do sleep 0.02; done
        fi
        rm -rf "$1"
        """

    /// Watches over the server whose data are in `DIRECTORY/data`.
    init(_ directory: String) throws {
        let pipe = try ChildProcess.makePipe()
        defer { close(pipe.reading) }
        let output = try ChildProcess.open("/dev/null", O_WRONLY)
        defer { close(output) }
        input = pipe.writing
        do {
            process = try ChildProcess(
                ["/bin/sh", "-c", Self.script, "reaper", directory], input: pipe.reading,
                output: output)
        } catch {
            close(pipe.writing)
            throw error
        }
    }

    deinit {
        close(input)
        process.wait()
    }
}
