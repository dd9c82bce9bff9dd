import ArgumentParser

/// The program `travertine-ship`, which `travertine ship` starts.
@main
struct ShippingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "travertine-ship",
        abstract: "Keep a backup of a store in S3 while it is written, and restore it.",
        subcommands: [
            ShipCommand.self, RestoreCommand.self, PointsCommand.self, CheckCommand.self,
            PruneCommand.self,
        ])
}
