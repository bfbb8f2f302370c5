/** Whether a mock got the requests that a test expects. */
import type { Verification } from '../../../client/shapes.ts';
import { VerificationError } from '../../../client/verification-error.ts';
import { expectationSchema } from '../../../model/mocks/verification.ts';
import { Type } from '../../../model/schema-type.ts';
import { outlinedMembers } from '../outline.ts';
import { mock, scopeOf, session } from '../shapes.ts';
import { tool } from '../tool.ts';
import { summaryOf } from './recorded.ts';
import { withoutActual } from './without-secrets.ts';

export const verifyRequests = tool({
  name: 'traffic_verify',
  verb: 'verify',
  access: 'read',
  description:
    'Checks that requests were made as often, or in the order, as expected: `match` with atLeast, atMost or exactly, or `inOrder`. When not, the closest requests and how they differ.',
  input: Type.Object({ mock, session, ...outlinedMembers(expectationSchema, 1) }),
  async run(api, { mock: id, session: sessionId, ...body }) {
    const { data } = await api.send<Verification>('POST', [...scopeOf(id, sessionId), 'verify'], { body });
    const { closest, ...result } = data;
    const came = closest?.map(({ differs, differences, ...record }) => ({
      ...summaryOf(record),
      differs,
      differences: withoutActual(differences, body),
    }));
    const [problem] = new VerificationError(body, data).message.split('\n');
    const said = data.verified ? {} : { problem };
    return { data: { ...result, ...said, ...(came === undefined ? {} : { closest: came }) }, isRecorded: true };
  },
});
