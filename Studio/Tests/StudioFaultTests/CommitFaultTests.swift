import Foundation
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import StudioServer

/// Documentation/Studio.md 13.4, Faults: a commit of the page while the disk is full or fails.
@Suite("Commits of the page on a disk that fails")
struct CommitFaultTests {
    /// What writes to the realm.
    enum Action: CaseIterable {
        case changes
        case undo
        case importing

        /// Does it, after another commit that can be undone.
        func run(_ scene: FaultScene) async throws -> FaultAnswer {
            switch self {
            case .changes:
                let remark = try await scene.remarks()[0]
                return try await scene.post(
                    "/api/changes",
                    [
                        "changes": [
                            CommitFaultTests.rename(2, "old", "new"),
                            ["kind": "delete", "type": "Remark", "id": remark],
                            ["kind": "add", "type": "Account", "values": ["id": "9"]],
                        ]
                    ])
            case .undo:
                return try await scene.post(
                    "/api/undo", ["number": await scene.undoNumber() as Any])
            case .importing:
                let documents = (1...40).map { #"{"id":\#($0),"text":"imported"}"# }
                return try await scene.post(
                    "/api/import",
                    [
                        "type": "Account", "file": "f", "offset": 0, "isLast": true,
                        "text": documents.joined(separator: "\n"),
                    ])
            }
        }
    }

    static func rename(_ id: Int, _ before: String, _ after: String) -> [String: Any] {
        [
            "kind": "set", "type": "Account", "id": "=\(id)", "path": ["text"], "before": before,
            "value": after,
        ]
    }

    /// A realm with a commit that can be undone.
    private static func makeScene() async throws -> FaultScene {
        let scene = try await FaultScene()
        let answer = try await scene.post("/api/changes", ["changes": [rename(1, "old", "first")]])
        try #require(answer.status == 200, "\(answer.error)")
        return scene
    }

    /// How many calls to the disk an action makes, and what the realm has then.
    private static func measure(
        _ action: Action
    ) async throws -> (callCount: Int, after: [String]) {
        let scene = try await makeScene()
        defer { scene.end() }
        _ = try await scene.remarks()
        let first = scene.machine.disk.callCount
        let answer = try await action.run(scene)
        try #require(answer.status == 200, "\(answer.error)")
        return (scene.machine.disk.callCount - first, await scene.everything())
    }

    @Test(
        "each call that fails: all or nothing, and the answer says which",
        arguments: Action.allCases)
    func failingCalls(action: Action) async throws {
        let (callCount, after) = try await Self.measure(action)
        #expect(callCount > 1)
        var unknownCount = 0
        for (call, fault) in (0..<callCount).flatMap({ call in
            [DiskFault.inputOutput, .noSpace].map { (call, $0) }
        }) {
            let scene = try await Self.makeScene()
            defer { scene.end() }
            let before = await scene.everything()
            let remarks = try await scene.remarks()
            let number = await scene.undoNumber()
            scene.machine.disk.setFault(fault, atCall: call)
            let answer = try await action.run(scene)
            scene.machine.disk.clearFaults()
            let comment = Comment("\(fault) at call \(call): \(answer.status) \(answer.error)")
            let isDone = answer.status == 200
            #expect([200, 500, 507].contains(answer.status), comment)
            #expect(await scene.everything() == (isDone ? after : before), comment)
            if !isDone {
                #expect(await scene.undoNumber() == number, comment)
                for remark in remarks {
                    let object = try await scene.post(
                        "/api/object", ["type": "Remark", "id": remark])
                    #expect(object.status == 200, comment)
                }
                let next = try await scene.post("/api/undo", ["number": number as Any])
                if answer.isOutcomeUnknown {
                    unknownCount += 1
                    #expect(answer.error.contains("not known"), comment)
                    #expect(next.status == 500 && next.error.contains("start it again"), comment)
                    #expect(!next.isOutcomeUnknown, comment)
                } else {
                    #expect(next.status == 200, "\(comment); then \(next.error)")
                }
            }
            let kept = try await scene.afterPowerCut()
            defer { kept.end() }
            let found = await kept.everything()
            if isDone {
                #expect(found == after, comment)
            } else if answer.isOutcomeUnknown {
                #expect(found == before || found == after, comment)
            }
        }
        #expect(unknownCount > 0)
    }

    @Test("on a full disk commits are refused, deleting works, and with room everything does")
    func fullDisk() async throws {
        let scene = try await Self.makeScene()
        defer { scene.end() }
        // A part of it is kept free for deleting.
        scene.machine.disk.setQuota(byteCount: scene.machine.disk.usedByteCount + 2_000_000)
        let long = String(repeating: "x", count: 50_000)
        var count = 0
        var answer: FaultAnswer
        repeat {
            count += 1
            scene.machine.executor.drain()
            answer = try await scene.post(
                "/api/changes",
                [
                    "changes": [
                        ["kind": "add", "type": "Remark", "values": ["text": "\(count)\(long)"]]
                    ]
                ])
        } while answer.status == 200 && count < 50
        #expect(count > 2)
        #expect(answer.status == 507 && !answer.isOutcomeUnknown, "\(answer.error)")
        #expect(answer.error.contains("no room"))
        let before = await scene.everything()
        let remark = try await scene.remarks()[0]
        let deleted = try await scene.post(
            "/api/changes", ["changes": [["kind": "delete", "type": "Remark", "id": remark]]])
        #expect(deleted.status == 200, "\(deleted.error)")
        let left = await scene.everything()
        #expect(left.count == before.count - 1)
        let number = await scene.undoNumber()
        let documents = (1...2000).map { #"{"id":\#($0),"text":"imported \#(long.prefix(100))"}"# }
        let imported = try await scene.post(
            "/api/import",
            [
                "type": "Account", "file": "f", "offset": 0, "isLast": true,
                "text": documents.joined(separator: "\n"),
            ])
        #expect(imported.status == 507 && imported.error.contains("no room"), "\(imported)")
        #expect(await scene.everything() == left)
        #expect(await scene.undoNumber() == number)
        scene.machine.disk.setQuota(byteCount: .max)
        while let number = await scene.undoNumber() {
            let undone = try await scene.post("/api/undo", ["number": number])
            try #require(undone.status == 200, "\(undone.error)")
        }
        #expect(
            await scene.everything() == [
                "Account old ", "Account old ", "Remark on 1 1", "Remark on 2 2",
            ])
    }
}
