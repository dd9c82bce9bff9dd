import Foundation
import Travertine
import TravertineDocuments
import TravertineJSON
import TravertineStore

/// A feed as `tail` prints it.
protocol FollowedFeed {
    /// Whether anything was shown of it.
    var isRead: Bool { get }
    /// Shows events as lines of JSON.
    func read(_ show: (FeedLine) throws -> Void) throws -> Bool
    func acknowledge() throws
    func resume(after position: FeedPosition) throws
    func waitForChange(timeout: Duration) throws
    func close()
}

/// An event of a feed, as a JSON object.
struct FeedLine {
    /// Whether it begins, or ends, what is printed as a whole.
    enum Place { case begin, middle, end }

    let place: Place
    private(set) var text: [UInt8]

    init(_ event: String, _ place: Place = .middle) {
        self.place = place
        text = Array("{\"event\":\"\(event)\"".utf8)
    }

    /// Adds a member with a text.
    func with(_ name: String, _ value: String) -> FeedLine {
        var value8: [UInt8] = []
        JSONText.append(utf8: Array(value.utf8), to: &value8)
        return with(name, json: value8)
    }

    /// Adds a member with a value that is JSON already.
    func with(_ name: String, json: some Sequence<UInt8>) -> FeedLine {
        var line = self
        line.text.append(UInt8(ascii: ","))
        JSONText.append(name: name, to: &line.text)
        line.text += json
        return line
    }

    /// Adds members that are JSON already.
    func with(members: some Sequence<UInt8>) -> FeedLine {
        var line = self
        line.text.append(UInt8(ascii: ","))
        line.text += members
        return line
    }

    static func reached(_ position: FeedPosition) -> FeedLine {
        FeedLine("reached", .end).with("lsn", json: "\(position.lsn)".utf8)
            .with("position", position.description)
    }

    var string: String { String(decoding: text, as: UTF8.self) + "}" }
}

/// A feed of keys and values.
struct FollowedKeys: FollowedFeed {
    let feed: Feed

    var isRead: Bool { feed.position != nil }

    func read(_ show: (FeedLine) throws -> Void) throws -> Bool {
        try feed.read { event in
            switch event {
            case .snapshot(let reason):
                try show(FeedLine("snapshot", .begin).with("reason", reason.rawValue))
            case .difference: try show(FeedLine("difference", .begin))
            case .change(let change):
                let entry = EntryText.json(key: change.key, value: change.value, isHex: false)
                try show(
                    FeedLine(change.value == nil ? "delete" : "put")
                        .with("keyspace", change.keyspace.name)
                        .with(members: entry.utf8.dropFirst().dropLast()))
            case .reached(let position): try show(.reached(position))
            }
        }
    }

    func acknowledge() throws { try feed.acknowledge() }
    func resume(after position: FeedPosition) throws { try feed.resume(after: position) }
    func waitForChange(timeout: Duration) throws { try feed.waitForChange(timeout: timeout) }
    func close() { feed.close() }
}

/// A feed of objects.
struct FollowedObjects: FollowedFeed {
    let feed: ObjectFeed

    var isRead: Bool { feed.position != nil }

    func read(_ show: (FeedLine) throws -> Void) throws -> Bool {
        try feed.read { event in
            switch event {
            case .snapshot(let reason):
                try show(FeedLine("snapshot", .begin).with("reason", reason.rawValue))
            case .schema(let types):
                var names: [UInt8] = [UInt8(ascii: "[")]
                for (place, type) in types.filter({ !$0.isEmbedded }).enumerated() {
                    if place > 0 { names.append(UInt8(ascii: ",")) }
                    JSONText.append(utf8: Array(type.name.utf8), to: &names)
                }
                try show(FeedLine("schema").with("types", json: names + [UInt8(ascii: "]")]))
            case .put(let object):
                let line = FeedLine("put").with("type", object.type.name)
                    .with("number", "\(object.key)")
                try show(
                    try line.with("key", json: json(object.primaryKey))
                        .with("object", json: text(of: object)))
            case .delete(let object):
                try show(
                    try FeedLine("delete").with("type", object.type.name)
                        .with("number", "\(object.key)")
                        .with("key", json: json(object.primaryKey)))
            case .reached(let position): try show(.reached(position))
            }
        }
    }

    private func text(of object: FeedObject) throws -> String.UTF8View {
        do {
            return try Document(object.document).extendedJSON().utf8
        } catch {
            throw CommandError(
                ExitStatus.badData,
                "an object of \(object.type.name) can't be written as Extended JSON: \(error)"
                    .asSentence)
        }
    }

    /// A primary key, or null.
    private func json(_ key: StoredValue?) throws -> some Sequence<UInt8> {
        let document = try Document([("key", AnyBSON(key ?? .null))]).extendedJSON()
        // What is after the name and the colon.
        return document.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst().dropLast()
    }

    func acknowledge() throws { try feed.acknowledge() }
    func resume(after position: FeedPosition) throws { try feed.resume(after: position) }
    func waitForChange(timeout: Duration) throws { try feed.waitForChange(timeout: timeout) }
    func close() { feed.close() }
}
