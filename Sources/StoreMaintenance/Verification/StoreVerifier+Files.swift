import SegmentLog
import TravertineStore

/// The manifest, and files that do not belong in the directory.
extension StoreVerifier {
    mutating func verifyManifest(_ names: [String]) throws(StoreError) -> Manifest? {
        do {
            if let manifest = try ManifestFile.read(
                in: path, fileSystem: environment.fileSystem)
            {
                return manifest
            }
        } catch {
            guard error.code == .damaged || error.code == .notAStore else { throw error }
            report.add(
                .error, error.message,
                advice: Self.manifestAdvice,
                file: StoreFiles.manifest)
            return nil
        }
        if names.contains(StoreFiles.removedManifest) {
            throw StoreError(
                .notAStore,
                "The directory holds the rest of a store that was being removed. Removing it again, "
                    + "or opening a new store here, ends that.", file: path)
        }
        guard names.contains(where: { StoreFiles.segmentNumber(of: $0) != nil }) else {
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        }
        report.add(
            .error, "The manifest is missing.",
            advice: Self.manifestAdvice, file: StoreFiles.manifest)
        return nil
    }

    /// Which files the kept checkpoints refer to, by their descriptors alone.
    mutating func noteNeededPageFiles(_ manifest: Manifest) {
        for entry in manifest.checkpoints {
            let opened = PageFileReader.open(
                entry, directory: path, identity: manifest.identity,
                fileSystem: environment.fileSystem)
            guard case .success(let pages) = opened else { continue }
            neededPageFiles.formUnion(pages.descriptor.pageFiles.map(\.number))
        }
    }

    mutating func verifyFiles(_ names: [String], _ manifest: Manifest) {
        let kept = Set(manifest.checkpoints.compactMap(\.file))
        for name in names {
            if [StoreFiles.manifest, StoreFiles.lock, StoreFiles.scrub].contains(name) { continue }
            if let feed = StoreFiles.feedName(of: name) {
                if Store.hasFeed(named: feed, in: path, environment.fileSystem) { continue }
                report.add(
                    .note, "Nothing is remembered of the feed \(feed).",
                    advice: "Its consumer begins with a snapshot.", file: name)
                continue
            }
            if let number = StoreFiles.segmentNumber(of: name) {
                if !unreachable.contains(SegmentNumber(rawValue: number)) { continue }
                report.add(
                    .note, "The log does not lead to this segment.",
                    advice:
                        "A crash, or somebody who copied files, left it, and nothing in it counts. It "
                        + "goes when the log goes on in a newer segment.", file: name)
                continue
            }
            if let number = StoreFiles.keyHashFileNumber(of: name) {
                // A cache, which compaction makes anew when it is not as it must be.
                if names.contains(SegmentNumber(rawValue: number).fileName) { continue }
                report.add(
                    .note, "The segment whose key hashes these are is gone.",
                    advice: "They take space and nothing else; compaction removes them.", file: name
                )
                continue
            }
            if let number = StoreFiles.pageFileNumber(of: name) {
                if kept.contains(number) || neededPageFiles.contains(number) { continue }
                report.add(
                    .note, "No checkpoint needs this page file.",
                    advice: "The next opening for writing removes it.", file: name)
            } else {
                report.add(
                    .warning, "This file does not belong to the store.",
                    advice: name == StoreFiles.newManifest
                        ? "A crash while the manifest was replaced leaves it; it is harmless."
                        : "Move it elsewhere.", file: name)
            }
        }
    }
}
