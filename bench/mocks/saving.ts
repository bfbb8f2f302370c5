/** From a save to its reply, and to an answer of the new version. */
import { deepStrictEqual as deepEqual } from 'node:assert';
import type { StagedRoute } from '../mocks-client.ts';
import { endAll } from '../processes.ts';
import { startFresh } from './fresh-service.ts';
import { inTurn, milliseconds, type OwnFigures } from './own-figures.ts';
import { itemBody, numberedPath, numberedRoutes } from './scenarios.ts';

const ROUTES = 1_000;
const ROUTES_TINY = 20;
const SAVES = 10;
const SAVES_TINY = 2;

export const saving: OwnFigures = {
  name: 'saving',
  async measure(isTiny) {
    const routeCount = isTiny ? ROUTES_TINY : ROUTES;
    const { client } = await startFresh();
    const mockId = await client.create('saved', numberedRoutes(routeCount));
    const { routes } = await client.call<{ routes: StagedRoute[] }>('GET', `/${mockId}/staged`);
    const route = routes[routeCount - 1] as StagedRoute;
    const response = `/${mockId}/staged/routes/${route.id}/responses/${route.responses[0]?.id}`;
    const repliedMs: number[] = [];
    const servedMs = await inTurn(isTiny ? SAVES_TINY : SAVES, async (index) => {
      const body = itemBody(routeCount + index);
      await client.call('PUT', response, { body });
      return milliseconds(async () => {
        repliedMs.push(await milliseconds(() => client.call('POST', `/${mockId}/save`)));
        deepEqual(await client.get(mockId, numberedPath(routeCount - 1)), body);
      });
    });
    client.close();
    await endAll();
    const name = `save of ${routeCount.toLocaleString('en')} routes`;
    return [
      { name: `${name}, replied`, unit: 'ms', values: repliedMs },
      { name: `${name}, served`, unit: 'ms', values: servedMs },
    ];
  },
};
