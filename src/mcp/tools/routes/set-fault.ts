/** A fault is put on the responses of a route: in the working copy, or at once in one session. */
import type { FullSessionRecord } from '../../../client/shapes.ts';
import { faultShape } from '../../../model/mocks/behaviour/behaviour-schema.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { Type } from '../../../model/schema-type.ts';
import { ToolError } from '../../tool-error.ts';
import { stagedAnswer } from '../mocks/mock-facts.ts';
import { outlined } from '../outline.ts';
import { mock, route, session } from '../shapes.ts';
import { tool } from '../tool.ts';

export const setFault = tool({
  name: 'faults_set',
  verb: 'faults set',
  access: 'write',
  description:
    'Makes a route fail, to test how a client copes: status, hang, reset, truncated body and others. In the working copy (then mocks_save), or with `session` at once in that session alone. Without `fault` it is removed.',
  input: Type.Object({
    mock,
    route,
    response: Type.Optional(Type.String({ description: 'Only this response of the route; all when absent.' })),
    fault: Type.Optional(outlined(faultShape, 1)),
    session,
  }),
  async run(api, { mock: id, route: routeId, response, fault, session: sessionId }) {
    if (sessionId !== undefined) {
      if (response !== undefined)
        throw new ToolError(400, 'in a session a fault is of all responses of the route: leave out `response`');
      const path = ['mocks', id, 'sessions', sessionId];
      const { data } = await api.get<FullSessionRecord>(path);
      const { [routeId]: _before, ...others } = data.overlay.responses ?? {};
      const responses = fault === undefined ? others : { ...others, [routeId]: { merge: { fault } } };
      await api.send('PUT', [...path, 'overlay'], { body: { ...data.overlay, responses } });
      return {
        data: { session: sessionId, route: routeId, fault: fault ?? null, note: 'In this session alone, from now on.' },
      };
    }
    const path = ['mocks', id, 'staged', 'routes', routeId];
    const { data: staged, etag } = await api.get<MockRoute>(path);
    const isMeant = (responseId: string): boolean => response === undefined || response === responseId;
    if (!staged.responses.some((each) => isMeant(each.id))) throw new ToolError(404, 'Response not found');
    const responses = staged.responses.map(({ fault: before, ...each }) => {
      const after = isMeant(each.id) ? fault : before;
      return after === undefined ? each : { ...each, fault: after };
    });
    const { envelope } = await api.send('PUT', path, { body: { ...staged, responses }, ifMatch: etag });
    return { data: await stagedAnswer(api, id, { warnings: envelope['warnings'] }), isRecorded: true };
  },
});
