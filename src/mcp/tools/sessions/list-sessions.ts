/** Live sessions with their counts. */
import type { FullSessionRecord, ListedSessionRecord, RequestCounts } from '../../../client/shapes.ts';
import { Type } from '../../../model/schema-type.ts';
import { pageOf } from '../../page.ts';
import { mock, offset, session } from '../shapes.ts';
import { tool } from '../tool.ts';

const PAGE = 30;

export const listSessions = tool({
  name: 'sessions_list',
  verb: 'sessions list',
  access: 'read',
  description:
    'Lists the live sessions of a mock with counts of requests and misses; with `session` that one, with its overlay and counts by route.',
  input: Type.Object({ mock, session, offset }),
  async run(api, { mock: id, session: sessionId, offset: from = 0 }) {
    const path = ['mocks', id, 'sessions'];
    if (sessionId !== undefined) {
      const { data } = await api.get<FullSessionRecord>([...path, sessionId]);
      const { data: counts } = await api.get<RequestCounts>([...path, sessionId, 'counts']);
      return { data: { ...data, counts }, isRecorded: true };
    }
    const { data, envelope } = await api.get<ListedSessionRecord[]>(path, { offset: from, pageSize: PAGE });
    const items = data.map(({ id: each, label, total, unmatched, expiresAt, seed }) => ({
      id: each,
      label,
      total,
      unmatched,
      expiresAt,
      seed,
    }));
    return { data: pageOf('sessions', items, from, envelope['total'] as number), isRecorded: true };
  },
});
