/** Sessions: what one test sees of a mock that others use at the same time. mocks_read lists them. */
import type { SessionInput } from '../../client/shapes.ts';
import { DEFAULT_LIMITS } from '../../limits.ts';
import { overlayShape } from '../../model/mocks/sessions/session-schema.ts';
import { Type } from '../../model/schema-type.ts';
import { compact } from '../answer.ts';
import { memberNames, mock, tool } from './tool.ts';

const overlay = memberNames(overlayShape(DEFAULT_LIMITS.mocks));

export const createSession = tool({
  name: 'sessions_create',
  verb: 'sessions create',
  access: 'write',
  description:
    'Opens a session of a mock for one test: its own traffic, sequences, states and responses. Others see nothing of it. Send its header with requests; responses_patch with `session` changes its answers.',
  input: Type.Object({
    mock,
    id: Type.Optional(Type.String()),
    label: Type.Optional(Type.String({ description: 'For people.' })),
    seed: Type.Optional(Type.Integer({ description: 'Decides every random draw in it.' })),
    idleMs: Type.Optional(Type.Integer({ description: 'It ends so long after its last request.' })),
    state: Type.Optional(
      Type.Unsafe<Record<string, string>>({ type: 'object', description: 'First states, by scenario.' }),
    ),
    stores: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'First values, by store.' }),
    ),
    compat: Type.Optional(Type.Boolean({ description: "With a secret for WireMock's interface to it." })),
    overlay: Type.Optional(
      Type.Unsafe<NonNullable<SessionInput['overlay']>>({
        type: 'object',
        description: `What it has otherwise than the mock: {${overlay}}`,
      }),
    ),
  }),
  async run(api, { mock: id, ...body }) {
    const { epoch: _epoch, createdAt: _createdAt, ...shown } = (await api.mocks.session(id, body)).record;
    return { data: compact(shown) };
  },
});

export const endSession = tool({
  name: 'sessions_end',
  verb: 'sessions end',
  access: 'write',
  isDestructive: true,
  description:
    'Ends a session; its traffic is gone then. Answers its counts, the requests that nothing answered with the nearest routes, and which routes of its overlay answered nothing.',
  input: Type.Object({ mock, session: Type.String() }),
  async run(api, { mock: id, session }) {
    const { epoch: _epoch, ...end } = await (await api.mocks.openSession(id, session)).end();
    return { data: { ended: session, ...compact(end) }, isRecorded: true };
  },
});
