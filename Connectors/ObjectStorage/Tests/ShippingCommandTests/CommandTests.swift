import Foundation
import StorageServers
import Synchronization
import Testing
import TravertineStore

@Suite("The command", .enabled(Python.absence, Python.isAvailable))
struct CommandTests {
    @Test("Ships once, lists, restores, and prunes")
    func once() async throws {
        try await withPlaces { directory, location in
            let store = directory + "/store"
            let shipped = try await run("ship", store, location, "--once", "--json")
            #expect(shipped.status == 0, "\(shipped.errorText)")
            #expect(shipped.lines.contains { $0.contains(#""event":"shipped""#) })
            #expect(shipped.errorText.isEmpty)
            let again = try await run("ship", store, location, "--once")
            #expect(again.status == 0)
            #expect(again.errorText.contains("has the newest commit already"))
            let points = try await run("points", location)
            #expect(points.lines.contains { $0.hasPrefix("1\t") })
            #expect(points.lines.contains { $0.hasPrefix("shipper  process") })
            let target = directory + "/restored"
            let restored = try await run("restore", location, target, "--json")
            #expect(restored.status == 0, "\(restored.errorText)")
            #expect(restored.lines.last?.contains(#""isVerified":true"#) == true)
            let copy = try Store.open(at: target)
            #expect(try copy.snapshot().get("PT") == Array("Lisbon".utf8))
            try copy.close()
            for (options, isDryRun) in [(["--dry-run"], true), ([], false)] {
                let pruned = try await Program.run(
                    "travertine-ship", ["prune", location, "--json"] + options)
                #expect(pruned.status == 0, "\(pruned.errorText)")
                #expect(pruned.lines.first?.contains(#""keptPoints":1"#) == true)
                #expect(pruned.lines.first?.contains(#""isDryRun":\#(isDryRun)"#) == true)
            }
            let counted = try await run("prune", location, "--keep", "36h", "--dry-run")
            let rules = "--keep 36h --keep-hourly 7d --keep-daily 30d"
            #expect(counted.errorText.contains("pruning by \(rules): give the same as to `ship`"))
            #expect(counted.errorText.contains("would prune 0 points"), "\(counted.errorText)")
            #expect(counted.errorText.contains("and keep 1 point. Nothing was removed"))
        }
    }

    @Test("With -q every command prints results, warnings and errors only")
    func quiet() async throws {
        try await withPlaces { directory, location in
            let store = directory + "/store"
            let loud = try await run("ship", store, location, "--once")
            #expect(loud.errorText.hasSuffix("shipped 1 point\n"), "\(loud.errorText)")
            for arguments in [
                ["ship", store, location, "--once"], ["points", location], ["check", location],
                ["restore", location, directory + "/restored"], ["prune", location],
            ] {
                for option in ["-q", "--quiet"] {
                    try? FileManager.default.removeItem(atPath: directory + "/restored")
                    let done = try await Program.run("travertine-ship", arguments + [option])
                    #expect(done.status == 0 && done.errorText.isEmpty, "\(arguments): \(done)")
                    #expect(done.lines.isEmpty == (arguments[0] != "points"), "\(done)")
                }
            }
            let error = try await run("restore", location, store, "-q")
            #expect(error.status == 64 && error.errorText.hasPrefix("error: "))
        }
    }

    @Test("A copy beside the store is refused with 65, and the message names the store")
    func copy() async throws {
        try await withPlaces { directory, location in
            let (store, copy) = (directory + "/store", directory + "/copy")
            #expect(try await run("ship", store, location, "--once").status == 0)
            try FileManager.default.copyItem(atPath: store, toPath: copy)
            let opened = try Store.open(at: copy)
            try opened.write { try $0.put("Faro", forKey: "PT") }
            try opened.close()
            let refused = try await run("ship", copy, location, "--once")
            #expect(refused.status == 65, "\(refused)")
            #expect(refused.errorText.contains("of the store at \(store) on"), "\(refused)")
            let points = try await run("points", location)
            #expect(points.lines.filter { $0.hasPrefix("history") }.count == 1, "\(points)")
            #expect(try await run("ship", copy, location, "--once", "--new").status == 0)
            let restored = try await run("restore", location, directory + "/newest")
            #expect(restored.status == 0, "\(restored)")
            let newest = try Store.open(at: directory + "/newest")
            #expect(try newest.snapshot().get("PT") == Array("Faro".utf8))
            try newest.close()
        }
    }

