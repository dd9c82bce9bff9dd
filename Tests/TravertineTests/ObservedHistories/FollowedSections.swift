import Foundation
import RealmSwift

@testable import Travertine

/// Observed sections of results.
final class FollowedSections: FollowedThing {
    private struct Section {
        var name: String
        var keys: [WorldKey]
    }

    private var sections: [Section] = []
    private let current: () -> [Section]

    init<Key: _Persistable & Hashable, Model: ObjectBase>(
        _ name: String, _ history: ObservedHistory, _ paths: [[String]]?,
        _ sections: SectionedResults<Key, Model>
    ) {
        current = {
            sections.map { section in
                Section(name: "\(section.key)", keys: section.map { World.key(of: $0) })
            }
        }
        super.init("sections by \(name)", history, paths)
        token = sections.observe(keyPaths: keyPaths) { [unowned self] change in
            switch change {
            case .initial: begin()
            case .update(
                _, let deletions, let insertions, let modifications, let inserted, let deleted):
                take {
                    verify($0, deletions, insertions, modifications, inserted, deleted)
                }
            case .error(let error): fail("\(error)")
            }
        }
    }

    override func remember() { sections = current() }

    override func verifyNothing(_ step: HistoryStep) { verify(step, [], [], [], [], []) }

    private func verify(
        _ step: HistoryStep, _ deletions: [IndexPath], _ insertions: [IndexPath],
        _ modifications: [IndexPath], _ inserted: [Int], _ deleted: [Int]
    ) {
        let text =
            "-\(deletions.map { Array($0) }) +\(insertions.map { Array($0) }) "
            + "~\(modifications.map { Array($0) }), sections -\(deleted) +\(inserted)"
        let new = current()
        checkAscending([inserted, deleted], text)
        let staying = AppliedChange.apply(
            Array(sections.enumerated()), Array(new.enumerated()), deletions: deleted,
            insertions: inserted, modifications: [])
        guard let staying, staying.allSatisfy({ $0.old.element.name == $0.new.element.name }) else {
            return fail("\(text) does not lead to \(new.map(\.name))")
        }
        func items(_ paths: [IndexPath], _ section: Int) -> [Int] {
            paths.filter { $0[0] == section }.map { $0[1] }
        }
        var listedCount = 0
        for (old, new, _, isInserted) in staying where !isInserted {
            let (gone, come) = (items(deletions, old.offset), items(insertions, new.offset))
            let changed = items(modifications, old.offset)
            listedCount += gone.count + come.count + changed.count
            checkAscending([gone, come, changed], text)
            let elements = AppliedChange.apply(
                old.element.keys, new.element.keys, deletions: gone, insertions: come,
                modifications: changed)
            guard let elements, elements.allSatisfy({ $0.old == $0.new }) else {
                fail("\(text) does not lead to \(new.element.keys) in \(old.element.name)")
                continue
            }
            for (key, _, isModified, isInserted) in elements where !isInserted {
                checkModified("\(key)", isModified, text) { step.isModified(key, paths, $0) }
            }
        }
        if listedCount != deletions.count + insertions.count + modifications.count {
            fail("\(text) lists elements of sections that came or went")
        }
    }
}
