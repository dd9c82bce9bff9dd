/// Which page files the next checkpoint goes on to refer to.
///
/// A checkpoint refers to the pages of earlier files that are still true, so that its own file has
/// only what changed. Two rules bound what that costs; the live pages of a file that they leave
/// out move to the new file:
///
/// 1. *Space*: a file of which less than half of the pages are live is left out. So the files of
///    a checkpoint have at most twice as many pages as its trees (C8).
/// 2. *Number*: files are sorted into classes by their live pages, each eight times as large as the
///    one before; when a class has eight files they are left out together. So there are at most
///    seven files in each class, and a page moves once for each class that it goes through.
enum PageFileSelection {
    /// How many files of a class are merged.
    static let fanIn = 8

    /// The numbers of the files that stay, given how many pages of each the trees refer to.
    static func kept(
        of files: [CheckpointDescriptor.PageFileReference], livePageCounts: [UInt32: Int]
    ) -> Set<UInt32> {
        var classes: [Int: [UInt32]] = [:]
        for file in files {
            let live = livePageCounts[file.number] ?? 0
            if live == 0 || 2 * live < Int(file.pageCount) { continue }
            let magnitude = Int.bitWidth - live.leadingZeroBitCount
            classes[(magnitude - 1) / 3, default: []].append(file.number)
        }
        return Set(classes.values.filter { $0.count < fanIn }.joined())
    }
}
