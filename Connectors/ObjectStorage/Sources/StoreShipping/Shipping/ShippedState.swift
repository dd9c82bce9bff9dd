/// What the newest point says of files, for the next one to go on from.
struct ShippedState: Sendable {
    /// The files by their names.
    var files: [String: ShippedFile] = [:]
    /// The lists by their groups.
    var lists: [ListGroup: (list: FileList, reference: ListReference)] = [:]
}

/// Files that are in one list: 128 numbers of segments, or of page files. Of a large store few
/// lists change with a point.
struct ListGroup: Hashable, Comparable, Sendable {
    private static let numberCount: UInt32 = 128

    let isSegments: Bool
    let index: UInt32

    init(isSegments: Bool, number: UInt32) {
        self.isSegments = isSegments
        index = number / Self.numberCount
    }

    static func < (left: ListGroup, right: ListGroup) -> Bool {
        left.isSegments == right.isSegments ? left.index < right.index : left.isSegments
    }
}
