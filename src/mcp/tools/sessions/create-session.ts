/** A session: what one test sees of a mock that others use at the same time. */
import type { SessionRecord } from '../../../client/shapes.ts';
import { DEFAULT_LIMITS } from '../../../limits.ts';
import { sessionShape } from '../../../model/mocks/sessions/session-schema.ts';
import { Type } from '../../../model/schema-type.ts';
import { outlinedMembers } from '../outline.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';

export const createSession = tool({
  name: 'sessions_create',
  verb: 'sessions create',
  access: 'write',
  description:
    'Opens a session of a mock for one test: its own traffic, sequences, states and, with `overlay`, responses. Others see nothing of it. Send its header with requests, and end it with sessions_end.',
  input: Type.Object({ mock, ...outlinedMembers(sessionShape(DEFAULT_LIMITS.mocks), 1) }),
  async run(api, { mock: id, ...body }) {
    const { data } = await api.send<SessionRecord>('POST', ['mocks', id, 'sessions'], { body });
    const { epoch: _epoch, createdAt: _createdAt, ...shown } = data;
    return { data: shown };
  },
});
