/** What a mock would answer to a request, and why. */
import type { RequestRecord, TryAnswer, TryInput } from '../../../client/shapes.ts';
import { Type } from '../../../model/schema-type.ts';
import { ToolError } from '../../tool-error.ts';
import { proposalFor } from '../routes/proposal.ts';
import { copy, mock, scopeOf, session } from '../shapes.ts';
import { tool } from '../tool.ts';
import { targetOf, withoutSecrets } from '../traffic/without-secrets.ts';
import { askedAgain } from '../traffic/recorded.ts';

export const tryRequest = tool({
  name: 'mocks_try',
  verb: 'mocks try',
  access: 'read',
  description:
    'Dry run: what a mock would answer to a request, which response and why; on a miss the nearest routes, why they do not match, and a route that would. Use it to check edits before a save, and with `request` to explain a recorded request.',
  input: Type.Object({
    mock,
    session,
    request: Type.Optional(Type.String({ description: 'Id of a recorded request, instead of method and path.' })),
    method: Type.Optional(Type.String({ maxLength: 32 })),
    path: Type.Optional(
      Type.String({ pattern: '^/', 'x-expected': 'a path that starts with /', description: 'With its query.' }),
    ),
    headers: Type.Optional(Type.Unsafe<Record<string, string>>({ type: 'object', description: 'Values by name.' })),
    body: Type.Optional(Type.String()),
    against: copy,
  }),
  async run(api, { mock: id, session: sessionId, request, against, method = 'GET', path, headers, body }) {
    const scope = scopeOf(id, sessionId);
    const asked: TryInput | undefined =
      request !== undefined
        ? askedAgain((await api.get<RequestRecord>([...scope, 'requests', request])).data)
        : path === undefined
          ? undefined
          : { method, path, ...(headers === undefined ? {} : { headers }), ...(body === undefined ? {} : { body }) };
    if (asked === undefined) throw new ToolError(400, 'give `method` and `path`, or the id of a recorded `request`');
    // The default of the other tools is the working copy as well.
    const copyName = against ?? 'staged';
    const { data } = await api.send<TryAnswer>('POST', [...scope, 'try'], {
      body: { ...asked, against: /^\d/.test(copyName) ? Number(copyName) : copyName },
    });
    const { explanation, ...answer } = data;
    const proposal = data.route === null ? { wouldAnswer: proposalFor(asked) } : {};
    return {
      data: {
        request: `${asked.method} ${targetOf(asked.path)}`,
        against: copyName,
        ...answer,
        why: withoutSecrets(explanation),
        ...proposal,
      },
      isRecorded: true,
    };
  },
});
