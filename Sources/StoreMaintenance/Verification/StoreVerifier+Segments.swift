import SegmentLog
import TravertineStore

/// The steps that read segments as files.
extension StoreVerifier {
    /// Looks at the header of every segment, and counts what there is to be read.
    mutating func verifyHeaders(_ segments: [UInt32], _ manifest: Manifest?) {
        for number in segments {
            let name = SegmentNumber(rawValue: number).fileName
            totalByteCount += UInt64(
                environment.fileSystem.allocatedByteCount(of: path + "/" + name))
            do {
                let found = try SegmentLog.verifyHeader(
                    of: SegmentNumber(rawValue: number), in: path, identity: manifest?.identity,
                    environment: environment)
                report.segmentCount += 1
                damage += found.damage
            } catch {
                noteUnreadable(number, error)
            }
        }
    }

    /// Reads what no other step has read of the segments.
    mutating func verifyBatches(_ segments: [UInt32]) {
        for number in segments where !unreadable.contains(number) {
            do {
                let found = try SegmentLog.verifyBatches(
                    of: SegmentNumber(rawValue: number), in: path, after: verifiedEnds[number],
                    environment: environment)
                report.batchCount += found.batchCount
                report.recordCount += found.recordCount
                report.byteCount += found.byteCount
                verifiedByteCount += found.byteCount
                damage += found.damage
            } catch {
                noteUnreadable(number, error)
            }
            reportProgress("segments", verifiedByteCount)
        }
    }

    /// Notes what a walk over the log has verified.
    mutating func noteVerified(_ log: RecoveryReport) {
        for segment in log.segments {
            verifiedEnds[segment.number.rawValue] = (
                Int(clamping: segment.endOffset), segment.lastLSN.next
            )
        }
        report.batchCount += log.batchCount
        report.recordCount += log.recordCount
        report.byteCount += log.byteCount
        verifiedByteCount += log.byteCount
    }

    /// Reports what in segments are no batches.
    mutating func reportDamage(as severity: VerificationReport.Finding.Severity) {
        for damage in damage {
            report.add(
                severity, "\(damage.reason).",
                advice: severity == .error
                    ? "These bytes can't be believed. Restore the store from a backup, or get back "
                        + "what is intact: travertine recover DIRECTORY NEW"
                    : "Nothing that counts is lost: the log is whole without these bytes, as after "
                        + "a crash. Opening ignores them.",
                file: damage.file, offset: damage.offset, lsn: damage.lsn?.rawValue)
        }
    }

    private mutating func noteUnreadable(_ number: UInt32, _ error: FileSystemError) {
        unreadable.insert(number)
        report.add(
            .error, "The segment can't be read: \(error)",
            advice: "Check the permissions and the disk. If the disk is failing, copy what "
                + "can be read elsewhere first, then run `travertine recover` on the copy.",
            file: SegmentNumber(rawValue: number).fileName)
    }
}
