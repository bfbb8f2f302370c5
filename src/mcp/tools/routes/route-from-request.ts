/** A route is made of a recorded request, such as a miss. */
import type { RequestRecord } from '../../../client/shapes.ts';
import { Type } from '../../../model/schema-type.ts';
import { stagedAnswer } from '../mocks/mock-facts.ts';
import { mock, scopeOf, session } from '../shapes.ts';
import { tool } from '../tool.ts';
import { proposalFor } from './proposal.ts';

export const routeFromRequest = tool({
  name: 'routes_from_request',
  verb: 'routes from-request',
  access: 'write',
  description:
    'Stages a route for a recorded request that nothing answered: its path with parameters in place of ids, and the response that you give. Use it after traffic_list with `misses`.',
  input: Type.Object({
    mock,
    session,
    request: Type.String({ description: 'Id of the request, from traffic_list.' }),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    body: Type.Optional(Type.String({ description: 'A text; of JSON what JSON.stringify makes. Default: {}' })),
  }),
  async run(api, { mock: id, session: sessionId, request, ...response }) {
    const { data: recorded } = await api.get<RequestRecord>([...scopeOf(id, sessionId), 'requests', request]);
    const route = proposalFor(recorded, response);
    const { data, envelope } = await api.send<{ id: string }>('POST', ['mocks', id, 'staged', 'routes'], {
      body: route,
    });
    const done = { routeId: data.id, route, warnings: envelope['warnings'] };
    return { isRecorded: true, data: await stagedAnswer(api, id, done) };
  },
});
