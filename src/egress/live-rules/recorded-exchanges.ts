/**
 * Recorded exchanges of an owner with upstreams, bodies included: kept as recordings of mocks are (egress/recording), in
 * the same memory.
 */
import { atOnce } from '../../base/slices.ts';
import { bodyMembers } from '../../base/body-members.ts';
import { recordingOfGateway } from '../../model/gateway/exchange.ts';
import type { ExchangeBody, ExchangeRecord } from '../../model/gateway/exchange.ts';
import type { UpstreamRequest, UpstreamSink } from '../forward/upstreams.ts';
import type { Capture } from '../recording/capture.ts';
import { exchangeOf } from '../recording/kept-exchange.ts';
import type { Recorder } from '../recording/recorder.ts';
import { redactBody } from '../recording/redact-body.ts';
import type { RecordedEntry } from '../recording/ring.ts';
import type { Secrets } from '../recording/secrets.ts';
import type { ExchangePolicy } from './exchange-policy.ts';

/** Bodies that rules have written are kept up to so many bytes: they are searched at once. */
const WRITTEN_BYTES_MAX = 65_536;

/** By their number in the recording of an owner. */
export type Entries = ReadonlyMap<number, RecordedEntry>;

export const NO_ENTRIES: Entries = new Map();

export class RecordedExchanges {
  readonly #recorder: Pick<Recorder, 'begin' | 'entriesOf' | 'clear'>;

  constructor(recorder: Pick<Recorder, 'begin' | 'entriesOf' | 'clear'>) {
    this.#recorder = recorder;
  }

  /**
   * @param sink Where the answer goes.
   * @returns What takes the answer in its place, and passes it on; undefined where bodies are not recorded. It begins with the body of the
   *   request, where that is there.
   */
  begin(
    sent: UpstreamRequest,
    { recordsBodies, redact, sessionId = '' }: ExchangePolicy,
    sink: UpstreamSink,
  ): Capture | undefined {
    if (!recordsBodies) return undefined;
    const { ownerId, method, target, path: whole, body } = sent;
    const [path = '', query = ''] = whole.split(/\?(.*)/s);
    const recording = { mockId: recordingOfGateway(ownerId), session: sessionId, path, query, redact };
    const call = { ownerId, method, upstream: target.origin, path, query, root: '', requestHeaders: [], recording };
    return this.#recorder.begin(call, Buffer.isBuffer(body) ? body : NOTHING, sink);
  }

  /** By the number in the recording. @param withOpen Also what has not ended. */
  entriesOf(ownerId: string, withOpen: boolean): Promise<Entries> {
    return this.#recorder.entriesOf(recordingOfGateway(ownerId), withOpen);
  }

  /** @param kept Numbers of those that stay. */
  async clear(ownerId: string, kept: ReadonlySet<number>): Promise<void> {
    await this.#recorder.clear({ mockId: recordingOfGateway(ownerId) }, kept);
  }
}

/** For a process that records nothing. */
export const NOTHING_RECORDED: Pick<RecordedExchanges, 'entriesOf' | 'clear'> = {
  entriesOf: async () => NO_ENTRIES,
  clear: async () => undefined,
};

const NOTHING = Buffer.alloc(0);

/** The same exchange with the bodies that are kept of it. */
export function withBodies(record: ExchangeRecord, entry: RecordedEntry | undefined): ExchangeRecord {
  if (entry === undefined) return record;
  const { request, response } = exchangeOf(entry);
  const [asked, answered] = [shownBody(request), response && shownBody(response)];
  const isReplaced = record.responseBody !== undefined;
  return {
    ...record,
    requestBody: asked,
    responseBody: isReplaced ? record.responseBody : answered,
    ...(isReplaced && record.upstream !== undefined ? { upstream: { ...record.upstream, ...answered } } : {}),
  };
}

function shownBody({ body, bodyEncoding, bodyOmitted }: ExchangeBody): ExchangeBody | undefined {
  if (body === '' && bodyOmitted === undefined) return undefined;
  return {
    body,
    ...(bodyEncoding === undefined ? {} : { bodyEncoding }),
    ...(bodyOmitted === undefined ? {} : { bodyOmitted }),
  };
}

/** A body that a rule has written, as it is kept. @param type Its media type. */
export function writtenBody(body: Buffer, type: string, secrets: Secrets): ExchangeBody {
  if (body.length > WRITTEN_BYTES_MAX) return { body: '', bodyOmitted: 'tooLarge' };
  const redacted = atOnce(redactBody(body, type, secrets));
  return redacted === undefined ? { body: '', bodyOmitted: 'undecodable' } : bodyMembers(redacted);
}
