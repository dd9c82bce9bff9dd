import RealmSwift
import TestSupport
import TravertineStore

@testable import Travertine

/// What a history writes in blocks that are called for changes.
extension ObservedHistory {
    /// Commits in the block of what is followed, sometimes: first by the other realm, which the block
    /// can't be notified of, and then by its own, which it is not to be notified of.
    func writeInside(_ thing: FollowedThing) {
        guard mayWriteInside, values.random.chance(25) else { return }
        mayWriteInside = false
        var steps: [InsideStep] = []
        do {
            for round in 0...values.random.below(3) {
                if round == 0 || values.random.chance(40) {
                    steps.append(try step(of: thing, isOwn: false) { try commit(other) })
                }
                // One that changed nothing makes no version that could be missed.
                if try round == 0 && isNewestShown { return }
                hasWrittenInside = true
                steps.append(
                    try step(of: thing, isOwn: true) {
                        try commit(watching, withoutNotifying: thing.tokens)
                    })
            }
            // What comes after its own is reported with what came before.
            if values.random.chance(40) { try commit(other) }
        } catch {
            thing.fail("\(error)")
        }
        thing.skip(inside: steps)
    }

    private var isNewestShown: Bool {
        get throws { try watching.store.isNewest(watching.session.shownVersion()) }
    }

    private func step(
        of thing: FollowedThing, isOwn: Bool, _ commit: () throws -> Void
    ) throws -> InsideStep {
        let (old, found) = (current, thing.found())
        try commit()
        return InsideStep(
            step: HistoryStep(old, current), isOwn: isOwn, found: (found, thing.found()))
    }

    private var current: HistoryVersion {
        HistoryVersion(data: world.data, rewriteCounts: rewriteCounts)
    }

    private func commit(
        _ writer: Realm, withoutNotifying silent: [NotificationToken] = []
    ) throws {
        world.use(writer)
        defer { world.use(watching) }
        // Who can be notified of what came before is, when the transaction begins.
        if writer == watching { version = current }
        try writer.write(withoutNotifying: silent) {
            for _ in 0...values.random.below(4) { try change() }
        }
        if writer == watching { version = current }
    }
}
