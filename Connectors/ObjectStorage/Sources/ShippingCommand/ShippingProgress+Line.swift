import StoreShipping

/// What programs read.
extension ShippingProgress {
    /// A line for programs.
    struct Line: Encodable {
        var event: String
        var message: String?
        var point: PointSummary?
        var puts: Int?
        var bytes: UInt64?
        var resumedBytes: UInt64?
        var milliseconds: Int64?
        var history: UInt64?
        var firstPoint: UInt64?
        var files: Int?
        var isVerified: Bool?
        var points: Int?
        var keptPoints: Int?
        var objects: Int?
        var isDryRun: Bool?
        var lsn: UInt64?
        var requestedLSN: UInt64?
        var commitsThrough: UInt64?
        var hasManifest: Bool?
        var finding: CheckFinding?
        var needsRepair: Bool?
        var check: CheckSummary?
    }

    /// The end of a check, for programs.
    struct CheckSummary: Encodable {
        var points: Int
        var soundPoints: Int
        var objects: Int
        var otherObjects: Int
        var bytes: UInt64
        var readBytes: UInt64
        var restoredLSN: UInt64?
        var isVerified: Bool?
        var findings: Int
        var needsRepair: Bool
        var repairedFrom: UInt64?
        var lostPoints: Int
    }
}

extension ShippingProgress.CheckSummary {
    init(_ report: CheckReport) {
        self.init(
            points: report.pointCount, soundPoints: report.soundPointCount,
            objects: report.objectCount, otherObjects: report.otherObjectCount,
            bytes: report.byteCount, readBytes: report.readByteCount,
            restoredLSN: report.restoredLSN, isVerified: report.isVerified,
            findings: report.findings.count, needsRepair: report.needsRepair,
            repairedFrom: report.repairedFrom, lostPoints: report.lostPointCount)
    }
}
