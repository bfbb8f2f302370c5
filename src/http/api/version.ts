/** `GET /v1/version`: which build answers; docs/api.md. */
import type { Static } from 'typebox';
import { versionSchema } from '../../model/server-version.ts';
import type { Endpoint } from '../endpoint.ts';
import { operations } from './operation.ts';

const operation = operations('Operations');

export function versionApi(version: Static<typeof versionSchema>): Endpoint[] {
  const members = `"data":${JSON.stringify(version)}`;
  return [
    operation('version', 'GET /v1/version', {
      access: 'public',
      summary: 'Version, commit and store format of the server; needs no key',
      record: versionSchema,
      refuses: ['starting', 'draining', 'overloaded'],
      handle: (call) => call.succeed(members),
    }),
  ];
}
