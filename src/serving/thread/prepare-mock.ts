/**
 * Prepares a version of a mock to be served, in steps: reads its definition, estimates its memory and compiles it. What takes long pauses
 * after each route, so that a thread does other work in between.
 */
import { splitPath } from '../../languages/paths/route-path.ts';
import { INSTRUCTION_BYTES } from '../../limits.ts';
import type { MockDefinition, MockRoute, MockSettings } from '../../model/mocks/definition/definition.ts';
import { routeInstructions } from '../../model/mocks/definition/edit-checks.ts';
import { eventsOf, eventTexts } from '../../model/mocks/streams/stream.ts';
import { templatesOf } from '../../model/mocks/upstream/callbacks.ts';
import { mayProxy } from '../../model/mocks/upstream/proxy.ts';
import { compileInSteps } from '../matching/compile/compile.ts';
import type { CompiledMock } from '../matching/compile/compiled-mock.ts';
import { CompiledRoutes } from '../matching/compile/compiled-routes.ts';
import { firstValue } from '../matching/stores/store-value.ts';
import type { MockVersion } from '../shared/messages.ts';
import { stateLayoutOf, type StateLayout } from '../shared/mock-state.ts';

export interface PreparedMock {
  readonly version: MockVersion;
  readonly compiled: CompiledMock;
  /** Its estimated memory. */
  readonly bytes: number;
  /** Versions of stubs follow each other; of other mocks nothing more is kept in memory. */
  readonly known: KnownRoutes | undefined;
  readonly drawsBy: { readonly seed: number | null; readonly layout: StateLayout };
}

/** @param sharedDomains Domains that no mock may set a cookie for. @param before The version of the mock before. */
export function* prepareMock(
  version: MockVersion,
  sharedDomains: readonly string[],
  before?: PreparedMock,
): Generator<void, PreparedMock> {
  const { parts, slots } = version;
  const known = parts.revisions === undefined ? undefined : (before?.known ?? new KnownRoutes());
  const definition = yield* (known ?? new KnownRoutes()).read(version);
  const { settings } = definition;
  const bytes = yield* compiledBytes((known === undefined ? 1 : 2) * version.definition.byteLength, definition);
  const options = { known: known?.compiled, slots };
  const compiled = yield* compileInSteps({ ...version, definition }, sharedDomains, options);
  const drawsBy = { seed: settings.seed, layout: stateLayoutOf(settings, mayProxy(definition)) };
  return { version, compiled, bytes, known, drawsBy };
}

/**
 * Estimates the memory of a compiled mock: measured amounts for the mock and each route and response, and for patterns
 * by their instructions, including those that are compiled later. Bodies count twice: as the text of the definition and
 * as bytes.
 */
function* compiledBytes(definitionBytes: number, { routes, settings }: MockDefinition): Generator<void, number> {
  let bytes = MOCK_BYTES + 2 * definitionBytes;
  for (const store of settings.stores ?? []) {
    yield;
    bytes += firstValue(store, store.value).heap;
  }
  for (const route of routes) {
    if (!estimated.has(route)) yield;
    bytes += routeBytes(route);
  }
  return bytes;
}

/** Earlier estimates of routes that versions share. */
const estimated = new WeakMap<MockRoute, number>();

function routeBytes(route: MockRoute): number {
  const known = estimated.get(route);
  if (known !== undefined) return known;
  let bytes = ROUTE_BYTES + splitPath(route.path).length * SEGMENT_BYTES + routeInstructions(route) * INSTRUCTION_BYTES;
  for (const response of route.responses) {
    const { templated, body, headers, proxy, callbacks = [] } = response;
    for (const event of eventsOf(response))
      bytes +=
        EVENT_BYTES +
        (templated === false ? [] : eventTexts(event)).reduce(
          (sum, { text }) => sum + (text.split('{{').length - 1),
          0,
        ) *
          HELPER_BYTES;
    for (const callback of callbacks)
      bytes +=
        RESPONSE_BYTES +
        templatesOf(callback).reduce((sum, text) => sum + (text.split('{{').length - 1), 0) * HELPER_BYTES;
    const texts = templated ? [body, proxy?.path ?? '', ...headers.map(({ value }) => value)] : [];
    bytes += RESPONSE_BYTES + texts.reduce((sum, text) => sum + (text.split('{{').length - 1), 0) * HELPER_BYTES;
  }
  estimated.set(route, bytes);
  return bytes;
}

const MOCK_BYTES = 8_192;
const ROUTE_BYTES = 4_096;
const RESPONSE_BYTES = 3_072;
const SEGMENT_BYTES = 600;
const EVENT_BYTES = 1_024;
const HELPER_BYTES = 400;

/** The routes of a mock in a thread, from one version to the next: a version that adds one has one read and compiled. */
class KnownRoutes {
  readonly compiled = new CompiledRoutes();
  #byRevision: ReadonlyMap<number, MockRoute> = new Map();

  /** Pauses before each route that it parses. */
  *read({ definition, parts: { revisions = [], places } }: MockVersion): Generator<void, MockDefinition> {
    const bytes = Buffer.from(definition);
    const routes: MockRoute[] = [];
    for (let index = 0; index < places.length / 2; index++) {
      const known = this.#byRevision.get(revisions[index] as number);
      if (known === undefined) yield;
      routes.push(known ?? (JSON.parse(bytes.toString('utf8', places[2 * index], places[2 * index + 1])) as MockRoute));
    }
    this.#byRevision = new Map(revisions.map((revision, index) => [revision, routes[index] as MockRoute]));
    const head = bytes.toString('utf8', 0, places[0] ?? bytes.length);
    const { settings } = JSON.parse(places.length === 0 ? head : `${head}]}`) as { settings: MockSettings };
    return { settings, routes };
  }
}
