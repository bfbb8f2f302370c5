/** A mock is started or stopped. */
import type { MockRecord, RouteSummary } from '../../../client/shapes.ts';
import { MOCK_STATES } from '../../../model/mocks/show/list-mocks.ts';
import { Type } from '../../../model/schema-type.ts';
import { confirmed, confirmShape } from '../../confirm.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';
import { factsOf, readMock } from './mock-facts.ts';

const ROUTES_SHOWN = 40;

export const runMock = tool({
  name: 'mocks_run',
  verb: 'mocks run',
  access: 'serve',
  description:
    'Starts a mock, which then serves its saved version, or stops it, so that it answers 503. The first call shows what would be served and a `confirm`; call again with it.',
  input: Type.Object({ mock, state: Type.Enum([...MOCK_STATES]), confirm: confirmShape }),
  async run(api, { mock: id, state, confirm }) {
    const { data: record, etag } = await readMock(api, id);
    if (record.state === state) return { data: { done: true, mock: factsOf(record), note: `it was ${state} already` } };
    const path = ['mocks', id, 'versions', String(record.version), 'routes'];
    const { data: routes } = await api.get<RouteSummary[]>(path, { fields: 'summary' });
    const stopped = '503 for every request';
    const running = {
      version: record.version,
      routeCount: routes.length,
      routes: routes.slice(0, ROUTES_SHOWN).map(({ method, path: routePath }) => `${method} ${routePath}`),
    };
    const [before, after] = state === 'running' ? [stopped, running] : [running, stopped];
    const shown = { mock: id, state, served: { before, after } };
    const change = { action: `mocks_run ${id} ${state}`, shown, tags: [etag], isRecorded: true };
    return confirmed(api, confirm, change, async () => {
      const action = state === 'running' ? 'start' : 'stop';
      const { data } = await api.send<MockRecord>('POST', ['mocks', id, action], { ifMatch: etag });
      return { mock: factsOf(data), ...(data.published === false ? { published: false } : {}) };
    });
  },
});
