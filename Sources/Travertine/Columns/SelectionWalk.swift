import OrderedIndex
import TravertineStore

/// Reads the rows of a selection in its order, some at a time; their records are asked for before
/// their turn, also those of the next leaves.
struct SelectionWalk {
    /// A place among the matches: a leaf, and which of its matches are left.
    private struct Place {
        var number = 0
        var rest: LeafPositions
        var entries: LeafEntries?

        init(_ selection: RowSelection) {
            rest = LeafPositions(words: .zero)
            enter(selection)
        }

        /// In a leaf, before those that are left of it.
        init(_ selection: RowSelection, _ number: Int, _ rest: LeafPositions) {
            self.number = number
            self.rest = rest
            entries =
                number < selection.leaves.count ? selection.leaves[number].node.entries : nil
            _ = move(selection)
        }

        /// Goes to the next leaf if nothing is left of this one; false at the end.
        mutating func move(_ selection: RowSelection) -> Bool {
            if !rest.isEmpty { return true }
            number += 1
            enter(selection)
            return entries != nil
        }

        private mutating func enter(_ selection: RowSelection) {
            guard number < selection.leaves.count else {
                entries = nil
                return
            }
            rest = selection.leaves[number].positions
            entries = selection.leaves[number].node.entries
        }
    }

    /// How many rows are read at a time.
    static var rowCountMax: Int { RawCursor.rowCountMax }
    /// How many records are asked for before their turn.
    private static let distance = 32

    private let selection: RowSelection
    private var reader: LeafRowReader
    private var next: Place
    private var asked: Place
    /// How many records were asked for whose rows were not read.
    private var askedCount = 0

    init(_ selection: RowSelection, _ access: ReadAccess) {
        self.selection = selection
        reader = LeafRowReader(access)
        next = Place(selection)
        asked = next
    }

    /// Begins in a leaf, with those of its matches that are left.
    init(
        _ selection: RowSelection, _ access: ReadAccess, from leafNumber: Int, _ rest: LeafPositions
    ) {
        self.selection = selection
        reader = LeafRowReader(access)
        next = Place(selection, leafNumber, rest)
        asked = next
    }

    /// The part of the results that the rows are of that are read next.
    var part: Int {
        next.number < selection.leaves.count ? Int(selection.leaves[next.number].part) : 0
    }

    /// Puts the next rows into memory for `rowCountMax` of them, all of one part. None at the end
    /// only, or at damage.
    mutating func take(into rows: UnsafeMutablePointer<NumberedRow>) -> LeafRowReader.Taken {
        ask()
        var count = 0
        let part = part
        while let entries = next.entries, count < Self.rowCountMax, self.part == part {
            let taken = reader.take(
                &next.rest, of: entries, upTo: Self.rowCountMax - count, into: rows + count)
            count += taken.count
            // A compressed value is the last of its call: the next one would take its place.
            if taken.failure != nil || taken.count == 0 || !next.rest.isEmpty {
                askedCount -= count
                return (count, taken.failure)
            }
            _ = next.move(selection)
        }
        askedCount -= count
        return (count, nil)
    }

    private mutating func ask() {
        while let entries = asked.entries, askedCount < Self.distance + Self.rowCountMax {
            askedCount += reader.prefetch(
                &asked.rest, of: entries, upTo: Self.distance + Self.rowCountMax - askedCount)
            _ = asked.move(selection)
        }
    }
}
