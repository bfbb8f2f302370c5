/**
 * One version of a mock as a thread serves it: the compiled mock, its counters, and what is found once for each response.
 *
 * Immutable but for what it remembers: a new version is a new object, which takes the old one's place by one assignment.
 */
import { Counters, slotOf } from './counters.ts';
import type { HeaderLines } from './exchange.ts';
import { answerLines } from './header-lines.ts';
import type { MockAnswer } from './mock-request.ts';
import { fromThreadMock, type MockForThread, type SharedCounters } from './protocol.ts';
import { compileMock, type CompiledMock } from './stand-in.ts';
import type { MockSettings } from '../model/mocks/definition.ts';

/** What a thread keeps of a response. */
interface ServedResponse {
  readonly slot: number;
  /** The response's own headers for which `lines` were made: static answers keep theirs, rendered ones have new ones each time. */
  headers: MockAnswer['headers'] | null;
  lines: HeaderLines | undefined;
}

export class ServedMock {
  readonly mockId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly settings: MockSettings;
  readonly compiled: CompiledMock;
  /** Of the definition. */
  readonly bytes: number;
  counters: Counters;
  /** The thread's tick of its last request: what was not used for longest leaves the cache first. */
  usedAt = 0;
  readonly #responses = new Map<string, Map<string, ServedResponse>>();

  constructor(mock: MockForThread) {
    const published = fromThreadMock(mock);
    const { routes, settings } = published.definition;
    this.mockId = mock.mockId;
    this.state = mock.state;
    this.version = mock.version;
    this.settings = settings;
    this.compiled = compileMock(published);
    this.bytes = mock.definition.byteLength;
    this.counters = new Counters(mock.counters);
    let before = 0;
    for (const { id, responses } of routes) {
      const served = responses.map((response, index): [string, ServedResponse] => [
        response.id,
        { slot: slotOf(routes.length, before, index), headers: null, lines: undefined },
      ]);
      this.#responses.set(id, new Map(served));
      before += responses.length;
    }
  }

  reset(counters: SharedCounters): void {
    this.counters = new Counters(counters);
  }

  /** Counts a hit. @returns The number of this request among all of the mock. */
  hit(routeId: string, responseId: string): number {
    const response = this.#response(routeId, responseId);
    return response === undefined ? this.counters.miss() : this.counters.hit(response.slot);
  }

  linesOf({ routeId, responseId, headers }: MockAnswer, origin: string | undefined): HeaderLines {
    const { cors } = this.settings;
    const response = this.#response(routeId, responseId);
    if (origin !== undefined || response === undefined) return answerLines(headers, cors, origin);
    if (response.headers !== headers || response.lines === undefined) {
      response.headers = headers;
      response.lines = answerLines(headers, cors, undefined);
    }
    return response.lines;
  }

  #response(routeId: string, responseId: string): ServedResponse | undefined {
    return this.#responses.get(routeId)?.get(responseId);
  }
}
