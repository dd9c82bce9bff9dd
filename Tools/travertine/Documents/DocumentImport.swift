import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments

/// `travertine import --documents`: makes objects of documents, a batch in each transaction.
///
/// A batch is durable before the next one begins. When it stops at a document, those before it are
/// stored, and none behind it.
struct DocumentImport {
    let directory: String
    let file: String
    let type: String?
    let source: String?
    let format: DocumentFile.Format?
    let batchSize: Int
    let skipsInvalid: Bool
    let printsJSON: Bool

    private static let namedInvalidCountMax = 20

    private struct Summary: Encodable {
        var insertedCount = 0
        var replacedCount = 0
        var leftOutCount = 0
        var resolvedLinkCount = 0
        var unknownFields: [String: Int] = [:]
        /// By type and property, the links whose targets are not there.
        var waitingLinks: [String: Int] = [:]
        var byteCount = 0
    }

    /// Reads everything, stores it, and tells what became of it.
    func run(until interruption: Interruption) throws {
        let collections = try source.map { try SchemaFiles.collections([$0]) } ?? []
        let realm = try open(creating: !collections.isEmpty)
        let start = ContinuousClock.now
        let summary = try StoredTypes.explained(of: realm) {
            if !collections.isEmpty { try realm.addTypes(of: collections) }
            let title = try title(realm, collections)
            let importer = try DocumentImporter(
                realm, type: title,
                schema: collections.first { $0.schema.title == title }?.schema)
            return try run(importer, realm, until: interruption)
        }
        try tell(summary, seconds: start.duration(to: .now).seconds)
    }

