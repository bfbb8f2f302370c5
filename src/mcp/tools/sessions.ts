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
    'Creates a session of a mock for one test: its own traffic, sequences, states and responses, invisible to others. Send its header with requests; responses_patch with `session` changes its responses.',
  input: Type.Object({
    mock,
    id: Type.Optional(Type.String()),
    label: Type.Optional(Type.String({ description: 'Label for people.' })),
    seed: Type.Optional(Type.Integer({ description: 'Seed of all randomness in the session.' })),
    idleMs: Type.Optional(Type.Integer({ description: 'The session expires this long after its last request.' })),
    state: Type.Optional(
      Type.Unsafe<Record<string, string>>({ type: 'object', description: 'Initial states, by scenario.' }),
    ),
    stores: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'Initial values, by store.' }),
    ),
    compat: Type.Optional(Type.Boolean({ description: 'Also returns a secret for its WireMock interface.' })),
    overlay: Type.Optional(
      Type.Unsafe<NonNullable<SessionInput['overlay']>>({
        type: 'object',
        description: `Differences from the mock: {${overlay}}`,
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
    'Ends a session and deletes its traffic. Returns its counts, the unmatched requests with the closest routes, and the routes of its overlay that never answered.',
  input: Type.Object({ mock, session: Type.String() }),
  async run(api, { mock: id, session }) {
    const { epoch: _epoch, ...end } = await (await api.mocks.openSession(id, session)).end();
    return { data: { ended: session, ...compact(end) }, isRecorded: true };
  },
});
