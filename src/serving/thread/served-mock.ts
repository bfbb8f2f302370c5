/**
 * One version of a mock as a thread serves it: the compiled mock, its counters, and remembered replies to requests that
 * match no route.
 *
 * Immutable except for what it remembers: a new version is a new object, which replaces the old one by one assignment.
 */
import { INSTRUCTION_BYTES } from '../../limits.ts';
import type { MockRoute } from '../../model/mocks/definition.ts';
import { routeInstructions } from '../../model/mocks/edit-checks.ts';
import { splitPath } from '../../languages/route-path.ts';
import { compileMock } from '../matching/compile.ts';
import type { CompiledMock } from '../matching/compiled-mock.ts';
import { stateLayoutOf, type StateLayout } from '../shared/mock-state.ts';
import { Counters, failureSlotOf, otherSlotOf, slotOf } from '../shared/counters.ts';
import { gateOf, type Gate } from './rate-gate.ts';
import { jsonHead } from './reply-heads.ts';
import { NO_PLACE, type MockAnswer, type Outcome } from '../matching/mock-request.ts';
import { nearestRoutes } from '../matching/nearest-routes.ts';
import type { ValidHost } from '../../wire/framing.ts';
import type { MockTraffic } from './traffic-blocks.ts';
import { fromThreadMock, type MockForThread, type SharedCounters } from '../shared/messages.ts';

/** A reply to requests that match no route. */
export interface Miss {
  readonly method: string;
  readonly head: ArrayBuffer;
  readonly body: ArrayBuffer;
}

/** Replies remembered for one version, and the longest path of one: about 100 kB. */
const MISSES_MAX = 64;
const MISS_CHARS_MAX = 200;

export class ServedMock {
  readonly mockId: string;
  readonly ownerId: string;
  readonly isRunning: boolean;
  /** What requests pass before they are answered; undefined when all do. */
  readonly gate: Gate | undefined;
  readonly version: number;
  /** The settings `traffic` and `cors`, copied next to the other fields that a request reads. */
  readonly isRecorded: boolean;
  readonly hasCors: boolean;
  readonly compiled: CompiledMock;
  /** Its estimated memory. */
  readonly bytes: number;
  counters: Counters;
  /** The cache's tick at its last request: the least recently used mock leaves the cache first. */
  usedAt = 0;
  /** Its recorded traffic in this thread, set by the first request: the same for all versions. */
  traffic: MockTraffic | undefined;
  /** Hosts for which the cache remembers this mock. */
  readonly hosts: ValidHost[] = [];
  /** By path, for the method that was used last. */
  readonly #misses = new Map<string, Miss>();
  readonly #routeCount: number;
  readonly #responseCount: number;
  readonly #drawsBy: { readonly seed: number | null; readonly layout: StateLayout };

  constructor(mock: MockForThread, sharedDomains: readonly string[]) {
    const published = fromThreadMock(mock);
    const { routes, settings } = published.definition;
    this.mockId = mock.mockId;
    this.ownerId = mock.ownerId;
    this.isRunning = mock.state === 'running';
    this.gate = gateOf(this.isRunning, settings);
    this.version = mock.version;
    this.isRecorded = settings.traffic;
    this.hasCors = settings.cors;
    this.#routeCount = routes.length;
    this.#responseCount = routes.reduce((sum, { responses }) => sum + responses.length, 0);
    this.compiled = compileMock(published, sharedDomains);
    this.bytes = compiledBytes(mock.definition.byteLength, routes);
    this.#drawsBy = { seed: settings.seed, layout: stateLayoutOf(settings) };
    this.counters = new Counters(mock.counters, this.#drawsBy);
  }

  reset(counters: SharedCounters): void {
    this.counters = new Counters(counters, this.#drawsBy);
  }

  /** Counts a hit of a response. @returns The number of this request among all of the mock. */
  hit({ place }: Outcome): number {
    return this.counters.hit(slotOf(this.#routeCount, place));
  }

  /** Counts that a hit was answered 500. */
  fail({ place }: Outcome): void {
    this.counters.fail(failureSlotOf(this.#routeCount, this.#responseCount, place));
  }

  /** Counts that a hit was answered with another status than the response's own. */
  answeredOtherwise({ otherPlace }: MockAnswer): void {
    if (otherPlace === NO_PLACE) return;
    this.counters.fail(otherSlotOf(this.#routeCount, this.#responseCount, otherPlace));
  }

  /** The reply when no route matches. Clients repeat such requests, so the nearest routes are searched once. */
  missOf(method: string, path: string): Miss {
    const known = this.#misses.get(path);
    if (known?.method === method) return known;
    const { routes: nearest, declaredFor } = nearestRoutes(this.compiled, method, path);
    const declared = declaredFor.length === 0 ? '' : `this path is declared for ${declaredFor.join(' and ')} only; `;
    const hint = `${declared}version ${this.version} is served; what is staged is served after a save`;
    const body = JSON.stringify({ success: false, message: 'No route matches', nearest, hint });
    const miss = { method, head: bytesOf(jsonHead(404, this.hasCors)), body: bytesOf(body) };
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
 * Estimates the memory of a compiled mock: measured amounts for the mock and each route and response, and for patterns
 * by their instructions, including those that are compiled later. Bodies count twice: as the text of the definition and
 * as bytes.
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
