/** Snapshots that cannot be created, used or restored. */
import { OperatorError } from '../../base/operator-error.ts';

export class SnapshotError extends OperatorError {}

/** The snapshot itself is damaged, or of a version that is not read. The message goes on after "the snapshot <name> is". */
export class UnusableSnapshotError extends SnapshotError {}
