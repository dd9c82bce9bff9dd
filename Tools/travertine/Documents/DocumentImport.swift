import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments
import TravertineStore

/// `travertine import --documents`: makes objects of documents, a batch in each transaction.
///
/// A batch is durable before the next one begins. When it stops at a document, those before it are
/// stored but for those whose required links have no target, which are named, and none after it. A
/// store that it made is removed again if it ends with an error and nothing in it.
struct DocumentImport {
    let arguments: DocumentArguments
    let batchSize: Int
    let skipsInvalid: Bool

    private static let namedInvalidCountMax = 20

    fileprivate struct Summary: Encodable {
        var insertedCount = 0
        var replacedCount = 0
        var leftOutCount = 0
        var resolvedLinkCount = 0
        var unknownFields: [String: Int] = [:]
        /// Fields that were null where the property can't be nil, so that they have its default.
        var defaultedFields: [String: Int] = [:]
        /// By type and property, the links whose targets are not there.
        var waitingLinks: [String: Int] = [:]
        /// Constraints of the schema that are not checked, each with its place.
        var uncheckedConstraints: [String] = []
        var byteCount = 0
        /// The position of the document that the import stopped at.
        var stoppedAt: Int?
        /// Whether the rest of the file can't be read.
        var isCutOff = false
        /// Whether it was interrupted.
        var isInterrupted = false
    }

    /// What became of an import, and the error that it ends with.
    private struct Outcome {
        var summary = Summary()
        var failure: CommandError?
        /// Whether the import made the store, and no object is in it.
        var hasMadeForNothing: Bool { hasMadeStore && summary.objectCount == 0 }
        var hasMadeStore = false
        /// The types that a store which was there has got of the data source.
        var addedTypes: [String] = []
    }

    /// Why the import stops at a document, before what becomes of those before it is known.
    private struct Stop: Error {
        let position: Int
        let reason: String
        /// How many were left out, and what may be done.
        let leftOut: String
        let advice: String
    }

