import FlyingSocks
import Foundation
import Travertine

@testable import StudioServer

class Keeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted(indexed: true) var age: Int?
    @Persisted var animals: List<Animal>
    @Persisted var portrait: Data?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Animal: Object {
    @Persisted var name: String
    @Persisted var keeper: Keeper?
    @Persisted var home: Home?
    @Persisted var notes: Map<String, AnyRealmValue>
    @Persisted var weight: Decimal128

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Home: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A realm in a temporary directory, with a server that shows it.
final class StudioFixture: Sendable {
    let directory: URL
    let server: StudioServer
    private let task: Task<Void, any Error>

    init(
        limits: RequestLimits = RequestLimits(), objectCount: Int = 250, isWritable: Bool = false
    ) async throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("studio-\(UUID().uuidString)", isDirectory: true)
        try Self.fill(directory, objectCount)
        let server = try await StudioServer(
            directory: directory, port: 0, isWritable: isWritable, limits: limits)
        self.server = server
        task = Task { try await server.run() }
    }

    deinit {
        task.cancel()
        try? FileManager.default.removeItem(at: directory)
    }

    static func configuration(_ directory: URL) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: directory, objectTypes: [Keeper.self, Animal.self, Home.self])
    }

    private static func fill(_ directory: URL, _ count: Int) throws {
        let realm = try Realm(configuration: configuration(directory))
        try realm.write {
            for id in 0..<count {
                let keeper = realm.create(
                    Keeper.self,
                    value: [
                        "id": id, "name": "Keeper \(id)",
                        "age": (id % 7 == 0 ? nil : id % 60) as Any,
                    ])
                guard id < 20 else { continue }
                let animal = Animal()
                animal.name = "Animal \(id)"
                animal.keeper = keeper
                animal.weight = Decimal128(value: id)
                let home = Home()
                home.coordinates.append(objectsIn: [8.5, 47.25])
                animal.home = home
                animal.notes["size"] = .int(id)
                animal.notes["tame"] = .bool(true)
                realm.add(animal)
                keeper.animals.append(animal)
                keeper.portrait = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2])
            }
        }
    }

    // MARK: Requests

    var cookie: String { "\(server.cookieName)=\(server.token)" }

    /// A request as the page sends it.
    func head(_ method: String, _ path: String, length: Int? = nil) -> String {
        let isOfPage = !path.hasPrefix("/api/") || path == "/api/session"
        let path = isOfPage ? path : server.base + path
        var head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nCookie: \(cookie)\r\n"
        if let length {
            head += "Origin: http://127.0.0.1:\(server.port)\r\nContent-Type: application/json\r\n"
            head += "Content-Length: \(length)\r\n"
        }
        return head + "Connection: close\r\n\r\n"
    }

    func get(_ path: String) async throws -> Answer { try await send(head("GET", path)) }

    func post(_ path: String, _ body: String) async throws -> Answer {
        try await send(head("POST", path, length: body.utf8.count) + body)
    }

    func send(_ text: String) async throws -> Answer { try await send(Array(text.utf8)) }

    /// Sends bytes, and reads until the server closes the connection.
    func send(_ bytes: [UInt8]) async throws -> Answer {
        let socket = try await connect()
        defer { try? socket.close() }
        try await socket.write(Data(bytes))
        return try await Self.answer(of: socket)
    }

    func connect() async throws -> AsyncSocket {
        try await AsyncSocket.connected(
            to: .inet(ip4: "127.0.0.1", port: server.port), timeout: 60)
    }

    static func answer(of socket: AsyncSocket) async throws -> Answer {
        var received: [UInt8] = []
        do {
            while true { received += try await socket.read(atMost: 4096) }
        } catch SocketError.disconnected {
            return Answer(received)
        }
    }
}

/// What a server has answered.
struct Answer {
    let status: Int
    let head: String
    let body: [UInt8]

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = text.range(of: "\r\n\r\n")
        head = end.map { String(text[..<$0.lowerBound]) } ?? text
        let headCount = end.map { text[..<$0.upperBound].utf8.count } ?? bytes.count
        body = Array(bytes.dropFirst(headCount))
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The members of the JSON object in the body.
    var json: [String: Any] {
        get throws {
            try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
        }
    }
}
