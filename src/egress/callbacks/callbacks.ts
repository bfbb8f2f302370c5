/**
 * Sends the callbacks of mocks: each after its delay, again when it fails in a way that may pass, within the bounds of its owner.
 *
 * All of it is in memory, and ends with this process.
 */
import { isIP } from 'node:net';
import { randomId } from '../../base/random-id.ts';
import { WaitingBytes } from '../../base/waiting-bytes.ts';
import type { CallbackSent, CallbacksSent } from '../../forward/callbacks-sent.ts';
import type { UpstreamFailure } from '../../forward/upstream-call.ts';
import {
  CALLBACK_BACKOFF_MS_MAX,
  CALLBACK_DEPTH_MAX,
  CALLBACKS_DRAIN_MS,
  CALLBACKS_RUNNING_MAX,
  CALLBACKS_WAITING_BYTES_MAX,
  CALLBACKS_WAITING_IN_ALL_BYTES_MAX,
  CALLBACKS_WAITING_MAX,
} from '../../limits.ts';
import type {
  CallbackPage,
  CallbackQuestion,
  CallbackRecord,
  CallbackState,
} from '../../model/mocks/callback-record.ts';
import type { Upstreams } from '../forward/upstreams.ts';
import { plainAddress } from '../../base/plain-address.ts';
import { type ReachList, entriesFor } from '../policy/reach-list.ts';
import { attempt, attemptLines, type AttemptOutcome } from './attempt.ts';
import { CallbackRecords, type KeptRecord } from './callback-records.ts';

interface CallbacksSettings {
  readonly upstreams: Upstreams;
  /** Hosts that requests may choose. */
  readonly allow: ReachList;
  readonly allowsLoopback: boolean;
}

/** Whose callbacks: all of a mock, or those of one of its sessions. */
export interface CallbacksOf {
  readonly mockId: string;
  readonly scope?: { readonly session: string; readonly createdAt: number };
}

/** Callbacks of an owner that are under way. */
interface OwnerLoad {
  running: number;
  waiting: number;
  /** They are due, and wait for others to end. */
  readonly due: Job[];
  /** Whether those that are due are being started. */
  isStarting: boolean;
}

/** Callback as it is kept: its body is bytes, shared by all times that it is sent. */
type CallbackHead = Omit<CallbackSent, 'body'>;

type OverState = Exclude<CallbackState, 'waiting'>;

/** One callback until its last attempt is over. */
interface Job {
  readonly ownerId: string;
  readonly mockId: string;
  readonly load: OwnerLoad;
  readonly callback: CallbackHead;
  readonly body: Buffer;
  /** Bytes that it takes while it waits. */
  readonly bytes: number;
  /** The same each time that it is sent. */
  readonly id: string;
  readonly depth: number;
  readonly record: KeptRecord;
  timer: NodeJS.Timeout | undefined;
  isCanceled: boolean;
}

/** Bound of a body in a record. */
const RECORDED_BODY_BYTES_MAX = 65_536;
const ID_CHARS = 20;
/** How long what comes late of an ended session is known as that; how many of them are. */
const ENDED_MS = 60_000;
const ENDED_MAX = 10_000;

/** Failures that may pass: no connection, or no answer over it. */
const PASSING: ReadonlySet<UpstreamFailure> = new Set(['unreachable', 'tls', 'timeout', 'lost', 'busy']);