    @Test("Ages are not by a clock that is far after the time that the service says")
    func serviceClock() async throws {
        let isEarlier = Mutex(true)
        let script: FaultProxy.Script = { _ in
            guard isEarlier.withLock({ $0 }) else { return .none }
            return .change {
                $0.headers.replaceOrAdd(name: "date", value: "Mon, 01 Jan 2001 00:00:00 GMT")
            }
        }
        try await withPlaces(through: script) { directory, location in
            let path = directory + "/store"
            for count in 1...2 {
                let store = try Store.open(at: path)
                try store.write { try $0.put("\(count)", forKey: "PT") }
                try store.close()
                let shipped = try await run("ship", path, location, "--once", "--keep-all")
                #expect(shipped.status == 0, "\(shipped)")
            }
            // Too old at once, by the clock of this machine.
            let none = ["--keep", "0s", "--keep-hourly", "0s", "--keep-daily", "0s"]
            for (isBefore, count) in [(true, 0), (false, 1)] {
                isEarlier.withLock { $0 = isBefore }
                let pruned = try await Program.run(
                    "travertine-ship", ["prune", location, "--json"] + none)
                #expect(pruned.lines.last?.contains(#""points":\#(count)"#) == true, "\(pruned)")
            }
        }
    }

    @Test("Statuses say what is wrong")
    func statuses() async throws {
        try await withPlaces { directory, location in
            let store = directory + "/store"
            #expect(try await run("ship", store, "http://x/y", "--once").status == 64)
            #expect(try await run("ship", store, location, "--every", "1x").status == 64)
            #expect(try await run("ship", directory + "/none", location, "--once").status == 66)
            #expect(try await run("points", location).status == 66)
            #expect(try await run("restore", location, directory + "/r").status == 66)
            #expect(try await run("ship", store, location, "--once").status == 0)
            #expect(try await run("restore", location, store).status == 64)
            let file = directory + "/file"
            try Data("a".utf8).write(to: URL(filePath: file))
            let occupied = try await run("restore", location, file)
            #expect(occupied.status == 64, "\(occupied)")
            #expect(occupied.errorText.contains("\(file) is there already"), "\(occupied)")
            try FileManager.default.removeItem(atPath: file)
            let proof = ["check", location, "--restore", "--directory", directory + "/none"]
            let unproved = try await Program.run("travertine-ship", proof)
            #expect(unproved.status == 66, "\(unproved)")
            #expect(unproved.errorText.contains(directory + "/none/"), "\(unproved)")
            #expect(try await run("restore", location, directory + "/r", "--at", "x").status == 64)
            let late = try await run("restore", location, directory + "/r", "--at", "1970-01-02")
            #expect(late.status == 66)
            #expect(late.errorText.contains("the oldest is of"))
            let missing = location.replacing("/places", with: "-none/places")
            #expect(try await run("ship", store, missing, "--once").status == 69)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["store"])
        }
    }

    @Test("A commit between two points is restored by its LSN, and another than asked for is noted")
    func commits() async throws {
        try await withPlaces { directory, location in
            let path = directory + "/store"
            let store = try Store.open(at: path)
            #expect(try await run("ship", path, location, "--once").status == 0)
            var cities: [(lsn: UInt64, city: String)] = []
            for city in ["Rome", "Milan", "Turin"] {
                try store.write { try $0.put(city, forKey: "IT") }
                cities.append((try store.snapshot().lsn, city))
            }
            #expect(try await run("ship", path, location, "--once").status == 0)
            try store.close()
            let points = try await run("points", location, "--commits", "--json")
            let end = #""commitsThrough":\#(cities[2].lsn)"#
            #expect(points.lines.last?.contains(end) == true, "\(points)")
            for (lsn, city) in cities {
                let target = directory + "/\(city)"
                let restored = try await run(
                    "restore", location, target, "--at", "\(lsn)", "--json")
                #expect(restored.status == 0, "\(restored.errorText)")
                #expect(restored.lines.last?.contains(#""lsn":\#(lsn),"#) == true, "\(restored)")
                let copy = try Store.open(at: target)
                #expect(try copy.snapshot().get("IT") == Array(city.utf8))
                try copy.close()
            }
            // A date without `-`, and a time without a date: no such LSN, and no such history.
            for (text, expected) in [
                ("20260501", "LSN \(cities[2].lsn)"), ("12:30", "no point of history 12"),
            ] {
                let late = try await run("restore", location, directory + "/late", "--at", text)
                #expect(late.status == 66)
                #expect(late.errorText.contains(expected), "\(late.errorText)")
                #expect(late.errorText.contains("HISTORY:LSN"), "\(late.errorText)")
            }
        }
    }

