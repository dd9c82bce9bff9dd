import SimulatedDisk
import StoreWorkload
import TestSupport
import TravertineStore

@testable import StoreFixtures
@testable import Travertine

extension FeedSimulation {
    private var files: [(path: String, bytes: [UInt8])] {
        machine.disk.paths.filter { $0.hasPrefix(path + "/") }.map {
            (path: $0, bytes: machine.disk.contents(of: $0) ?? [])
        }
    }

    /// Keeps the files of the realm as they are, or puts back those that were kept. A consumer
    /// whose position is in the feed's file only can't know that its own data is newer.
    func saveOrPutBack() throws {
        guard storesPosition else { return }
        try closeAll()
        guard let kept = image, random.chance(60) else {
            image = Image(files: files, reports: reports)
            return
        }
        machine.disk.loseDirectory(path)
        for file in kept.files { machine.disk.setContents(of: file.path, file.bytes) }
        reports = kept.reports
        mayDiffer = true
        // It is of another lineage now.
        backedUp = nil
        machine.disk.loseDirectory(backupPath)
        counts.puttingsBack += 1
    }

    /// Copies the files of the realm and goes on with the copy, or goes on with the one that rests.
    func copyOrTurn() throws {
        guard storesPosition else { return }
        try closeAll()
        if otherCopy == nil || random.chance(30) {
            let name = path.hasSuffix("-copy") ? String(path.dropLast(5)) : path + "-copy"
            if otherCopy == nil { try machine.fileSystem.createDirectory(name) }
            machine.disk.loseDirectory(name)
            for file in files {
                machine.disk.setContents(of: name + file.path.dropFirst(path.count), file.bytes)
            }
            otherCopy = Copy(path: name, reports: reports, secondHasBegun: secondHasBegun)
        }
        guard let other = otherCopy else { return }
        // Backups and images are the other one's.
        machine.disk.loseDirectory(backupPath)
        (backedUp, image) = (nil, nil)
        otherCopy = Copy(path: path, reports: reports, secondHasBegun: secondHasBegun)
        (path, reports, secondHasBegun) = (other.path, other.reports, other.secondHasBegun)
        mayDiffer = true
        counts.turns += 1
    }

    /// Backs up the realm, or loses it and restores the backup.
    func backUpOrRestore() throws {
        guard let backedUp, random.chance(50) else {
            // One that was interrupted goes on in the same directory.
            if backedUp != nil { machine.disk.loseDirectory(backupPath) }
            backedUp = nil
            try inProcess {
                try $0.store.backup(to: backupPath, options: BackupOptions(method: .copy))
            }
            backedUp = reports
            return
        }
        try closeAll()
        // No file that was removed before comes back in a crash.
        try machine.fileSystem.syncDirectory(path)
        machine.disk.loseDirectory(path)
        reports = backedUp
        (mayDiffer, image) = (true, nil)
        // Its feed is gone, and what it has not may be delivered before it begins.
        secondHasBegun = false
        counts.restorings += 1
        while machine.disk.contents(of: path + "/manifest") == nil {
            do {
                try StoreBackup.restore(
                    from: backupPath, to: path, options: BackupOptions(method: .copy),
                    environment: machine.environment)
            } catch {
                guard isArmed else { throw error }
                counts.interruptions += 1
                endProcess(isCrash: machine.disk.hasCrashed || random.chance(50))
                // One that was whole already is not cleared away by itself.
                machine.disk.loseDirectory(path + ".restoring")
            }
        }
    }
}