export class Callbacks {
  readonly #settings: CallbacksSettings;
  readonly #records = new CallbackRecords();
  readonly #loads = new Map<string, OwnerLoad>();
  readonly #jobs = new Map<string, Set<Job>>();
  readonly #ended = new Set<string>();
  readonly #counts: Record<OverState, number> = {
    done: 0,
    failed: 0,
    refused: 0,
    dropped: 0,
    canceled: 0,
  };
  #number = 0;
  readonly #bytes = new WaitingBytes(CALLBACKS_WAITING_IN_ALL_BYTES_MAX, CALLBACKS_WAITING_BYTES_MAX);
  #onIdle: (() => void) | undefined;
  #isDraining = false;

  constructor(settings: CallbacksSettings) {
    this.#settings = settings;
  }

  take(sent: CallbacksSent): void {
    if (sent.isAfterLoss === true) this.#records.noteLoss();
    for (const { body: text, ...callback } of sent.callbacks) {
      const id = randomId(ID_CHARS);
      const body = Buffer.from(text, callback.bodyEncoding === 'base64' ? 'base64' : 'utf8');
      for (const [index, delayMs] of callback.delaysMs.entries()) {
        this.#takeOne(sent, { callback, body, id }, index, delayMs);
      }
    }
  }

  page(question: CallbackQuestion): Promise<CallbackPage> {
    return this.#records.page(question);
  }

  /** Ends what waits, and lets attempts that have begun end. @returns How many will not be sent. */
  cancel({ mockId, scope }: CallbacksOf, why: string): number {
    if (scope !== undefined) this.#noteEnd(keyOf(mockId, scope.session, scope.createdAt));
    let count = 0;
    for (const job of this.#jobs.get(mockId) ?? []) {
      if (scope !== undefined && !isIn(job.record, scope)) continue;
      if (job.isCanceled) continue;
      count++;
      this.#cancel(job, why);
    }
    return count;
  }

  /** Forgets those that are over: of a session, or outside of all. */
  forget({ mockId, scope }: CallbacksOf): void {
    const isOther = (record: KeptRecord): boolean =>
      scope === undefined ? record.session !== null : !isIn(record, scope);
    this.#records.forget(mockId, (record) => record.state === 'waiting' || isOther(record));
  }

  /** Forgets all of a mock that was deleted. */
  forgetAll(mockId: string): void {
    this.#records.forget(mockId, () => false);
  }

  get figures(): { readonly counts: Readonly<Record<string, number>>; readonly waiting: number } {
    let waiting = 0;
    for (const jobs of this.#jobs.values()) waiting += jobs.size;
    return { counts: this.#counts, waiting };
  }

  /** Drops what waits; resolves when the attempts that have begun are over. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const jobs of this.#jobs.values()) {
      for (const job of jobs) if (!isRunning(job)) this.#end(job, 'dropped', 'the server is stopping');
    }
    if (this.#jobs.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CALLBACKS_DRAIN_MS);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** @param index Of its times: the first has the id alone. */
  #takeOne(
    sent: CallbacksSent,
    { callback, body, id }: Pick<Job, 'callback' | 'body' | 'id'>,
    index: number,
    delayMs: number,
  ): void {
    const recordId = index === 0 ? id : `${id}.${index + 1}`;
    const { ownerId, mockId, sessionId, sessionCreatedAt } = sent;
    const record = recordOf(sent, callback, body, recordId, ++this.#number);
    const refused = this.#refusal(sent, callback);
    const load = this.#loadOf(ownerId);
    const bytes = body.length + textChars(callback);
    const isFull = load.waiting >= CALLBACKS_WAITING_MAX || this.#bytes.exceeded(ownerId, bytes) !== undefined;
    const hasEnded = sessionId !== '' && this.#ended.has(keyOf(mockId, sessionId, sessionCreatedAt));
    const over: readonly [OverState, string] | undefined =
      refused !== undefined
        ? ['refused', refused]
        : hasEnded
          ? ['canceled', 'its session has ended']
          : isFull || this.#isDraining
            ? ['dropped', isFull ? 'too many callbacks are waiting' : 'the server is stopping']
            : undefined;
    if (over !== undefined) {
      [record.state, record.problem] = over;
      this.#counts[over[0]]++;
      this.#records.add(mockId, record);
      return this.#release(ownerId, load);
    }
    this.#records.add(mockId, record);
    const depth = sent.depth + 1;
    const job: Job = {
      ownerId,
      mockId,
      load,
      callback,
      body,
      bytes,
      id,
      depth,
      record,
      timer: undefined,
      isCanceled: false,
    };
    this.#bytes.add(ownerId, bytes);
    const jobs = this.#jobs.get(mockId) ?? new Set();
    this.#jobs.set(mockId, jobs.add(job));
    return this.#wait(job, delayMs);
  }

  #refusal({ depth }: CallbacksSent, { problem, url, isHostChosen }: CallbackHead): string | undefined {
    if (problem !== undefined) return problem;
    if (depth >= CALLBACK_DEPTH_MAX) return `depth: a chain of ${depth} callbacks led to this one`;
    const target = new URL(url);
    if (!isHostChosen || mayChoose(target, this.#settings)) return undefined;
    return `addressRefused: the request chose ${target.host}: allow it with --callback-allow`;
  }

  #wait(job: Job, ms: number): void {
    job.load.waiting++;
    const due = (): void => {
      job.timer = undefined;
      job.load.due.push(job);
      this.#startDue(job.load);
    };
    // An attempt may have failed at once: the next one is on a later turn.
    if (ms <= 0 && job.record.attempts.length === 0) due();
    else job.timer = setTimeout(due, ms);
  }

  #startDue(load: OwnerLoad): void {
    // Attempts that fail at once come back here: the loop that began them goes on.
    if (load.isStarting) return;
    load.isStarting = true;
    while (load.running < CALLBACKS_RUNNING_MAX) {
      const job = load.due.shift();
      if (job === undefined) break;
      load.waiting--;
      load.running++;
      this.#attempt(job);
    }
    load.isStarting = false;
  }

  #attempt(job: Job): void {
    const { callback, record, mockId, load } = job;
    const time = Date.now();
    const begun = performance.now();
    running.add(job);
    const attempted = { ...job, time };
    const lines = attemptLines(attempted);
    record.headers = toHeaderLines(lines);
    attempt(this.#settings.upstreams, attempted, lines, (outcome) => {
      running.delete(job);
      load.running--;
      const { status = null, failure, reason } = outcome;
      const problem = failure === undefined ? null : `${failure}: ${reason}`;
      record.attempts = [...record.attempts, { time, status, problem, ms: Math.round(performance.now() - begun) }];
      const retryMs = this.#isDraining || job.isCanceled ? undefined : retryAfterMs(outcome, callback, record);
      if (retryMs === undefined) this.#endWith(job, outcome);
      else {
        this.#records.changed(mockId);
        this.#wait(job, retryMs);
      }
      this.#startDue(load);
    });
  }

  #endWith(job: Job, { status, failure, reason }: AttemptOutcome): void {
    if (status !== undefined && status >= 200 && status < 300) return this.#end(job, 'done', null);
    if (failure === 'addressRefused') return this.#end(job, 'refused', `addressRefused: ${reason}`);
    if (job.isCanceled) return this.#end(job, 'canceled', job.record.problem);
    return this.#end(
      job,
      'failed',
      failure === undefined ? `answered with the status ${status}` : `${failure}: ${reason}`,
    );
  }

  #cancel(job: Job, why: string): void {
    job.isCanceled = true;
    if (isRunning(job)) job.record.problem = why;
    else this.#end(job, 'canceled', why);
  }

  #end(job: Job, state: OverState, problem: string | null): void {
    const { ownerId, mockId, load, record, bytes } = job;
    if (job.timer !== undefined || load.due.includes(job)) load.waiting--;
    clearTimeout(job.timer);
    const at = load.due.indexOf(job);
    if (at !== -1) load.due.splice(at, 1);
    this.#bytes.release(ownerId, bytes);
    const jobs = this.#jobs.get(mockId);
    jobs?.delete(job);
    if (jobs?.size === 0) this.#jobs.delete(mockId);
    record.state = state;
    record.problem = problem;
    this.#counts[state]++;
    this.#records.changed(mockId);
    this.#release(ownerId, load);
    if (this.#jobs.size === 0) this.#onIdle?.();
  }

  #loadOf(ownerId: string): OwnerLoad {
    let load = this.#loads.get(ownerId);
    if (load === undefined) this.#loads.set(ownerId, (load = { running: 0, waiting: 0, due: [], isStarting: false }));
    return load;
  }

  /** An owner of whom nothing is under way keeps nothing. */
  #release(ownerId: string, { running: begun, waiting }: OwnerLoad): void {
    if (begun === 0 && waiting === 0) this.#loads.delete(ownerId);
  }

  #noteEnd(key: string): void {
    if (this.#ended.size >= ENDED_MAX) return;
    this.#ended.add(key);
    setTimeout(() => this.#ended.delete(key), ENDED_MS).unref();
  }
}