    private func open(creating: Bool) throws -> Realm {
        if !creating {
            return try StoredTypes.realm(
                directory, hint: " --source makes one with the types of a data source.")
        }
        return try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory, isDirectory: true), objectTypes: []))
    }

    /// The type: as told, or the only one there is.
    private func title(_ realm: Realm, _ collections: [DataSource.Collection]) throws -> String {
        if let type { return type }
        let titles =
            collections.isEmpty
            ? StoredTypes.titles(realm)
            : collections.compactMap(\.schema.title)
        if titles.count == 1, let only = titles.first { return only }
        throw CommandError(
            ExitStatus.usage,
            "say which object type the documents are of: --type NAME. There are: "
                + "\(titles.isEmpty ? "none" : titles.joined(separator: ", ")).")
    }

    private func run(
        _ importer: DocumentImporter, _ realm: Realm, until interruption: Interruption
    ) throws -> Summary {
        let input = try DocumentFile(file, format: format)
        importer.holdsDocuments = true
        var summary = Summary()
        var bar = ProgressBar("import")
        var isMore = true
        while isMore, !interruption.isRequested {
            try realm.beginWrite()
            do {
                isMore = try takeBatch(importer, input, &summary, &bar)
                if !isMore {
                    summary.resolvedLinkCount = try importer.resolveLinks()
                    try leaveOutHeld(importer, &summary, bar)
                }
            } catch let error as CommandError {
                // What stands before it is good.
                bar.clear()
                try realm.commitWrite()
                throw error
            } catch {
                bar.clear()
                realm.cancelWrite()
                throw error
            }
            try realm.commitWrite()
        }
        bar.clear()
        if interruption.isRequested {
            throw CommandError(
                ExitStatus.interrupted,
                "interrupted; \(Figures.count(input.stream.documentCount, "document")) were read, "
                    + "and are stored\(heldText(importer)). Importing all again replaces them.")
        }
        summary.insertedCount = importer.insertedCount
        summary.replacedCount = importer.replacedCount
        summary.unknownFields = importer.unknownFields
        summary.byteCount = input.stream.offset
        for links in try importer.linksWithoutTarget() {
            summary.waitingLinks["\(links.type).\(links.property)", default: 0] += links.count
            if !printsJSON {
                printToStandardError(
                    "\(links). They are set when \(links.target) is imported.")
            }
        }
        return summary
    }

    private func heldText(_ importer: DocumentImporter) -> String {
        let count = importer.heldCount
        return count == 0
            ? "" : ", except \(Figures.count(count)) whose required links have no target yet"
    }

    /// Leaves out documents that were held back for required links, in vain.
    private func leaveOutHeld(
        _ importer: DocumentImporter, _ summary: inout Summary, _ bar: ProgressBar
    ) throws {
        for held in importer.heldRefusals {
            try leaveOut("\(held.refusal)", held.position, &summary, bar)
        }
        importer.heldRefusals.removeAll()
    }

    /// Takes the documents of a batch; false if there are no more.
    private func takeBatch(
        _ importer: DocumentImporter, _ input: DocumentFile, _ summary: inout Summary,
        _ bar: inout ProgressBar
    ) throws -> Bool {
        for _ in 0..<batchSize {
            do {
                guard try input.stream.next(into: importer) else { return false }
                if !importer.heldRefusals.isEmpty { try leaveOutHeld(importer, &summary, bar) }
            } catch let error as DocumentRefusal {
                try leaveOut("\(error)", input.stream.documentCount, &summary, bar)
            } catch let error as DocumentError {
                if input.stream.isCutOff { throw cutOff(error, input, summary) }
                try leaveOut("\(error)", input.stream.documentCount, &summary, bar)
            }
        }
        bar.update(
            done: UInt64(input.stream.offset), total: input.totalByteCount,
            detail: Figures.count(input.stream.documentCount, "document"))
        return true
    }

    /// An error behind which nothing can be read, so that leaving out one document is not enough.
    private func cutOff(
        _ error: DocumentError, _ input: DocumentFile, _ summary: Summary
    ) -> CommandError {
        CommandError(
            ExitStatus.badData,
            """
            document \(input.stream.documentCount): \(error).
            The rest of the file can't be read, whether or not documents are left out. Those before \
            it are stored\(summary.leftOutCount == 0
                ? "" : ", except \(Figures.count(summary.leftOutCount)) left out"). Mend it and \
            import all again, which replaces them.
            """)
    }

    private func leaveOut(
        _ reason: String, _ position: Int, _ summary: inout Summary, _ bar: ProgressBar
    ) throws {
        guard skipsInvalid else {
            throw CommandError(
                ExitStatus.badData,
                """
                document \(position): \(reason).
                Those before it are stored. Mend it and import all again, which replaces them, or \
                leave it out with --skip-invalid.
                """)
        }
        summary.leftOutCount += 1
        if summary.leftOutCount <= Self.namedInvalidCountMax {
            bar.clear()
            printToStandardError("document \(position): \(reason); left out")
        }
    }

    private func tell(_ summary: Summary, seconds: Double) throws {
        if printsJSON {
            print(try JSONText.pretty(summary))
        } else {
            let count = summary.insertedCount + summary.replacedCount
            let rate = seconds > 0 ? Int(Double(count) / seconds) : count
            var text =
                "\(Figures.count(count, "object")), \(Figures.count(summary.replacedCount)) of "
                + "them replaced, \(Figures.bytes(summary.byteCount)),"
                + String(format: " %.2f s", seconds) + " (\(Figures.count(rate)) objects/s)"
            if summary.resolvedLinkCount > 0 {
                text += "; \(Figures.count(summary.resolvedLinkCount, "link")) found their targets"
            }
            if summary.leftOutCount > 0 {
                text += "; \(Figures.count(summary.leftOutCount)) left out"
            }
            printToStandardError(text)
            for (name, count) in summary.unknownFields.sorted(by: { $0.key < $1.key }) {
                printToStandardError(
                    "field “\(name)” has no property: passed over \(Figures.count(count)) "
                        + "time\(count == 1 ? "" : "s")")
            }
        }
        if summary.leftOutCount > 0 { throw ExitCode(1) }
    }
}
