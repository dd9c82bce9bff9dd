import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments

/// `travertine import --documents --check`: reports what an import would refuse, and imports
/// nothing.
///
/// The store stays as it is: what must be stored to be checked, for unique indexes, is in a
/// transaction that is cancelled. Types that only the data source has are made in memory.
struct DocumentCheck {
    let arguments: DocumentArguments

    private static let progressStride = 1000

    private struct Summary: Encodable {
        struct Bad: Encodable {
            let position: Int
            let problems: [Problem]
        }

        struct Problem: Encodable {
            /// Names and positions with points between; empty for the document itself.
            let path: String
            let reason: String
        }

        var documentCount = 0
        var badCount = 0
        var bad: [Bad] = []
        /// Whether the rest of the file can't be read.
        var isCutOff = false
        var unknownFields: [String: Int] = [:]
        /// Fields that were null where the property can't be nil, so that they would have its
        /// default.
        var defaultedFields: [String: Int] = [:]
        /// By type and property, the links whose targets would not be there.
        var waitingLinks: [String: Int] = [:]
        /// Constraints of the schema that are not checked, each with its place.
        var uncheckedConstraints: [String] = []
        var byteCount = 0
    }

    /// Reads everything, and reports what is wrong with each document.
    func run(until interruption: Interruption) throws {
        let collections = try arguments.collections()
        let realm = try open(collections)
        interruption.begin()
        let summary = try StoredTypes.explained(of: realm) {
            let title = try StoredTypes.title(arguments.type, realm, collections)
            let schema = try StoredTypes.schema(of: title, in: collections, arguments.source)
            try StoredTypes.requireKey(arguments.key, of: title, realm)
            let checker = try DocumentChecker(
                realm, type: title, schema: schema, collections: collections)
            let unchecked = UncheckedConstraints.report(
                schema, toStandardError: !arguments.printsJSON)
            realm.beginWrite()
            defer { realm.cancelWrite() }
            // Throws what kept the transaction from beginning.
            try realm.savepoint {}
            var summary = try run(checker, until: interruption)
            summary.uncheckedConstraints = unchecked
            return summary
        }
        try report(summary)
    }

    /// The store, or a realm in memory if it lacks the type that the data source has.
    private func open(_ collections: [DataSource.Collection]) throws -> Realm {
        let url = URL(fileURLWithPath: arguments.directory, isDirectory: true)
        let isThere = FileManager.default.fileExists(
            atPath: url.appendingPathComponent("manifest").path)
        if isThere || collections.isEmpty {
            let realm = try StoredTypes.realm(
                arguments.directory, hint: " --source checks by the types of a data source.")
            let title = try StoredTypes.explained(of: realm) {
                try StoredTypes.title(arguments.type, realm, collections)
            }
            let isKnown = realm.schema.objectSchema.contains { $0.objectTypeName == title }
            if isKnown || collections.isEmpty { return realm }
        }
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "travertine-check-\(UUID().uuidString)", objectTypes: []))
        try StoredTypes.explained { try realm.addTypes(of: collections) }
        return realm
    }

    private func run(
        _ checker: DocumentChecker, until interruption: Interruption
    ) throws -> Summary {
        let input = try DocumentFile(
            arguments.origin, format: arguments.format, until: interruption)
        var summary = Summary()
        var bar = ProgressBar("check")
        var isMore = true
        while isMore, !interruption.isRequested {
            do {
                guard let document = try input.stream.next() else { break }
                let problems = try checker.check(document)
                note(checker.documentCount, problems, &summary, bar)
            } catch is InputInterrupted {
                break
            } catch let error as DocumentError {
                checker.passOver()
                let problem = DocumentProblem(path: "", reason: input.reason(error))
                note(checker.documentCount, [problem], &summary, bar)
                isMore = !input.stream.isCutOff
            }
            if checker.documentCount % Self.progressStride == 0 {
                bar.update(
                    done: UInt64(input.stream.offset), total: input.totalByteCount,
                    detail: Figures.count(checker.documentCount, "document"))
            }
        }
        bar.clear()
        if interruption.isRequested {
            throw interruption.error(
                "\(Figures.count(checker.documentCount, "document")) were checked.")
        }
        summary.isCutOff = input.stream.isCutOff
        for bad in try checker.finish() { note(bad.position, bad.problems, &summary, bar) }
        summary.bad.sort { $0.position < $1.position }
        for links in try checker.linksWithoutTarget() {
            summary.waitingLinks["\(links.type).\(links.property)", default: 0] += links.count
            if !arguments.printsJSON { printToStandardError("\(links)") }
        }
        summary.documentCount = checker.documentCount
        summary.unknownFields = checker.unknownFields
        summary.defaultedFields = checker.defaultedFields
        summary.byteCount = input.stream.offset
        return summary
    }

    private func note(
        _ position: Int, _ problems: [DocumentProblem], _ summary: inout Summary,
        _ bar: ProgressBar
    ) {
        if problems.isEmpty { return }
        summary.badCount += 1
        if arguments.printsJSON {
            summary.bad.append(
                Summary.Bad(
                    position: position,
                    problems: problems.map { Summary.Problem(path: $0.path, reason: $0.reason) }))
        } else {
            bar.clear()
            print(BadDocument(position: position, problems: problems))
        }
    }

    private func report(_ summary: Summary) throws {
        if arguments.printsJSON {
            print(try JSONReport.text(of: summary))
        } else {
            FieldCounts.report(unknown: summary.unknownFields, defaulted: summary.defaultedFields)
            if summary.isCutOff {
                printWarning("The rest of the file can't be read, and was not checked.")
            }
            printNote(
                "\(Figures.count(summary.documentCount, "document")), "
                    + "\(Figures.count(summary.badCount)) of them bad; nothing was imported")
        }
        if summary.isCutOff { throw ExitCode(ExitStatus.badData) }
        if summary.badCount > 0 { throw ExitCode(1) }
    }
}
