/** Which routes a mock has. */
import type { MockRecord, RouteSummary } from '../../../client/shapes.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Api } from '../../api.ts';
import { pageOf } from '../../page.ts';
import { copy, mock, offset } from '../shapes.ts';
import { tool } from '../tool.ts';

export const listRoutes = tool({
  name: 'routes_list',
  verb: 'routes list',
  access: 'read',
  description:
    'Lists the routes of a mock without bodies: ids, methods, paths, statuses. Use routes_read for one of them whole.',
  input: Type.Object({
    mock,
    copy,
    q: Type.Optional(Type.String({ description: 'Only routes with this in "METHOD /path".' })),
    offset,
  }),
  async run(api, { mock: id, copy: name = 'staged', q = '', offset: from = 0 }) {
    const { data } = await api.get<RouteSummary[]>(await routesPath(api, id, name), { fields: 'summary' });
    const wanted = data.filter(({ method, path }) => `${method} ${path}`.toLowerCase().includes(q.toLowerCase()));
    const items = wanted.slice(from).map(({ revision: _revision, ...route }) => route);
    return { data: pageOf('routes', items, from, wanted.length), isRecorded: true };
  },
});

/** The path of the routes of a copy. */
export async function routesPath(api: Api, id: string, name: string): Promise<readonly string[]> {
  if (name === 'staged') return ['mocks', id, 'staged', 'routes'];
  const number = name === 'saved' ? (await api.get<MockRecord>(['mocks', id])).data.version : name;
  return ['mocks', id, 'versions', String(number), 'routes'];
}
