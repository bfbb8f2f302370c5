/**
 * One version of a mock as a thread serves it: the compiled mock, its counters, and what is found once for each response.
 *
 * Immutable but for what it remembers: a new version is a new object, which takes the old one's place by one assignment.
 */
import { assert } from '../../base/assert.ts';
import { INSTRUCTION_BYTES } from '../../limits.ts';
import type { MockRoute, MockSettings } from '../../model/mocks/definition.ts';
import { routeInstructions } from '../../model/mocks/edit-checks.ts';
import { splitPath } from '../../model/mocks/route-path.ts';
import { compileMock } from '../matching/compile.ts';
import type { CompiledMock } from '../matching/compiled-mock.ts';
import { Counters, slotOf } from '../counters.ts';
import type { ReplyHead } from './exchange.ts';
import { answerHead, jsonHead } from './reply-heads.ts';
import type { MockAnswer, RenderProblem } from '../matching/mock-request.ts';
import { nearestRoutes } from '../matching/nearest-routes.ts';
import type { GoodHost } from '../../wire/framing.ts';
import type { MockTraffic } from './traffic.ts';
import { fromThreadMock, type MockForThread, type SharedCounters } from '../protocol.ts';

/** What a thread keeps of a response. */
export interface ServedResponse {
  readonly slot: number;
  /** Where it is the same with each answer. */
  head: ReplyHead | undefined;
}

/** A reply to requests that no route takes. */
export interface Miss {
  readonly method: string;
  readonly head: ArrayBuffer;
  readonly body: ArrayBuffer;
}

/** Replies that are remembered of one version, and the longest path of one: some 100 kB. */
const MISSES_MAX = 64;
const MISS_CHARS_MAX = 200;

export class ServedMock {
  readonly mockId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly settings: MockSettings;
  readonly compiled: CompiledMock;
  /** What it takes of the thread's memory, roughly. */
  readonly bytes: number;
  counters: Counters;
  /** The thread's tick of its last request: what was not used for longest leaves the cache first. */
  usedAt = 0;
  /** What the thread recorded of it, once it was asked for: the same for all versions. */
  traffic: MockTraffic | undefined;
  /** Those that name it, where the thread's cache has noted so. */
  readonly hosts: GoodHost[] = [];
  /** By their places. */
  readonly #responses: readonly ServedResponse[];
  /** By path, of the method that asked last. */
  readonly #misses = new Map<string, Miss>();

  constructor(mock: MockForThread, sharedDomains: readonly string[]) {
    const published = fromThreadMock(mock);
    const { routes, settings } = published.definition;
    this.mockId = mock.mockId;
    this.state = mock.state;
    this.version = mock.version;
    this.settings = settings;
    this.compiled = compileMock(published, sharedDomains);
    this.bytes = compiledBytes(mock.definition.byteLength, routes);
    this.counters = new Counters(mock.counters);
    const responseCount = routes.reduce((sum, { responses }) => sum + responses.length, 0);
    this.#responses = Array.from({ length: responseCount }, (_, place) => ({
      slot: slotOf(routes.length, place),
      head: undefined,
    }));
  }

  reset(counters: SharedCounters): void {
    this.counters = new Counters(counters);
  }

  /** Counts a hit. @returns The number of this request among all of the mock. */
  hit(response: ServedResponse): number {
    return this.counters.hit(response.slot);
  }

  /** What this thread keeps of the response that an answer comes from. */
  responseOf({ place }: MockAnswer | RenderProblem): ServedResponse {
    const response = this.#responses[place];
    assert(response !== undefined, 'an answer comes from a response of its mock');
    return response;
  }

  /** What is answered where no route matches. Who asks in vain asks again: the nearest routes are looked for once. */
  missOf(method: string, path: string): Miss {
    const known = this.#misses.get(path);
    if (known?.method === method) return known;
    const nearest = nearestRoutes(this.compiled, method, path);
    const hint = `version ${this.version} is served; what is staged is served after a save`;
    const body = JSON.stringify({ success: false, message: 'No route matches', nearest, hint });
    const miss = { method, head: bytesOf(jsonHead('404 Not Found', this.settings.cors)), body: bytesOf(body) };
    if (path.length <= MISS_CHARS_MAX) {
      if (this.#misses.size >= MISSES_MAX) this.#misses.clear();
      this.#misses.set(path, miss);
    }
    return miss;
  }
}

/** The head of an answer: made once, as bytes, where it is always the same. */
export function headOf(response: ServedResponse, answer: MockAnswer): ReplyHead {
  if (answer.hasOwnHeaders) return answerHead(answer);
  response.head ??= sharedHead(answerHead(answer));
  return response.head;
}

/** Most responses of most mocks have the same few heads: one of each is near at hand when many mocks are asked in turn. */
const heads = new Map<string, ArrayBuffer>();
const HEADS_MAX = 1_000;
const HEAD_CHARS_MAX = 1_024;

function sharedHead(text: string): ArrayBuffer {
  const known = heads.get(text);
  if (known !== undefined) return known;
  const head = bytesOf(text);
  if (text.length > HEAD_CHARS_MAX) return head;
  if (heads.size >= HEADS_MAX) heads.clear();
  heads.set(text, head);
  return head;
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text)).buffer;
}

/**
 * A mock, and each of its routes and responses, as measured; patterns by their instructions, those that are compiled later included.
 * Bodies are there twice: as the definition's text and as bytes.
 */
function compiledBytes(definitionBytes: number, routes: readonly MockRoute[]): number {
  let bytes = MOCK_BYTES + 2 * definitionBytes;
  for (const route of routes) {
    bytes += ROUTE_BYTES + splitPath(route.path).length * SEGMENT_BYTES + routeInstructions(route) * INSTRUCTION_BYTES;
    for (const { templated, body, headers } of route.responses) {
      const texts = templated ? [body, ...headers.map(({ value }) => value)] : [];
      bytes += RESPONSE_BYTES + texts.reduce((sum, text) => sum + (text.split('{{').length - 1), 0) * HELPER_BYTES;
    }
  }
  return bytes;
}

const MOCK_BYTES = 8_192;
const ROUTE_BYTES = 4_096;
const RESPONSE_BYTES = 3_072;
const SEGMENT_BYTES = 600;
const HELPER_BYTES = 400;