/** Those with an attempt under way. */
const running = new WeakSet<Job>();

function isRunning(job: Job): boolean {
  return running.has(job);
}

function keyOf(mockId: string, sessionId: string, createdAt: number): string {
  return `${mockId}/${sessionId}/${createdAt}`;
}

function isIn({ session, sessionCreatedAt }: KeptRecord, scope: NonNullable<CallbacksOf['scope']>): boolean {
  return session === scope.session && sessionCreatedAt === scope.createdAt;
}

/** @returns undefined when no attempt follows. */
function retryAfterMs(
  { status, failure, retryAfter }: AttemptOutcome,
  { retries, backoffMs }: CallbackHead,
  { attempts }: KeptRecord,
): number | undefined {
  const mayPass = failure === undefined ? status === 429 || (status ?? 0) >= 500 : PASSING.has(failure);
  if (!mayPass || attempts.length > retries) return undefined;
  const asked = status === 429 && retryAfter !== undefined ? msOf(retryAfter) : undefined;
  return asked ?? backoffMs[Math.min(attempts.length, backoffMs.length) - 1] ?? 0;
}

/** A `Retry-After`: seconds, or a date. */
function msOf(text: string): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), CALLBACK_BACKOFF_MS_MAX);
}

function textChars({ url, headers }: CallbackHead): number {
  return headers.reduce((sum, text) => sum + text.length, url.length);
}

