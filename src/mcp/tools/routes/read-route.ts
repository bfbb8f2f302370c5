/** One route, whole. */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { Type } from '../../../model/schema-type.ts';
import { ToolError } from '../../tool-error.ts';
import { copy, mock, route } from '../shapes.ts';
import { tool } from '../tool.ts';
import { routesPath } from './list-routes.ts';

export const readRoute = tool({
  name: 'routes_read',
  verb: 'routes read',
  access: 'read',
  description:
    'Reads one route whole: responses with bodies, conditions, faults. Read it before you change it with routes_put.',
  input: Type.Object({ mock, route, copy }),
  async run(api, { mock: id, route: routeId, copy: name = 'staged' }) {
    const path = await routesPath(api, id, name);
    if (name === 'staged') return { data: (await api.get([...path, routeId])).data, isRecorded: true };
    const found = (await api.get<MockRoute[]>(path)).data.find((each) => each.id === routeId);
    if (found === undefined) throw new ToolError(404, 'Route not found');
    return { data: found, isRecorded: true };
  },
});
