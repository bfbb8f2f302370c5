/** Archives of a journal (HAR 1.2) as answers. */
import { archiveOf, type Har } from '../../../interchange/formats/har-write.ts';
import { PAGE_BYTES_MAX } from '../../../limits.ts';
import type { JournalPage, NumberedRecord } from '../../../model/journal.ts';
import type { Call } from '../../call.ts';

/** Where a mock answers, and of which Switchyard. */
export interface HarOrigin {
  readonly urlOf: (mockId: string) => string;
  readonly version: string;
}

/** Describes the file of a page. */
interface PageWriter<Entry> {
  readonly entryOf: (entry: Entry) => object;
  /** Name of the file, without its extension. */
  readonly name: string;
  readonly version: string;
  /** Members of `_switchyard` besides those of a page. */
  readonly more?: object;
}

/** Answers with a page, newest first, as an archive. It ends where a page of the list would, with as many of the newest as fit. */
export function replyHar<Entry extends NumberedRecord>(
  call: Call,
  page: Pick<JournalPage<Entry>, 'records' | 'count' | 'hasMore' | 'truncated'>,
  { entryOf, name, version, more }: PageWriter<Entry>,
): void {
  const { records, count: total, hasMore, truncated } = page;
  const texts: string[] = [];
  let bytes = 0;
  for (const record of records) {
    const text = JSON.stringify(entryOf(record));
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes > PAGE_BYTES_MAX) break;
    texts.push(text);
  }
  const isCut = hasMore || texts.length < records.length;
  const nextBefore = isCut ? (records[texts.length - 1]?.number ?? null) : null;
  const { entries: _none, ...log } = archiveOf([], version).log;
  const head = JSON.stringify({ ...log, _switchyard: { total, truncated, nextBefore, ...more } });
  sendHar(call, name, Buffer.from(`{"log":${head.slice(0, -1)},"entries":[${texts.toReversed().join()}]}}`));
}

/** @param name Name of the file, without its extension. */
export function sendHar(call: Call, name: string, body: Buffer): void {
  const headers = `\r\ncontent-disposition: attachment; filename="${name}.har"`;
  call.answer(body.length, () => call.send(200, 'application/json; charset=utf-8', body, headers), 1);
}

/** JSON with one entry per line, so that a report can name its number. Pauses after each entry, since an archive may be large. */
export function* harBytes({ log: { entries, ...log } }: Har): Generator<void, Buffer> {
  const parts: Buffer[] = [Buffer.from(`{"log":${JSON.stringify(log).slice(0, -1)},"entries":[`)];
  for (const [index, entry] of entries.entries()) {
    parts.push(Buffer.from(`${index === 0 ? '' : ',\n'}${JSON.stringify(entry)}`));
    yield;
  }
  parts.push(Buffer.from(']}}'));
  return Buffer.concat(parts);
}
