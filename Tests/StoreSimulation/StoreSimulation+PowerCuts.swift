import SegmentLog
import SimulatedDisk
import StoreMaintenance
import StoreWorkload
import TestSupport
import TravertineStore

/// What a machine that stopped leaves of a store, looked at on a copy of its disk.
extension StoreSimulation {
    /// A power cut, or the end of a process, damages nothing: whatever of what was not synced is
    /// there, `fsck` calls the store sound at every level, and without its page files it opens from
    /// the log.
    mutating func checkSoundness() throws {
        guard isUndamaged, disk.contents(of: Self.path + "/manifest") != nil else { return }
        let copy = try copyOfDisk()
        for level in [VerificationLevel.quick, .standard, .deep] {
            let found: VerificationReport
            do {
                found = try StoreVerifier.verify(
                    path: Self.path, level: level, environment: copy.environment)
            } catch {
                throw fail("fsck at level \(level): \(error)")
            }
            guard found.isSound else {
                throw fail("fsck at level \(level) calls a sound store damaged: \(found.findings)")
            }
        }
        for path in copy.disk.paths where path.hasSuffix(".pages") { copy.disk.lose(path) }
        var options = StoreOptions()
        options.environment = copy.environment
        do {
            let store = try Store.open(at: Self.path, options: options)
            try compare(store)
            try store.close()
        } catch let error as StoreError {
            throw fail("does not open without its page files: \(error)")
        }
        report.verifiedCutCount += 1
    }

    /// The files of the store on a separate disk; the life's own randomness goes on unchanged.
    private func copyOfDisk() throws -> (disk: SimulatedDisk, environment: Environment) {
        let other = SimulatedDisk(seed: seed, fileCapacity: 8 << 20)
        let fileSystem = other.start()
        try fileSystem.createDirectory(Self.path)
        for path in disk.paths where path.hasPrefix(Self.path + "/") {
            other.setContents(of: path, disk.contents(of: path) ?? [])
        }
        let randomness = SharedRandom(SeededRandom(seed: seed))
        let clock = Clock()
        let environment = Environment(
            fileSystem: fileSystem, executor: ManualExecutor(), now: { clock.now() },
            random: { randomness.next() })
        // Copies have the same randomness: what they seal is not noted with what the life does.
        return (other, environment.encrypted(with: cipher == nil ? nil : RecordingCipher()))
    }
}
