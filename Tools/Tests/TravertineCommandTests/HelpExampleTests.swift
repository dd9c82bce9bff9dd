import Foundation
import TestSupport
import Testing

@testable import TravertineCommand

/// An example that does not work is worse than none: each one that `--help` has is run as it is
/// printed, in a directory with the stores and files that examples name.
@Suite("examples of --help")
struct HelpExampleTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    /// Examples that need another terminal or a server, or go on until somebody ends them.
    private static let isEndless = [
        "tail cities.realm --from-now", "tail cities.realm --type City", "travertine studio ",
        "travertine sync ", "s3://", "--from postgres://",
    ]
    /// Examples whose point is another status: a key or an object that is not there, differences.
    private static let statuses: [(String, Int32)] = [
        ("get places.store --hex", 1), ("schema pets.realm --check", 1),
        ("diff yesterday.realm today.realm", 1), ("diff today.realm --from", 1),
        ("recover ", 4),
    ]

    @Test("each example of each command does what it says")
    func examples() throws {
        try makeFiles()
        let all = try CommandDescription.ofTravertine()
        let commands = [all] + all.listedSubcommands.flatMap { [$0] + $0.listedSubcommands }
        var count = 0
        for command in commands {
            for example in Self.examples(in: command.discussion ?? "") {
                let run = try self.run(example)
                let known = Self.statuses.first { example.contains("travertine \($0.0)") }?.1 ?? 0
                #expect(
                    run.status == 0 || run.status == known,
                    "\(example)\n\(run.status) \(run.output.prefix(300))\(run.errors)")
                count += 1
            }
        }
        #expect(count > 80)
    }

    /// The lines of a help that are examples, without explanations to their right.
    private static func examples(in help: String) -> [String] {
        help.split(separator: "\n").filter { $0.hasPrefix("  ") }.map { line in
            let text = line.trimmingCharacters(in: .whitespaces)
            return text.range(of: "   ").map { String(text[..<$0.lowerBound]) } ?? text
        }.filter { example in
            example.contains("travertine ") && !isEndless.contains { example.contains($0) }
        }
    }

    /// Runs an example in a copy of the directory, which it may change.
    private func run(_ example: String) throws -> CommandRun {
        let program = try CommandRun.executable().path
        // What is not installed everywhere passes its input on.
        let script = """
            set -e
            rm -rf "$1/run" && cp -r "$1/files" "$1/run" && cd "$1/run"
            travertine() { "$program" "$@"; }
            for name in jq xxd zstd rlwrap; do
                command -v $name > /dev/null && continue
                case $name in
                rlwrap) rlwrap() { "$@"; } ;;
                *) eval "$name() { cat; }" ;;
                esac
            done
            program=$2
            # A copy of a store is another one than that of the backup.
            case $3 in *" backup "*) rm -r backups/places ;; esac
            set +e
            \(example.replacingOccurrences(of: "/backups/", with: "backups/"))
            """
        return try CommandRun(
            found: "bash", ["-c", script, "example", workspace.directory.path, program, example])
    }

    // MARK: Files

    private func makeFiles() throws {
        let data = ProjectFiles.url("Examples/Data/cities.jsonl").path
        let long = #"{"bsonType": "long"}"#
        let text = #"{"bsonType": "string"}"#
        func schema(_ title: String, _ key: String, _ others: String) -> String {
            #"{"title": "\#(title)", "bsonType": "object", "required": ["\#(key)"], "#
                + #""properties": {"\#(key)": \#(long), \#(others)}}"#
        }
        let dog = schema("Dog", "_id", #""name": \#(text), "age": \#(long)"#)
        let person = schema("Person", "_id", #""name": \#(text)"#)
        let city = schema(
            "City", "geonameid",
            #""name": \#(text), "population": \#(long), "#
                + #""country": \#(text), "admin1code": \#(text)"#)
        for (name, contents) in [
            ("schemas/Pets/dogs/schema.json", dog), ("schemas/Pets/people/schema.json", person),
            ("Dog.json", dog), ("Person.json", person), ("City.json", city),
            ("dogs.jsonl", #"{"_id": 1, "name": "Rex", "age": 4}"# + "\n"),
            ("people.jsonl", #"{"_id": 1, "name": "Ada"}"# + "\n"),
            ("a.jsonl", #"{"id": 1, "geonameid": 2, "name": "x"}"# + "\n"),
            ("a.json", #"[{"id": 1}, {"id": 2}]"#), ("cities.csv", "country,name\nPT,Porto\n"),
            ("cities.jsonl", #"{"geonameid": 2950159, "name": "Berlin"}"# + "\n"),
            ("queries.txt", "City LIMIT(1)\n"), ("photo.jpeg", "x"),
            ("changes.txt", "set City 2267057 population=1\n"), ("disk.img", "x"),
        ] {
            try workspace.write(contents, to: "files/" + name)
        }
        let steps = """
            set -e
            cd "$1/files"
            mkdir backups
            gzip -k cities.jsonl
            "$2" import places.store "$3" --key geonameid
            "$2" tail places.store --feed search --limit 1 > /dev/null
            "$2" put notes.store greeting x
            "$2" import cities.realm "$3" --documents --source City.json --key geonameid
            for name in places secret other; do head -c 64 /dev/urandom > $name.key; done
            "$2" import secret.realm "$3" --documents --source City.json --key geonameid \
                --key-file secret.key
            for name in places yesterday a b newer; do cp -r cities.realm $name.realm; done
            "$2" edit yesterday.realm "set City 2267057 population=1"
            cp -r cities.realm today.realm
            "$2" import pets.realm dogs.jsonl --documents --source schemas --type Dog
            "$2" import pets.realm people.jsonl --documents --source schemas --type Person
            "$2" export pets.realm --type Dog -o dogs.bson
            cp -r places.store broken.store
            "$2" backup places.store backups/places
            "$2" dump places.store -o places.dump
            if command -v zstd; then zstd -q places.dump; else cp places.dump places.dump.zst; fi
            """
        let made = try CommandRun(
            found: "bash",
            ["-c", steps, "steps", workspace.directory.path, CommandRun.executable().path, data])
        try #require(made.status == 0, "\(made.errors.suffix(600))")
    }
}
