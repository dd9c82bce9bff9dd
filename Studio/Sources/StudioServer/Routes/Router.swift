import Foundation
import StudioPage
import Travertine
import TravertineStore

/// Answers requests: the files of the page to all of this machine, the rest with the key only.
///
/// Paths are compared as they are sent, with those of a fixed list. Nothing of a request becomes
/// part of a path in the file system.
struct Router: Sendable {
    let explorer: RealmExplorer
    let events: EventHub
    let maintenance: Maintenance
    let guardian: RequestGuard

    private struct SessionRequest: Decodable {
        var token: String
    }

    func respond(to request: Request) async -> Response {
        do {
            return try await answer(request)
        } catch let failure as RequestFailure {
            return Response(failure)
        } catch let error as Realm.Error {
            return Response(RequestFailure(500, error.message))
        } catch let error as StoreError {
            return Response(RequestFailure(500, "\(error)"))
        } catch {
            return Response(RequestFailure(500, "\(error)"))
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        let file = StudioPage.files[request.path == "/" ? "/index.html" : request.path]
        try guardian.checkOrigin(request, isOfPage: file != nil)
        if let file {
            guard request.method == "GET" else { throw Self.wrongMethod("GET") }
            return Response(200, file.contentType, Array(file.text.utf8))
        }
        if request.path == "/api/session" {
            let body: SessionRequest = try Self.body(request)
            guard guardian.token.redeem(body.token) else {
                throw RequestFailure(
                    401, "The key in this address is wrong or was used; start the studio again.")
            }
            var response = Response(.object([("base", .string("/\(guardian.token.path)"))]))
            response.fields.append(("Set-Cookie", guardian.cookie))
            return response
        }
        var request = request
        request.path = try guardian.checkAccess(request)
        return try await api(request)
    }

    private func api(_ request: Request) async throws -> Response {
        switch request.path {
        case "/api/overview":
            try Self.check(request, "GET")
            return Response(await explorer.overview())
        case "/api/rows": return Response(try await explorer.rows(Self.body(request)))
        case "/api/plan": return Response(try await explorer.plan(Self.body(request)))
        case "/api/object":
            let body: ObjectRequest = try Self.body(request)
            return Response(try await explorer.object(body))
        case "/api/elements": return Response(try await explorer.elements(Self.body(request)))
        case "/api/changes": return Response(try await explorer.commit(Self.body(request)))
        case "/api/check": return Response(try await explorer.check(Self.body(request)))
        case "/api/undo": return Response(try await explorer.undo(Self.body(request)))
        case "/api/data":
            try Self.check(request, "GET")
            return try await data(request)
        case "/api/export":
            try Self.check(request, "GET")
            return try await export(request)
        case "/api/import": return Response(try await explorer.upload(Self.body(request)))
        case "/api/space":
            return Response(try await maintenance.space(Self.body(request)))
        case "/api/jobs":
            if request.method == "GET" { return Response(maintenance.jobs) }
            return Response(try await maintenance.start(Self.body(request)))
        case "/api/events":
            try Self.check(request, "GET")
            guard let stream = events.subscribe() else {
                throw RequestFailure(503, "Too many pages are open; close one.")
            }
            return Response(events: stream)
        default: throw RequestFailure(404, "There is nothing at this address.")
        }
    }

    /// The bytes of a property: as a picture if they are one, else as a file to be saved.
    private func data(_ request: Request) async throws -> Response {
        guard let type = request.query["type"], let id = request.query["id"],
            let steps = request.query["path"]?.split(
                separator: "/", omittingEmptySubsequences: false)
        else { throw RequestFailure(422, "The address of the data is not complete.") }
        // Each step is encoded once more, because keys of maps may have slashes.
        let path = steps.compactMap { RequestParser.decoded($0) }
        guard path.count == steps.count else {
            throw RequestFailure(400, "The path to the data is not percent-encoded UTF-8.")
        }
        let data = try await explorer.data(at: path, of: ObjectRequest(type: type, id: id))
        let format = ImageFormat(data)
        var response = Response(
            200, format?.contentType ?? "application/octet-stream", Array(data))
        if format == nil || request.query["save"] != nil {
            response.fields.append(
                (
                    "Content-Disposition",
                    "attachment; filename=\"data.\(format?.rawValue ?? "bin")\""
                ))
        }
        return response
    }

    /// The objects of a table as a file to be saved.
    private func export(_ request: Request) async throws -> Response {
        guard let type = request.query["type"] else {
            throw RequestFailure(422, "The address of the export is not complete.")
        }
        let order = try (request.query["order"] ?? "").split(separator: "/").map { step in
            // The direction, and the name.
            guard let name = RequestParser.decoded(step.dropFirst()), "ad".contains(step.prefix(1))
            else { throw RequestFailure(400, "The order is not percent-encoded UTF-8.") }
            return QueryDescription.Order(name: name, isDescending: step.hasPrefix("d"))
        }
        let objects = try await explorer.objectsToExport(
            QueryDescription(type: type, filter: request.query["filter"] ?? "", order: order))
        return Response(
            file: objects.fileName, "application/x-ndjson",
            PieceStream { write in try objects.write(write) })
    }

    // MARK: Requests

    private static func wrongMethod(_ method: String) -> RequestFailure {
        RequestFailure(405, "This address takes \(method) only.")
    }

    private static func check(_ request: Request, _ method: String) throws(RequestFailure) {
        guard request.method == method else { throw wrongMethod(method) }
    }

    /// The body of a POST as a value.
    private static func body<Value: Decodable>(_ request: Request) throws -> Value {
        try check(request, "POST")
        guard String(validating: request.body, as: UTF8.self) != nil else {
            throw RequestFailure(400, "The body is not UTF-8.")
        }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(request.body))
        } catch {
            throw RequestFailure(400, "The body is not the JSON that this address takes.")
        }
    }
}
