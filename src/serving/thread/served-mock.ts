/**
 * One version of a mock as a thread serves it: the compiled mock, its counters, and what is found once for each response.
 *
 * Immutable but for what it remembers: a new version is a new object, which takes the old one's place by one assignment.
 */
import { INSTRUCTION_BYTES } from '../../limits.ts';
import type { MockRoute } from '../../model/mocks/definition.ts';
import { routeInstructions } from '../../model/mocks/edit-checks.ts';
import { splitPath } from '../../model/mocks/route-path.ts';
import { compileMock } from '../matching/compile.ts';
import type { CompiledMock } from '../matching/compiled-mock.ts';
import { Counters, slotOf } from '../counters.ts';
import { jsonHead } from './reply-heads.ts';
import type { Outcome } from '../matching/mock-request.ts';
import { nearestRoutes } from '../matching/nearest-routes.ts';
import type { GoodHost } from '../../wire/framing.ts';
import type { MockTraffic } from './traffic.ts';
import { fromThreadMock, type MockForThread, type SharedCounters } from '../protocol.ts';

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
  readonly isRunning: boolean;
  readonly version: number;
  /** As in its settings: `traffic`, `cors`. A request finds them here, beside the rest it needs. */
  readonly isRecorded: boolean;
  readonly hasCors: boolean;
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
  /** By path, of the method that asked last. */
  readonly #misses = new Map<string, Miss>();
  readonly #routeCount: number;

  constructor(mock: MockForThread, sharedDomains: readonly string[]) {
    const published = fromThreadMock(mock);
    const { routes, settings } = published.definition;
    this.mockId = mock.mockId;
    this.isRunning = mock.state === 'running';
    this.version = mock.version;
    this.isRecorded = settings.traffic;
    this.hasCors = settings.cors;
    this.#routeCount = routes.length;
    this.compiled = compileMock(published, sharedDomains);
    this.bytes = compiledBytes(mock.definition.byteLength, routes);
    this.counters = new Counters(mock.counters);
  }

  reset(counters: SharedCounters): void {
    this.counters = new Counters(counters);
  }

  /** Counts a hit of the response that an answer comes from. @returns The number of this request among all of the mock. */
  hit({ place }: Outcome): number {
    return this.counters.hit(slotOf(this.#routeCount, place));
  }

  /** What is answered where no route matches. Who asks in vain asks again: the nearest routes are looked for once. */
  missOf(method: string, path: string): Miss {
    const known = this.#misses.get(path);
    if (known?.method === method) return known;
    const nearest = nearestRoutes(this.compiled, method, path);
    const hint = `version ${this.version} is served; what is staged is served after a save`;
    const body = JSON.stringify({ success: false, message: 'No route matches', nearest, hint });
    const miss = { method, head: bytesOf(jsonHead('404 Not Found', this.hasCors)), body: bytesOf(body) };
    if (path.length <= MISS_CHARS_MAX) {
      if (this.#misses.size >= MISSES_MAX) this.#misses.clear();
      this.#misses.set(path, miss);
    }
    return miss;
  }
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
