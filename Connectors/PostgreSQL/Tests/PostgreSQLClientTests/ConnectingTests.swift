import PostgreSQLServer
import Testing

@testable import PostgreSQLClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct ConnectingTests {
    private func error(_ text: String) throws -> PostgreSQLError? {
        try failure { _ = try Connection(ConnectionParameters(text)) }
    }

    @Test func aConnectionKnowsItsServer() throws {
        let server = try SharedServer.running()
        let connection = try SharedServer.connect()
        #expect(connection.serverVersion >= 100_000)
        #expect(connection.reportedSetting("client_encoding") == "UTF8")
        #expect(connection.reportedSetting("application_name") == "travertine")
        #expect(connection.reportedSetting("nothing") == nil)
        #expect(connection.summary == "travertine@127.0.0.1:\(server.port)/postgres")
        #expect(!connection.isEncrypted)
        #expect(connection.backendProcess > 0)
        connection.close()
        connection.close()
        #expect(connection.isClosed)
        #expect(connection.serverVersion == 0)
        #expect(try failure { try connection.execute("SELECT 1") } == .closed)
    }

    @Test func aSocketOfUnixIsAHost() throws {
        let server = try SharedServer.running()
        let text =
            "host=\(server.socketDirectory) port=\(server.port) user=travertine dbname=postgres"
        let connection = try Connection(ConnectionParameters(text))
        #expect(try connection.query("SELECT 1").row(0).int64(0) == 1)
    }

    @Test func aWrongPasswordIsReportedWithoutThePassword() throws {
        let server = try TemporaryPostgreSQLServer(
            .password("correct horse".replacing(" ", with: "_")))
        let connection = try Connection(ConnectionParameters(server.connectionString))
        #expect(try connection.query("SELECT 1").rowCount == 1)
        let wrong = server.connectionString.replacing("correct_horse", with: "hunter22")
        let error = try error(wrong)
        #expect(error?.sqlState == .invalidPassword)
        #expect(error?.isRetryable == false)
        #expect(error?.description.contains("hunter22") == false)
        let none = server.connectionString.replacing(
            "password=correct_horse", with: "passfile=/none")
        guard case .connectionFailed(let message) = try self.error(none) else {
            Issue.record("without a password")
            return
        }
        #expect(message.contains("password"))
    }

    @Test func aHostThatDoesNotExistIsReported() throws {
        let error = try error("host=host.invalid user=a dbname=b")
        guard case .connectionFailed(let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("host.invalid"))
        #expect(error?.isRetryable == true)
    }

    @Test func aPortWhereNobodyListensIsReported() throws {
        // The proxy is released at once, and its port with it.
        let port = try SharedServer.proxy().port
        let error = try error("host=127.0.0.1 port=\(port) user=a dbname=b connect_timeout=5")
        guard case .connectionFailed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aServerWithoutTLSIsRefusedWhereTLSIsRequired() throws {
        let server = try SharedServer.running()
        let error = try error(server.connectionString + " sslmode=require")
        guard case .connectionFailed(let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("SSL"))
    }

    @Test func anUnknownDatabaseHasItsCode() throws {
        let server = try SharedServer.running()
        let error = try error(server.connectionString + " dbname=nothing")
        #expect(error?.sqlState == SQLState("3D000"))
    }

    @Test func tooManyConnectionsHaveTheirCode() throws {
        let server = try SharedServer.running()
        try SharedServer.connect().execute("CREATE ROLE lonely LOGIN CONNECTION LIMIT 1")
        let text = server.connectionString + " user=lonely"
        let first = try Connection(ConnectionParameters(text))
        let error = try error(text)
        #expect(error?.sqlState == .tooManyConnections)
        #expect(error?.isRetryable == true)
        #expect(!first.isClosed)
    }

    @Test func aServerThatSaysNothingTimesOut() throws {
        let proxy = try SharedServer.proxy()
        proxy.stall()
        let server = try SharedServer.running()
        let text = server.connectionString(port: proxy.port) + " connect_timeout=1"
        let start = ContinuousClock.now
        let error = try error(text)
        #expect(
            error
                == .timedOut(waitingFor: "a connection", limit: .seconds(1), .notApplied))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func connectingCanBeCancelled() throws {
        let proxy = try SharedServer.proxy()
        proxy.stall()
        var questionCount = 0
        var options = ConnectionOptions()
        options.isCancelled = {
            questionCount += 1
            return questionCount > 2
        }
        let error = try failure { _ = try SharedServer.connect(through: proxy, options) }
        #expect(error == .cancelled(.notApplied))
    }

    /// In another process, because the environment belongs to all tests.
    @Test func aServiceFileAndTheEnvironmentAreFollowed() async throws {
        let server = try SharedServer.running()
        await #expect(processExitsWith: .success) {
            [port = "\(server.port)" as String, directory = server.directory as String] in
            let path = directory + "/service-\(getpid()).conf"
            let file = fopen(path, "w")!
            fputs("[shop]\nhost=127.0.0.1\nport=\(port)\nuser=travertine\n", file)
            fclose(file)
            setenv("PGSERVICEFILE", path, 1)
            setenv("PGDATABASE", "postgres", 1)
            setenv("PGAPPNAME", "environment", 1)
            let connection = try Connection(ConnectionParameters("service=shop"))
            let name = connection.reportedSetting("application_name")
            let row = try connection.query("SELECT current_database()").row(0)
            guard name == "environment", try row.string(0) == "postgres" else { exit(1) }
        }
    }
}
