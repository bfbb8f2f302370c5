/** A published mock as the bytes that go to the data plane's process, and what its counters are laid out by. */
import { otherStatusesOf } from '../../model/mocks/behaviour/fault-statuses.ts';
import type {
  MockDefinition,
  MockRoute,
  MockSettings,
  PublishedMock,
} from '../../model/mocks/definition/definition.ts';
import { refusesHandshake } from '../../model/mocks/sockets/socket.ts';
import { mayCallBack } from '../../model/mocks/upstream/callbacks.ts';
import { mayProxy } from '../../model/mocks/upstream/proxy.ts';
import { withoutSample } from '../../model/mocks/upstream/sample.ts';
import { STATUS_OF_UPSTREAM, type MockBytes, type MockVersion, type RouteIds, type RouteParts } from './messages.ts';
import { stateLayoutOf } from './mock-state.ts';

/** Pauses after each route. */
export function* toBytes({ definition, revisions, ...record }: PublishedMock): Generator<void, MockBytes> {
  const { settings, routes } = definition;
  const before = Buffer.from(`{"settings":${JSON.stringify(settings)},"routes":[`);
  const texts: Buffer[] = [];
  for (const route of routes) {
    texts.push(textOf(route));
    yield;
  }
  const isOfStubs = revisions !== undefined && routes.some(({ stub }) => stub !== undefined);
  return {
    ...record,
    routes: routes.map((route) => routeIdsOf(route, settings)),
    stateLayout: stateLayoutOf(settings, mayProxy(definition)),
    definition: Buffer.concat([before, ...texts.flatMap((text, index) => (index === 0 ? [text] : [COMMA, text])), END]),
    parts: { places: placesOf(before, texts), ...(isOfStubs ? { revisions } : {}) },
  };
}

const [COMMA, END] = [Buffer.from(','), Buffer.from(']}')];

/** Routes are immutable: of a version that adds a stub, the others were written before. */
const written = new WeakMap<MockRoute, Buffer>();

/** JSON of a route, without members that only tell its origin. */
function textOf(route: MockRoute): Buffer {
  const known = written.get(route);
  if (known !== undefined) return known;
  const text = Buffer.from(JSON.stringify(withoutSample(route)));
  if (route.stub !== undefined) written.set(route, text);
  return text;
}

function placesOf(before: Buffer, texts: readonly Buffer[]): RouteParts['places'] {
  const places = new Int32Array(2 * texts.length);
  let at = before.length;
  for (const [index, { length }] of texts.entries()) {
    places[2 * index] = at;
    places[2 * index + 1] = at + length;
    at += length + COMMA.length;
  }
  return places;
}

/** The mock needs the egress process. */
export function reachesOut(definition: MockDefinition): boolean {
  return mayProxy(definition) || mayCallBack(definition);
}

export function routeIdsOf(route: MockRoute, settings: MockSettings): RouteIds {
  const { id, kind, responses } = route;
  const others = responses.map((response) => otherStatusesOf(settings, route, response));
  return {
    routeId: id,
    responseIds: responses.map((response) => response.id),
    statuses: responses.map((response) =>
      response.proxy !== undefined || (kind === 'ws' && !refusesHandshake(response))
        ? STATUS_OF_UPSTREAM
        : response.status,
    ),
    ...(others.every((each) => each === undefined) ? {} : { otherStatuses: others.map((each) => each ?? []) }),
  };
}

export function definitionIn({ definition }: Pick<MockVersion, 'definition'>): MockDefinition {
  return JSON.parse(Buffer.from(definition).toString()) as MockDefinition;
}