    @Test("That it is not the newest is reported on standard error, whatever is printed")
    func notes() async throws {
        let server = try #require(await MotoServer.shared())
        try await withPlaces { directory, location in
            let path = directory + "/store"
            #expect(try await run("ship", path, location, "--once").status == 0)
            let store = try Store.open(at: path)
            let large = String(repeating: "x", count: 5 << 20)
            try store.write { transaction in
                for number in 0..<3 { try transaction.put(large, forKey: "\(number)") }
            }
            try store.close()
            #expect(try await run("ship", path, location, "--once").status == 0)
            let points = try await run("points", location, "--json")
            #expect(points.lines.last?.contains(#""hasManifest":true"#) == true, "\(points)")
            // An LSN inside of the transaction, which the commit before it stands for.
            let first = try await run("restore", location, directory + "/first", "--point", "1")
            #expect(first.status == 0 && !first.errorText.contains("note:"))
            let lsn = try Store.open(at: directory + "/first").snapshot().lsn + 1
            for option in ["--json", "--quiet"] {
                let target = directory + "/between" + option
                let between = try await run(
                    "restore", location, target, "--at", "\(lsn)", option)
                #expect(between.status == 0, "\(between)")
                #expect(between.errorText.contains("LSN \(lsn) was asked for"), "\(between)")
            }
            let bucket = try #require(location.split(separator: "/").dropFirst().first)
            try await server.deleteObject(in: String(bucket), key: "places/manifest")
            for option in ["--json", "--quiet"] {
                let target = directory + "/old" + option
                let old = try await run("restore", location, target, option)
                #expect(old.status == 0, "\(old)")
                #expect(old.errorText.contains("“manifest”"), "\(old)")
                let isMarked = old.lines.last?.contains(#""hasManifest":false"#) == true
                #expect(isMarked == (option == "--json"), "\(old)")
            }
            let left = try await run("points", location, "--json")
            #expect(left.lines.last?.contains(#""hasManifest":false"#) == true, "\(left)")
            #expect(left.errorText.contains("“manifest”"), "\(left)")
        }
    }

    @Test("A key in the environment does not matter to a backup that is not encrypted")
    func unneededKey() async throws {
        try await withPlaces { directory, location in
            #expect(try await run("ship", directory + "/store", location, "--once").status == 0)
            let key = EncryptionKey.randomBytes().map { String(format: "%02x", $0) }.joined()
            for arguments in [
                ["restore", location, directory + "/r"],
                ["check", location, "--restore", "--directory", directory],
            ] {
                let done = try await Program.run(
                    "travertine-ship", arguments, environment: ["TRAVERTINE_KEY": key])
                #expect(done.status == 0, "\(done)")
                #expect(done.errorText.contains("verified"), "\(done)")
            }
            // A key that is given on purpose is one that the backup must have.
            let file = directory + "/key"
            try Data(key.utf8).write(to: URL(filePath: file))
            let wrong = try await run(
                "restore", location, directory + "/s", "--key-file", file)
            #expect(wrong.status == 77, "\(wrong)")
        }
    }

    @Test("A run with --once prunes, unless points were removed within the last hour")
    func onceAgain() async throws {
        try await withPlaces { directory, location in
            let path = directory + "/store"
            let none = ["--keep", "0s", "--keep-hourly", "0s", "--keep-daily", "0s"]
            for count in 1...3 {
                let store = try Store.open(at: path)
                try store.write { try $0.put("\(count)", forKey: "PT") }
                try store.close()
                let shipped = try await Program.run(
                    "travertine-ship",
                    ["ship", path, location, "--once"] + (count == 2 ? none + ["--keep-all"] : none)
                )
                #expect(shipped.status == 0, "\(shipped)")
            }
            let points = try await run("points", location, "--json")
            let numbers = points.lines.filter { $0.contains(#""event":"point""#) }
            #expect(numbers.count == 1, "\(points)")
            // Again within the hour: nothing goes, and it is said from when on.
            let store = try Store.open(at: path)
            try store.write { try $0.put("4", forKey: "PT") }
            try store.close()
            #expect(
                try await Program.run(
                    "travertine-ship", ["ship", path, location, "--once"] + none
                ).status == 0)
            let pruned = try await Program.run("travertine-ship", ["prune", location] + none)
            #expect(pruned.errorText.contains("less than an hour ago"), "\(pruned)")
            let left = try await run("points", location, "--json")
            #expect(left.lines.filter { $0.contains(#""event":"point""#) }.count == 2)
        }
    }

    @Test("With --once the backup is given back before points are pruned, however long that takes")
    func onceEndsFirst() async throws {
        let requests = Mutex<[String]>([])
        let script: FaultProxy.Script = { request in
            requests.withLock { $0.append("\(request.method) \(request.target)") }
            return .none
        }
        try await withPlaces(through: script) { directory, location in
            let path = directory + "/store"
            #expect(try await run("ship", path, location, "--once").status == 0)
            requests.withLock { $0 = [] }
            let store = try Store.open(at: path)
            try store.write { try $0.put("Porto", forKey: "PT") }
            try store.close()
            #expect(try await run("ship", path, location, "--once").status == 0)
            let seen = requests.withLock { $0 }
            let put = seen.lastIndex { $0.hasPrefix("PUT") && $0.hasSuffix("/manifest") }
            let listing = seen.firstIndex {
                $0.hasPrefix("GET") && $0.contains("list-type=2") && $0.contains("points")
            }
            #expect(try #require(put, "\(seen)") < (try #require(listing, "\(seen)")))
        }
    }

    @Test("A service that ignores conditions is refused with 69")
    func ignoredConditions() async throws {
        let script: FaultProxy.Script = { _ in
            .changeRequest { request in
                request.headers.remove(name: "if-none-match")
                request.headers.remove(name: "if-match")
            }
        }
        try await withPlaces(through: script) { directory, location in
            let shipped = try await run("ship", directory + "/store", location, "--once")
            #expect(shipped.status == 69, "\(shipped)")
            #expect(shipped.errorText.contains("If-None-Match"), "\(shipped)")
        }
    }

    @Test(
        "Shippers in containers of one name do not take the backup from each other",
        .enabled(if: Containers.areAvailable))
    func containers() async throws {
        try await withPlaces { directory, location in
            let path = directory + "/store"
            let first = try Containers.start(["ship", path, location, "--json"])
            #expect(await first.wait { $0.contains { $0.contains("shipped") } })
            let second = try Containers.start(["ship", path, location, "--once"])
            #expect(await second.end() == 75)
            #expect(second.errorText.contains("Another shipper, process 1 on "))
            let store = try Store.open(at: path)
            try store.write { try $0.put("Rome", forKey: "IT") }
            try store.close()
            let isShipped = await first.wait {
                $0.count { $0.contains(#""event":"shipped""#) } == 2
            }
            #expect(isShipped)
            first.kill()
            _ = await first.end()
        }
    }

    @Test("Checking ends with 65 for what is missing or damaged, and names it")
    func check() async throws {
        let server = try #require(await MotoServer.shared())
        try await withPlaces { directory, location in
            #expect(try await run("check", location).status == 66)
            let store = directory + "/store"
            #expect(try await run("ship", store, location, "--once").status == 0)
            for depth in [[], ["--read"], ["--restore", "--directory", directory]] {
                let whole = try await Program.run("travertine-ship", ["check", location] + depth)
                #expect(whole.status == 0, "\(whole.errorText)")
                #expect(whole.errorText.contains("1 of 1 point is sound"), "\(whole.errorText)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["store"])
            let listed = try await run("check", location, "--restore", "--json")
            #expect(listed.lines.last?.contains(#""isVerified":true"#) == true)
            // The parts are replaced by others of the same size, then of another.
            let bucket = try #require(location.split(separator: "/").dropFirst().first)
            for (isSameSize, arguments) in [(true, ["--read"]), (false, [])] {
                let key = try await server.damageObject(
                    in: String(bucket), prefix: "places/data/", isSameSize: isSameSize)
                let bad = try await Program.run(
                    "travertine-ship", ["check", location, "--json"] + arguments)
                #expect(bad.status == 65, "\(bad)")
                let name = key.dropFirst("places/".utf8.count)
                #expect(bad.lines.first?.contains(name) == true, "\(bad)")
                #expect(bad.lines.first?.contains(#""needsRepair":true"#) == true, "\(bad)")
            }
            let bad = try await run("check", location)
            #expect(bad.status == 65 && bad.errorText.contains("--put-again"), "\(bad)")
            // What was put again is whole, and what can't be repaired is listed still.
            #expect(try await run("ship", store, location, "--once", "--put-again").status == 0)
            let repaired = try await run("check", location)
            #expect(repaired.status == 0, "\(repaired)")
            let text = repaired.errorText
            #expect(text.contains("needed by point 1\n"), "\(text)")
            #expect(text.contains("1 point before point 2 can't be restored"), "\(text)")
            #expect(text.contains("1 of 2 points is sound"), "\(text)")
            #expect(!text.contains("--put-again"), "\(text)")
            let lines = try await run("check", location, "--json").lines
            #expect(lines.first?.contains(#""needsRepair":false"#) == true, "\(lines)")
            #expect(lines.last?.contains(#""repairedFrom":2"#) == true, "\(lines)")
            #expect(try await run("restore", location, directory + "/whole").status == 0)
        }
    }

    @Test("A second shipper is refused with the first one's name, and may take over")
    func rivals() async throws {
        try await withPlaces { directory, location in
            let store = directory + "/store"
            let first = try Program("travertine-ship", ["ship", store, location, "--json"])
            #expect(await first.wait { $0.contains { $0.contains("shipped") } })
            let second = try await run("ship", store, location, "--once")
            #expect(second.status == 75)
            #expect(second.errorText.contains("process \(first.processIdentifier) on "))
            #expect(try await run("ship", store, location, "--once", "--take-over").status == 0)
            let open = try Store.open(at: store)
            try open.write { try $0.put("Rome", forKey: "IT") }
            #expect(await first.end() == 75)
            #expect(first.errorText.contains("taken this backup over"))
            try open.close()
        }
    }

    @Test("A signal ends it after what was committed was put")
    func signal() async throws {
        try await withPlaces { directory, location in
            let path = directory + "/store"
            let store = try Store.open(at: path)
            let shipper = try Program(
                "travertine-ship", ["ship", path, location, "--every", "1h", "--json"])
            #expect(await shipper.wait { $0.contains { $0.contains("shipped") } })
            try store.write { try $0.put("Rome", forKey: "IT") }
            shipper.signal(SIGTERM)
            #expect(await shipper.end() == 0)
            #expect(shipper.lines.last == #"{"event":"end","points":2}"#)
            try store.close()
            let target = directory + "/restored"
            #expect(try await run("restore", location, target).status == 0)
            let copy = try Store.open(at: target)
            #expect(try copy.snapshot().get("IT") == Array("Rome".utf8))
            try copy.close()
        }
    }

    @Test("An encrypted store needs its key to be shipped, and none to be restored")
    func encrypted() async throws {
        try await withPlaces { directory, location in
            let path = directory + "/secret"
            var options = StoreOptions()
            let bytes = EncryptionKey.randomBytes()
            options.encryptionKey = try EncryptionKey(bytes)
            let store = try Store.open(at: path, options: options)
            try store.write { try $0.put("Lisbon", forKey: "PT") }
            try store.close()
            #expect(try await run("ship", path, location, "--once").status == 77)
            let file = directory + "/key"
            try Data(bytes).write(to: URL(filePath: file))
            let shipped = try await run("ship", path, location, "--once", "--key-file", file)
            #expect(shipped.status == 0, "\(shipped.errorText)")
            let blind = try await run("restore", location, directory + "/blind")
            #expect(blind.status == 0)
            #expect(blind.errorText.contains("not verified"))
            let seen = try await run("restore", location, directory + "/seen", "--key-file", file)
            #expect(seen.errorText.contains("verified"))
            for name in ["/blind", "/seen"] {
                let copy = try Store.open(at: directory + name, options: options)
                #expect(try copy.snapshot().get("PT") == Array("Lisbon".utf8))
                try copy.close()
            }
        }
    }
}

/// Processes that are alone with their numbers, as in a container: each has the number 1.
private enum Containers {
    private static let arguments = ["--pid", "--fork", "--kill-child", "--mount-proc"]

    static let areAvailable: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = arguments + ["true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    static func start(_ command: [String]) throws -> Program {
        let program = try Program.url("travertine-ship").path
        return try Program("/usr/bin/unshare", arguments + [program] + command)
    }
}
