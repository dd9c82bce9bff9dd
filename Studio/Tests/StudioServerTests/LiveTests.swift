import FlyingSocks
import Foundation
import Testing
import Travertine

@testable import StudioServer

@Suite("Events of the studio")
struct LiveTests {
    @Test(
        "a commit reaches the page as an event, and the next rows show it", .timeLimit(.minutes(1)))
    func commitIsReported() async throws {
        let studio = try await StudioFixture()
        let socket = try await studio.connect()
        defer { try? socket.close() }
        try await socket.write(Data(studio.head("GET", "/api/events").utf8))
        var received = try await Self.read(socket, until: "retry: 1000")
        try Self.rename(studio.directory)
        received += try await Self.read(socket, until: "event: version")
        #expect(received.contains("Content-Type: text/event-stream"))
        let rows = try await studio.post(
            "/api/rows",
            #"{"query":{"type":"Keeper","filter":"name == 'Renamed'","order":[]},"from":0,"count":1}"#
        )
        #expect(try rows.json["total"] as? Int == 1)
    }

    private static func rename(_ directory: URL) throws {
        let realm = try Realm(configuration: StudioFixture.configuration(directory))
        try realm.write {
            realm.object(ofType: Keeper.self, forPrimaryKey: 1)?.name = "Renamed"
        }
    }

    private static func read(_ socket: AsyncSocket, until mark: String) async throws -> String {
        var text = ""
        while !text.contains(mark) {
            text += String(decoding: try await socket.read(atMost: 4096), as: UTF8.self)
        }
        return text
    }

    @Test("of many versions the newest is sent", .timeLimit(.minutes(1)))
    func newestVersion() async throws {
        let hub = EventHub()
        var events = try #require(hub.subscribe()).makeAsyncIterator()
        for version in 1...1000 { hub.send(version: version) }
        var received: [String] = []
        while received.last?.contains("1000}") != true {
            let event = String(decoding: await events.next() ?? [], as: UTF8.self)
            if event.contains("version") { received.append(event) }
        }
        #expect(received.last == "event: version\ndata: {\"version\":1000}\n\n")
        #expect(received.count < 1000)
    }

    @Test("a port that is taken is said")
    func takenPort() async throws {
        let studio = try await StudioFixture()
        let port = studio.server.port
        let error = await #expect(throws: StudioError.self) {
            try await StudioServer(directory: studio.directory, port: port)
        }
        #expect(error?.description.contains("port \(port) of 127.0.0.1 is taken") == true)
    }

    @Test("more pages than the limit get no events")
    func limit() {
        let hub = EventHub()
        let streams = (0..<EventHub.subscriberCount).map { _ in hub.subscribe() }
        #expect(streams.allSatisfy { $0 != nil })
        withExtendedLifetime(streams) { #expect(hub.subscribe() == nil) }
    }
}