    /// Reads everything, stores it, and reports what became of it.
    func run(until interruption: Interruption) throws {
        // Before a store is made.
        let collections = try arguments.collections()
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: arguments.directory, isDirectory: true),
            encryptionKey: try StoreKey.data(for: arguments.directory), objectTypes: [])
        let start = ContinuousClock.now
        var outcome = Outcome()
        do {
            try run(collections, configuration, &outcome, until: interruption)
            if let failure = outcome.failure { throw failure }
        } catch {
            let isStopped = outcome.failure == nil && outcome.summary.objectCount > 0
            if outcome.failure != nil || isStopped, arguments.printsJSON {
                print(try JSONReport.text(of: outcome.summary))
            }
            if isStopped {
                let count = Figures.count(outcome.summary.objectCount, "document")
                printToStandardError(
                    "Stopped after \(count), which are stored. Once the cause below is gone, import "
                        + "all again, which replaces them.")
            }
            if outcome.hasMadeForNothing {
                removeStore()
            } else {
                reportAddedTypes(outcome)
            }
            throw error
        }
        try report(outcome.summary, seconds: start.duration(to: .now).seconds)
    }

    /// Removes a store that the import made, if it holds types at most.
    private func removeStore() {
        do {
            try StoreArguments.removeIfEmpty(arguments.directory)
        } catch {
            let reason = (error as? StoreError)?.message ?? "\(error)"
            printToStandardError(
                "\(arguments.directory), which has no objects, was not removed: \(reason)")
        }
    }

    /// Prints which types stay in a store that was there, although the import ended with an error.
    private func reportAddedTypes(_ outcome: Outcome) {
        if outcome.hasMadeStore || outcome.addedTypes.isEmpty { return }
        let isOne = outcome.addedTypes.count == 1
        printToStandardError(
            "\(arguments.directory) has got the object type\(isOne ? "" : "s") "
                + outcome.addedTypes.joined(separator: ", ")
                + " from \(arguments.source ?? ""), and keeps \(isOne ? "it" : "them").")
    }

    private func run(
        _ collections: [DataSource.Collection], _ configuration: Realm.Configuration,
        _ outcome: inout Outcome, until interruption: Interruption
    ) throws {
        let wasThere = Realm.fileExists(for: configuration)
        let realm =
            collections.isEmpty
            ? try StoredTypes.realm(
                arguments.directory, hint: " --source makes one with the types of a data source.")
            : try Realm(configuration: configuration)
        interruption.begin()
        // Another process may have made it in the meantime.
        outcome.hasMadeStore = !wasThere && realm.schema.objectSchema.isEmpty
        try StoredTypes.explained(of: realm) {
            let title = try StoredTypes.title(arguments.type, realm, collections)
            let schema = try StoredTypes.schema(of: title, in: collections, arguments.source)
            // A file that can't be read adds no types.
            let input = try DocumentFile(
                arguments.origin, format: arguments.format, until: interruption)
            if !collections.isEmpty {
                // What a type that is there lacks is reported before others are made.
                if realm.schema.objectSchema.contains(where: { $0.objectTypeName == title }) {
                    _ = try DocumentImporter(realm, type: title, schema: schema)
                }
                let before = Set(realm.schema.objectSchema.map(\.objectTypeName))
                try realm.addTypes(of: collections)
                outcome.addedTypes = realm.schema.objectSchema.map(\.objectTypeName)
                    .filter { !before.contains($0) }.sorted()
            }
            try StoredTypes.requireKey(arguments.key, of: title, realm)
            let importer = try DocumentImporter(
                realm, type: title, schema: schema, collections: collections)
            outcome.summary.uncheckedConstraints = UncheckedConstraints.report(
                schema, toStandardError: !arguments.printsJSON)
            outcome.failure = try run(
                importer, realm, input, &outcome.summary, until: interruption)
            outcome.summary.count(importer, input)
            try countWaitingLinks(importer, &outcome)
        }
    }

    /// Imports everything; the error that it ends with, if it stops or is interrupted.
    private func run(
        _ importer: DocumentImporter, _ realm: Realm, _ input: DocumentFile,
        _ summary: inout Summary, until interruption: Interruption
    ) throws -> CommandError? {
        importer.holdsDocuments = true
        var bar = ProgressBar("import")
        defer { bar.clear() }
        var isMore = true
        while isMore, !interruption.isRequested {
            realm.beginWrite()
            do {
                isMore = try takeBatch(importer, input, &summary, &bar)
                if !isMore, !interruption.isRequested {
                    summary.resolvedLinkCount = try importer.resolveLinks()
                    try leaveOutHeld(importer, &summary, bar)
                }
            } catch let stop as Stop {
                summary.stoppedAt = stop.position
                summary.isCutOff = input.stream.isCutOff
                return try commit(importer, realm, input, before: stop)
            } catch {
                realm.cancelWrite()
                throw error
            }
            try realm.commitWrite()
            summary.count(importer, input)
        }
        guard interruption.isRequested else { return nil }
        summary.isInterrupted = true
        return interruption.error(
            "\(Figures.count(input.stream.documentCount, "document")) were read, "
                + "and are stored\(heldText(importer)). Importing all again replaces them.")
    }

    private func countWaitingLinks(
        _ importer: DocumentImporter, _ outcome: inout Outcome
    ) throws {
        for links in try importer.linksWithoutTarget() {
            let path = "\(links.type).\(links.property)"
            outcome.summary.waitingLinks[path, default: 0] += links.count
            if !arguments.printsJSON, outcome.failure == nil {
                printToStandardError(
                    "\(links). They are set when \(links.target) is imported.")
            }
        }
    }

    /// Commits what is before a document that the import stops at.
    ///
    /// - Returns: the error to report.
    private func commit(
        _ importer: DocumentImporter, _ realm: Realm, _ input: DocumentFile, before stop: Stop
    ) throws -> CommandError {
        do {
            try importer.resolveLinks()
            try realm.commitWrite()
        } catch {
            if realm.isInWriteTransaction { realm.cancelWrite() }
            throw error
        }
        let last = input.stream.documentCount
        let others = importer.heldRefusals.map(\.position).filter { $0 != stop.position }.sorted()
        let named = others.prefix(Self.namedInvalidCountMax).map { Figures.count($0) }
        if importer.insertedCount + importer.replacedCount == 0 {
            return CommandError(
                ExitStatus.badData,
                "document \(stop.position): \(stop.reason.asSentence)\nNothing was stored. "
                    + stop.advice)
        }
        let stored =
            stop.position < last
            ? "The others up to document \(last) are stored" : "Those before it are stored"
        let waiting =
            others.isEmpty
            ? ""
            : ", except document\(others.count == 1 ? "" : "s") "
                + named.joined(separator: ", ") + (others.count > named.count ? ", …" : "")
                + ", which \(others.count == 1 ? "needs" : "need") others that are not there"
        return CommandError(
            ExitStatus.badData,
            "document \(stop.position): \(stop.reason.asSentence)\n"
                + "\(stored)\(stop.leftOut)\(waiting). "
                + stop.advice)
    }

    private func heldText(_ importer: DocumentImporter) -> String {
        let count = importer.heldCount
        return count == 0
            ? "" : ", except \(Figures.count(count)) whose required links have no target yet"
    }

    /// Leaves out documents that were held back for required links that stayed without a target.
    private func leaveOutHeld(
        _ importer: DocumentImporter, _ summary: inout Summary, _ bar: ProgressBar
    ) throws {
        for held in importer.heldRefusals {
            try leaveOut("\(held.refusal)", held.position, &summary, bar)
        }
        importer.heldRefusals.removeAll()
    }

    /// Takes the documents of a batch; false if there are no more, or waiting was interrupted.
    private func takeBatch(
        _ importer: DocumentImporter, _ input: DocumentFile, _ summary: inout Summary,
        _ bar: inout ProgressBar
    ) throws -> Bool {
        for _ in 0..<batchSize {
            do {
                guard try input.stream.next(into: importer) else { return false }
                if !importer.heldRefusals.isEmpty { try leaveOutHeld(importer, &summary, bar) }
            } catch is InputInterrupted {
                return false
            } catch let error as DocumentRefusal {
                try leaveOut("\(error)", input.stream.documentCount, &summary, bar)
            } catch let error as DocumentError {
                if input.stream.isCutOff { throw cutOff(error, input, summary) }
                try leaveOut(input.reason(error), input.stream.documentCount, &summary, bar)
            }
        }
        bar.update(
            done: UInt64(input.stream.offset), total: input.totalByteCount,
            detail: Figures.count(input.stream.documentCount, "document"))
        return true
    }

    /// An error after which nothing can be read, so that leaving out one document is not enough.
    private func cutOff(
        _ error: DocumentError, _ input: DocumentFile, _ summary: Summary
    ) -> Stop {
        Stop(
            position: input.stream.documentCount,
            reason: "\(error)".asSentence
                + "\nThe rest of the file can't be read, whether or not documents are "
                + "left out",
            leftOut: summary.leftOutCount == 0
                ? "" : ", except \(Figures.count(summary.leftOutCount)) left out",
            advice: "Correct it and import all again, which replaces them.")
    }

    private func leaveOut(
        _ reason: String, _ position: Int, _ summary: inout Summary, _ bar: ProgressBar
    ) throws {
        guard skipsInvalid else {
            throw Stop(
                position: position, reason: reason, leftOut: "",
                advice:
                    "Correct it and import all again, which replaces them, or\nleave it out with "
                    + "--skip-invalid.")
        }
        summary.leftOutCount += 1
        if summary.leftOutCount <= Self.namedInvalidCountMax {
            bar.clear()
            printWarning("document \(position): \(reason); left out")
        }
    }

    private func report(_ summary: Summary, seconds: Double) throws {
        if arguments.printsJSON {
            print(try JSONReport.text(of: summary))
        } else {
            let count = summary.objectCount
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
            printNote(text)
            FieldCounts.report(unknown: summary.unknownFields, defaulted: summary.defaultedFields)
        }
        if summary.leftOutCount > 0 { throw ExitCode(1) }
    }
}

extension DocumentImport.Summary {
    /// How many documents are objects now.
    fileprivate var objectCount: Int { insertedCount + replacedCount }

    /// Takes over what an importer counted.
    fileprivate mutating func count(_ importer: DocumentImporter, _ input: DocumentFile) {
        insertedCount = importer.insertedCount
        replacedCount = importer.replacedCount
        unknownFields = importer.unknownFields
        defaultedFields = importer.defaultedFields
        byteCount = input.stream.offset
    }
}
