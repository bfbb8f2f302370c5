/** The format of stores that this version writes, and which it reads. Imports nothing: each command that names it would load that. */

/**
 * The format of the whole store. Raised with the format of any value, or with a new kind of entry. A server writes it
 * into the store before it serves, and a server that knows only older formats refuses to open the store.
 *
 * 12: of version 0.2.0. 11: of builds shortly before it, which know `cors` as a boolean alone, and not `signing`, `clientCert` and `faker`.
 * Builds before these wrote 1 to 10.
 */
export const STORE_FORMAT = 12;
/** Values of every format from this one on can be read. */
export const OLDEST_FORMAT = 11;

/**
 * @param format 0 when the store has none, NaN when it is damaged.
 * @returns Why the store cannot be read: another version wrote it, or may have.
 */
export function unreadableFormat(format: number, oldest = OLDEST_FORMAT, newest = STORE_FORMAT): string | undefined {
  if (format === 0 || (format >= oldest && format <= newest)) return undefined;
  if (Number.isNaN(format))
    return 'the format of its store is damaged; restore a snapshot with `switchyard snapshot restore`';
  if (format > newest)
    return `its store has format ${format}, and this version reads up to ${newest}: use a newer Switchyard`;
  return `its store has format ${format}, of a build before 0.2.0: export its mocks and rules with that build and import them here, with \`export\`, \`rules export\`, \`import\` and \`rules import\`, as docs/upgrading.md says`;
}
