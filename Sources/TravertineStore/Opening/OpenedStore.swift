import OrderedIndex
import SegmentLog

/// What opening hands to the store.
package struct OpenedStore: ~Copyable {
    var log: SegmentLog
    var index: Index
    var checkpoints: CheckpointKeeper
    var usage: SegmentUsage
    /// The definitions of the keyspaces, dropped ones included.
    package var keyspaces: [KeyspaceDefinition]
    /// What the opening found.
    package var report: OpeningReport
    var pages: [AttachedPages]
    var damage: PageDamage
}
