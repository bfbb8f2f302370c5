/** A snapshot that cannot be made, used or restored; the message is one line for the person who asked. */
export class SnapshotError extends Error {}
