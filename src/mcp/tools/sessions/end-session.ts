/** The end of a session, with what it leaves. */
import type { SessionEnd } from '../../../client/shapes.ts';
import { Type } from '../../../model/schema-type.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';

export const endSession = tool({
  name: 'sessions_end',
  verb: 'sessions end',
  access: 'write',
  isDestructive: true,
  description:
    'Ends a session, and answers its counts, the requests that nothing answered with the nearest routes, and what of its overlay was not used. Its traffic is gone then.',
  input: Type.Object({ mock, session: Type.String({ description: 'Id of the session.' }) }),
  async run(api, { mock: id, session }) {
    const { data } = await api.send<SessionEnd>('DELETE', ['mocks', id, 'sessions', session]);
    const { counts, unmatched, unused } = data;
    return {
      data: {
        ended: session,
        counts,
        unmatched,
        unused,
        undo: 'An end cannot be undone: sessions_create opens another, with the same seed if that matters.',
      },
      isRecorded: true,
    };
  },
});
