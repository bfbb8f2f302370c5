/** A published mock as the bytes that go to the data plane's process, and what its counters are laid out by. */
import { otherStatusesOf } from '../../model/mocks/behaviour/fault-statuses.ts';
import type {
  MockDefinition,
  MockRoute,
  MockSettings,
  MockToCompile,
  PublishedMock,
} from '../../model/mocks/definition/definition.ts';
import { refusesHandshake } from '../../model/mocks/sockets/socket.ts';
import { mayCallBack } from '../../model/mocks/upstream/callbacks.ts';
import { mayProxy } from '../../model/mocks/upstream/proxy.ts';
import { withoutSample } from '../../model/mocks/upstream/sample.ts';
import { STATUS_OF_UPSTREAM, type MockBytes, type MockForThread, type RouteIds, type RouteParts } from './messages.ts';
import { stateLayoutOf } from './mock-state.ts';

export function toBytes({ definition, revisions, ...record }: PublishedMock): MockBytes {
  const { settings, routes } = definition;
  const before = `{"settings":${JSON.stringify(settings)},"routes":[`;
  const texts = routes.map(textOf);
  const isOfStubs = revisions !== undefined && routes.some(({ stub }) => stub !== undefined);
  return {
    ...record,
    routes: routes.map((route) => routeIdsOf(route, settings)),
    stateLayout: stateLayoutOf(settings, mayProxy(definition)),
    reachesOut: mayProxy(definition) || mayCallBack(definition),
    definition: Buffer.from(`${before}${texts.map(({ text }) => text).join(',')}]}`),
    ...(isOfStubs ? { parts: { revisions, places: placesOf(before, texts) } } : {}),
  };
}

/** As JSON, without what only shows where it came from. */
interface RouteText {
  readonly text: string;
  readonly bytes: number;
}

/** Routes are immutable: of a version that adds one, the others were written before. */
const written = new WeakMap<MockRoute, RouteText>();

function textOf(route: MockRoute): RouteText {
  const known = written.get(route);
  if (known !== undefined) return known;
  const text = JSON.stringify(withoutSample(route));
  const made = { text, bytes: Buffer.byteLength(text) };
  if (route.stub !== undefined) written.set(route, made);
  return made;
}

function placesOf(before: string, texts: readonly RouteText[]): RouteParts['places'] {
  let at = Buffer.byteLength(before);
  return texts.flatMap(({ bytes }) => {
    const start = at;
    at += bytes + 1;
    return [start, start + bytes];
  });
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

export function fromThreadMock({ mockId, ownerId, state, version, definition }: MockForThread): MockToCompile {
  return {
    mockId,
    ownerId,
    state,
    version,
    definition: JSON.parse(Buffer.from(definition).toString()) as MockDefinition,
  };
}
