/** What mocks take that were stored before the start, and how long the request takes that has one loaded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../compare.ts';
import { residentBytes } from '../load/cpu-time.ts';
import { endAll } from '../processes.ts';
import { startFresh, startOn } from './fresh-service.ts';
import { inTurn, milliseconds, type OwnFigures } from './own-figures.ts';
import { numberedPath, numberedRoutes } from './scenarios.ts';

const ROUTES_PER_MOCK = 20;
const MOCKS = 1_000;
const MOCKS_TINY = 5;
/** Memory comes in pages: too few routes to fill one count as one. */
const PAGE_BYTES = 4_096;
/** After a start, until what it left to do is done. */
const SETTLE_MS = 500;

export const loadedMocks: OwnFigures = {
  name: 'loaded-mocks',
  async measure(isTiny) {
    const mockCount = isTiny ? MOCKS_TINY : MOCKS;
    const routes = numberedRoutes(ROUTES_PER_MOCK);
    const { client: creator, store } = await startFresh();
    // The first mock warms up: compiled code and open connections are not what a mock takes.
    const [warmUpId = '', ...mockIds] = await inTurn(mockCount + 1, (index) => creator.create(`mock ${index}`, routes));
    creator.close();
    await endAll();

    const { service, client } = await startOn(store);
    for (let index = 0; index < ROUTES_PER_MOCK; index++) await client.get(warmUpId, numberedPath(index));
    await sleep(SETTLE_MS);
    const before = residentBytes(service.mocks.pid);
    const ask = (index: number) => milliseconds(() => client.get(mockIds[index] as string, numberedPath(0)));
    const firstMs = await inTurn(mockCount, ask);
    const grown = Math.max(PAGE_BYTES, residentBytes(service.mocks.pid) - before);
    const nextMs = await inTurn(mockCount, ask);
    client.close();
    await endAll();

    const jsonBytes = JSON.stringify(routes).length / ROUTES_PER_MOCK;
    return [
      {
        name: 'memory of a loaded route',
        unit: 'B',
        values: [grown / mockCount / ROUTES_PER_MOCK],
        against: { what: 'its JSON', value: jsonBytes },
      },
      {
        name: 'first request to a mock',
        unit: 'ms',
        values: firstMs,
        against: { what: 'the next', value: median(nextMs) },
      },
    ];
  },
};
