/** `GET /v1/version`: which build answers; docs/api.md. */
import type { Static } from 'typebox';
import { versionSchema } from '../../model/server-version.ts';
import { Type } from '../../model/schema-type.ts';
import { endpoint, type Endpoint } from '../endpoint.ts';

export function versionApi(version: Static<typeof versionSchema>): Endpoint[] {
  const members = `"data":${JSON.stringify(version)}`;
  return [
    endpoint({
      method: 'GET',
      path: '/v1/version',
      access: 'public',
      doc: {
        operationId: 'version',
        tag: 'Operations',
        summary: 'Version, commit and store format of the server; needs no key',
        answer: Type.Object({ data: versionSchema }),
        refusals: ['starting', 'draining', 'overloaded'],
      },
      handle: (call) => call.succeed(members),
    }),
  ];
}
