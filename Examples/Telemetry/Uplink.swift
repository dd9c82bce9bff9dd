import Foundation
import Travertine

/// The way to a server that is sometimes away; the sequence numbers show it what it has seen.
///
/// In an app, `send` posts the documents; this one keeps them, and fails now and then.
final class Uplink {
    struct Unreachable: Error {}

    private(set) var received: [UInt64: StoredDocument] = [:]
    private(set) var repeatedCount = 0
    private var attempts = 0

    private func send(_ entries: [Outbox.Entry]) throws {
        attempts += 1
        if attempts % 4 == 2 { throw Unreachable() }
        for entry in entries
        where received.updateValue(entry.document, forKey: entry.sequence) != nil {
            repeatedCount += 1
        }
        // The server has them, but its answer is lost: they will come again.
        if attempts % 4 == 3 { throw Unreachable() }
    }

    /// Sends what waits in a realm, at most 250 readings at a time. What fails waits for the next
    /// call.
    func flush(_ realm: Realm) throws {
        while true {
            let entries = try realm.outbox.read(limit: 250)
            guard let last = entries.last else { return }
            try send(entries)
            try realm.outbox.acknowledge(upTo: last.sequence)
        }
    }
}