function toHeaderLines(lines: readonly string[]): CallbackRecord['headers'] {
  return lines.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: lines[index + 1] ?? '' }] : []));
}

function recordOf(
  { ownerId, sessionId, sessionCreatedAt, requestNumber }: CallbacksSent,
  { name, method, url, headers, bodyEncoding }: CallbackHead,
  body: Buffer,
  id: string,
  number: number,
): KeptRecord {
  const kept = body.subarray(0, RECORDED_BODY_BYTES_MAX);
  return {
    id,
    number,
    name,
    requestNumber,
    session: sessionId === '' ? null : sessionId,
    time: Date.now(),
    method,
    url,
    headers: toHeaderLines(headers),
    body: kept.toString(bodyEncoding === 'base64' ? 'base64' : 'utf8'),
    ...(bodyEncoding === 'base64' ? { bodyEncoding } : {}),
    bodyTruncated: kept.length < body.length,
    state: 'waiting',
    problem: null,
    attempts: [],
    ownerId,
    sessionCreatedAt,
    headerChars: headers.reduce((sum, text) => sum + text.length, 0),
  };
}

interface ChosenHosts {
  /** `--callback-allow` */
  readonly allow: ReachList;
  /** On a loopback host, nobody else can ask. */
  readonly allowsLoopback: boolean;
}

/** Whether a callback may go to a host that the request chose: clients of a mock must not choose what this server reaches. */
function mayChoose({ hostname, protocol, port: written }: URL, { allow, allowsLoopback }: ChosenHosts): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '').toLowerCase();
  const port = Number(written) || (protocol === 'https:' ? 443 : 80);
  const address = isIP(host) === 0 ? host : (plainAddress(host) ?? host);
  if (allowsLoopback && (host === 'localhost' || host.endsWith('.localhost') || isLoopback(address))) return true;
  return entriesFor(allow, { host, address, port }).length > 0;
}

function isLoopback(address: string): boolean {
  return address === '0:0:0:0:0:0:0:1' || (isIP(address) === 4 && address.startsWith('127.'));
}
