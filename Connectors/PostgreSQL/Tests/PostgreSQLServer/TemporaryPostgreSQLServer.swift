import CLibPQ
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A PostgreSQL server for tests, on a free port of the loopback address and on a socket in its own
/// directory. It is stopped and removed with its last reference, and if the test process dies.
///
/// It syncs its files, so that what it reports as committed survives `kill9`.
///
/// For one thread at a time; connections are for any.
public final class TemporaryPostgreSQLServer: @unchecked Sendable {
    /// Who may connect.
    public enum Authentication: Sendable {
        /// Everybody.
        case trust
        /// Who knows the password (SCRAM-SHA-256).
        case password(String)
    }

    /// The name of the superuser.
    public static let user = "travertine"
    /// The database that there is.
    public static let database = "postgres"
    private static let startSecondsMax = 60

    /// Has the data directory, the socket and the log.
    public let directory: String
    /// The port on 127.0.0.1 since the last start.
    public private(set) var port: UInt16 = 0
    private let programs: ServerPrograms
    private let user: ServerUser
    private let settings: [String: String]
    private let authentication: Authentication
    private let isEncrypted: Bool
    private let reaper: Reaper

    /// Makes a server and starts it, which takes one or two seconds.
    ///
    /// - Parameters:
    ///   - isEncrypted: whether it offers TLS, with a certificate for 127.0.0.1 that is its own
    ///     root (`rootCertificate`), which the program `openssl` makes.
    ///   - settings: lines for `postgresql.conf`.
    /// - Throws: `ServerFailure`, with the server's log if it did not start.
    public init(
        _ authentication: Authentication = .trust, isEncrypted: Bool = false,
        settings: [String: String] = [:]
    ) throws {
        programs = try ServerPrograms()
        user = try ServerUser()
        self.settings = settings
        self.authentication = authentication
        self.isEncrypted = isEncrypted
        // The path of a socket has 107 bytes at most, and the usual directory may be long.
        directory = "/tmp/tpg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        user.own(directory)
        reaper = try Reaper(directory)
        try initialize()
        try start()
    }

    /// The options of libpq for a connection over TCP, with the password if one is needed.
    public var connectionString: String { connectionString(port: port) }

    /// The same for another port, such as that of a `FaultProxy`.
    public func connectionString(port: UInt16) -> String {
        let base = "host=127.0.0.1 port=\(port) user=\(Self.user) dbname=\(Self.database)"
        if case .password(let password) = authentication { return base + " password=\(password)" }
        return base
    }

    /// The directory of the socket, for `host=`.
    public var socketDirectory: String { directory }

    /// The path of the program `psql`.
    public var psql: String { programs.path("psql") }

    /// The end of the server's log.
    public var log: String {
        let text = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
        return String(text.suffix(4_000))
    }

    /// The path of the certificate, for `sslrootcert=`.
    public var rootCertificate: String { directory + "/server.crt" }

    private var key: String { directory + "/server.key" }

    private var data: String { directory + "/data" }
    private var logPath: String { directory + "/log" }

    private func initialize() throws {
        var command = [
            programs.path("initdb"), "--pgdata=\(data)", "--username=\(Self.user)",
            "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions",
        ]
        switch authentication {
        case .trust: command.append("--auth=trust")
        case .password(let password):
            let file = directory + "/password"
            try (password + "\n").write(toFile: file, atomically: false, encoding: .utf8)
            user.own(file)
            command += ["--auth=scram-sha-256", "--pwfile=\(file)"]
        }
        try CommandLineRun(user.command(command)).run()
        if isEncrypted { try makeCertificate() }
    }

    private func makeCertificate() throws {
        let command = [
            "openssl", "req", "-new", "-x509", "-days", "2", "-nodes", "-newkey", "rsa:2048",
            "-subj", "/CN=travertine test", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", key, "-out", rootCertificate,
        ]
        try CommandLineRun(user.command(command)).run()
        // PostgreSQL refuses a key that others can read.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    }

    /// Starts the server, and returns when it takes connections. After `stop` or `kill9` it has the
    /// same port if that is still free.
    ///
    /// - Throws: `ServerFailure` with the server's log.
    public func start() throws {
        var all = [
            "listen_addresses": "'127.0.0.1'", "unix_socket_directories": "'\(directory)'",
            "max_connections": "40", "shared_buffers": "16MB", "fsync": "on",
            "log_min_messages": "warning",
        ]
        if isEncrypted {
            all["ssl"] = "on"
            all["ssl_cert_file"] = "'\(rootCertificate)'"
            all["ssl_key_file"] = "'\(key)'"
        }
        all.merge(settings) { $1 }
        var failure: (any Error)?
        for _ in 0..<5 {
            if port == 0 || failure != nil { port = try LoopbackSocket.freePort() }
            all["port"] = "\(port)"
            let text = all.sorted { $0.key < $1.key }.map { "\($0) = \($1)\n" }.joined()
            try text.write(
                toFile: data + "/postgresql.auto.conf", atomically: false, encoding: .utf8)
            user.own(data + "/postgresql.auto.conf")
            do {
                try control([
                    "--wait", "--timeout=\(Self.startSecondsMax)", "--log=\(logPath)", "start",
                ])
                try waitUntilReady()
                return
            } catch {
                failure = error
            }
        }
        throw ServerFailure("the server did not start: \(failure!)\n\(log)")
    }

    /// Stops the server; connections end with 57P01.
    public func stop() throws { try control(["--mode=fast", "--wait", "stop"]) }

    /// Stops and starts the server.
    public func restart() throws {
        try stop()
        try start()
    }

    /// Ends all processes of the server at once, as a loss of power would.
    ///
    /// - Throws: `ServerFailure` if it does not run.
    public func kill9() throws {
        let file = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        guard let server = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw ServerFailure("the server does not run")
        }
        // No new processes while the others are ended.
        kill(server, SIGSTOP)
        let all = ProcessTree.children(of: server) + [server]
        for process in all { kill(process, SIGKILL) }
        for process in all { ProcessTree.waitForEnd(of: process) }
        // Until the system has removed the last trace of the process, a new server would take these
        // files for those of one that runs.
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasPrefix(".s.PGSQL.") {
            try FileManager.default.removeItem(atPath: directory + "/" + name)
        }
        try FileManager.default.removeItem(atPath: data + "/postmaster.pid")
    }

    private func control(_ arguments: [String]) throws {
        let command = [programs.path("pg_ctl"), "--pgdata=\(data)", "--silent"] + arguments
        try CommandLineRun(user.command(command)).run()
    }

    /// Connects until the server answers.
    private func waitUntilReady() throws {
        let end = ContinuousClock.now + .seconds(Self.startSecondsMax)
        let text = "host=127.0.0.1 port=\(port) user=\(Self.user) dbname=\(Self.database)"
        while PQping(text) != PQPING_OK {
            guard ContinuousClock.now < end else {
                throw ServerFailure("the server takes no connections")
            }
        }
    }
}
