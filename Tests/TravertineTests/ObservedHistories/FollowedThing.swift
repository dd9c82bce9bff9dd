import RealmSwift
import Testing

@testable import Travertine

/// Something that a history observes: it compares what it is notified of with the model.
///
/// In each call, and after each refresh, it compares the version that it knows with the one that
/// the realm shows. What was not reported must not differ.
class FollowedThing {
    /// What it is, in failures.
    let name: String
    let history: ObservedHistory
    let paths: [[String]]?
    var token: NotificationToken?
    private(set) var problems: [String] = []
    /// How many changes were reported.
    private(set) var reportCount = 0
    /// The version that was reported last; nil before the first.
    private var told: HistoryVersion?
    private(set) var isEnded = false
    /// What was committed in its block since then, of which it knows its own part; nothing where it
    /// is notified of all of that.
    private var inside: [InsideStep] = []

    init(_ name: String, _ history: ObservedHistory, _ paths: [[String]]?) {
        self.name = "\(name) \(paths.map { "\($0.map { $0.joined(separator: ".") })" } ?? "*")"
        self.history = history
        self.paths = paths
    }

    var keyPaths: [String]? { paths?.map { $0.joined(separator: ".") } }

    /// What ends the observations of it.
    var tokens: [NotificationToken] { [token].compactMap { $0 } }

    /// Notes a failure, with what was reported.
    final func fail(_ text: String) { problems.append(text) }

    /// Remembers what it shows now, to compare the next version with.
    func remember() {}

    /// Begins: the realm shows what the model has.
    final func begin() {
        told = history.version
        inside = []
        remember()
    }

    /// Takes what is reported, and compares both versions by a block.
    final func take(_ verify: (HistoryStep) -> Void) {
        guard let old = told else { return begin() }
        reportCount += 1
        verify(step(from: old))
        begin()
        if !isEnded { history.writeInside(self) }
    }

    private func step(from old: HistoryVersion) -> HistoryStep {
        let step = HistoryStep(old, history.version)
        step.inside = inside
        return step
    }

    /// What its query finds in what was written last; nil if it has none.
    func found() -> [WorldKey]? { nil }

    /// Takes what was committed in its block, of which its own commits are not reported to it.
    func skip(inside steps: [InsideStep]) { inside = steps }

    /// Takes a transaction of which it was not to be notified.
    func skip() { if told != nil { begin() } }

    /// Ends it: nothing more is reported.
    final func end() {
        isEnded = true
        token = nil
    }

    /// Nothing was reported since: nothing may differ.
    func verifyNothing(_ step: HistoryStep) {}

    /// Whether it has something to compare that it was not notified of.
    final func check() {
        if isEnded { return }
        guard let old = told else { return fail("was not called at first") }
        verifyNothing(step(from: old))
        begin()
    }

    /// Checks that positions ascend.
    final func checkAscending(_ positions: [[Int]], _ text: String) {
        for list in positions where zip(list, list.dropFirst()).contains(where: { $0 >= $1 }) {
            fail("not ascending: \(text)")
        }
    }

    /// Checks positions alone: those of what is there now, and of as many before as they leave.
    final func checkPositions(
        _ deletions: [Int], _ insertions: [Int], _ modifications: [Int], _ count: Int,
        _ text: String
    ) {
        let before = 0..<(count - insertions.count + deletions.count)
        if !insertions.allSatisfy((0..<count).contains)
            || !(deletions + modifications).allSatisfy(before.contains)
        {
            fail("\(text) does not fit \(count) elements")
        }
    }

    /// Compares modifications with the model: of elements that stayed, by their positions.
    final func checkModified(
        _ element: String, _ isReported: Bool, _ text: String,
        _ isModified: (HistoryStep.Strictness) -> Bool
    ) {
        if isReported ? !isModified(.may) : isModified(.must) {
            fail("\(text): \(element) is \(isReported ? "" : "not ")reported as modified")
        }
    }
}

/// Applies positions to what there was.
enum AppliedChange {
    /// The elements that stayed, with whether each was reported as modified, and at the positions of
    /// insertions those of the new version; nil if the result is not the new version.
    static func apply<Element>(
        _ old: [Element], _ new: [Element], deletions: [Int], insertions: [Int],
        modifications: [Int]
    ) -> [(old: Element, new: Element, isModified: Bool, isInserted: Bool)]? {
        guard (deletions + modifications).allSatisfy(old.indices.contains),
            insertions.allSatisfy(new.indices.contains),
            old.count - deletions.count + insertions.count == new.count
        else { return nil }
        let (deleted, inserted) = (Set(deletions), Set(insertions))
        let modified = Set(modifications)
        var staying = old.indices.filter { !deleted.contains($0) }[...]
        return new.indices.map { position in
            if inserted.contains(position) {
                return (new[position], new[position], false, true)
            }
            let place = staying.removeFirst()
            return (old[place], new[position], modified.contains(place), false)
        }
    }
}
