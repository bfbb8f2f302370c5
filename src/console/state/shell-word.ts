/** Text as one word of a POSIX shell, for commands that people copy. */

const PLAIN = /^[\w@%+=:,./-]+$/;

/** @param text Of anybody: nothing in it is run or expanded. */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
