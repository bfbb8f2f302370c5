/** Lists of a file that is written in parts, so that a long one does not block the event loop. */

const INDENT = '  ';

/**
 * @param depth How deep the list itself is nested.
 * @returns Parts that together are the list as `JSON.stringify` writes it with two spaces, one for each record.
 */
export function* jsonList<R>(records: readonly R[], toJson: (record: R) => object, depth: number): Generator<string> {
  if (records.length === 0) return yield '[]';
  const indent = INDENT.repeat(depth + 1);
  for (const [index, record] of records.entries()) {
    // Texts have no line breaks in JSON: each one is between two members.
    const json = JSON.stringify(toJson(record), undefined, INDENT).replaceAll('\n', `\n${indent}`);
    yield `${index === 0 ? '[' : ','}\n${indent}${json}`;
  }
  yield `\n${INDENT.repeat(depth)}]`;
}
