import ArgumentParser
import Foundation
import StoreMaintenance
import TravertineStore

/// `travertine rekey`: encrypts a store, changes its key, or takes it away.
struct RekeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Encrypt a store, give it another key, or decrypt it.",
        discussion: """
            Writes everything anew under the new key, beside the store, and puts that in the \
            store's place in one step: whatever interrupts it, a whole store is at the path. No \
            program may have the store open.

              travertine rekey places.realm --new-key-file places.key
              travertine query secret.realm "City where population > 1e6" --key-file secret.key
              travertine rekey secret.realm --key-file secret.key --new-key-file other.key
              travertine rekey secret.realm --key-file secret.key --decrypt

            A key is 64 random bytes, as of `head -c 64 /dev/urandom > places.key`. Keep a copy of \
            it elsewhere: without it the data are lost.

            The new store has its own identity, no earlier commits and no feeds: programs that \
            follow it, such as `travertine sync`, begin anew. Backups keep the key that they were \
            made with. The blocks of the old files are freed and not overwritten: what \
            was stored without a key may still be read from the device.

            Statuses: 64 wrong arguments, or the store can't be replaced here; 65 damage; 66 no \
            such store or key file; 74 writing failed; 75 another program has the store open; 77 \
            not the key of the store, or permission denied.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Option(help: "A file with the new key, in the forms of --key-file.", completion: .file())
    var newKeyFile: String?

    @Flag(help: "Store the data without encryption.")
    var decrypt = false

    @Flag(help: "Print a JSON object with what was done.")
    var json = false

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        if decrypt == (newKeyFile != nil) {
            throw ValidationError("Say what the store gets: --new-key-file FILE, or --decrypt.")
        }
    }

    func run() throws {
        let old = try StoreKey.key(for: directory)
        let new = try newKeyFile.map { try EncryptionKey(StoreKey.bytes(inFile: $0)) }
        if old == new {
            throw CommandError(
                ExitStatus.usage,
                new == nil
                    ? "\(directory) is not encrypted."
                    : "the new key is the one that the store has.")
        }
        let interruption = Interruption(before: "Nothing was changed.")
        var bar = ProgressBar("rekey")
        var count = 0
        interruption.begin()
        do {
            try StoreRekey.rekey(directory, from: old, to: new) { done, total in
                count = done
                bar.update(done: UInt64(done), total: UInt64(total), detail: "records")
            } isCancelled: {
                interruption.isRequested
            }
        } catch {
            bar.clear()
            guard error.code == .cancelled else { throw error }
            throw interruption.error("nothing was changed, and what was written is removed.")
        }
        bar.clear()
        if json {
            print(
                try JSONReport.text(
                    of: Outcome(recordCount: count, isEncrypted: new != nil)))
            return
        }
        printNote(
            "\(directory): \(Figures.records(count)), "
                + (new == nil
                    ? "not encrypted any more"
                    : old == nil ? "encrypted" : "encrypted with the new key"))
    }

    private struct Outcome: Encodable {
        let recordCount: Int
        let isEncrypted: Bool
    }
}
