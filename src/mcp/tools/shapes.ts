/** Members that the inputs of several tools have. */
import { Type } from '../../model/schema-type.ts';

export const mock = Type.String({ description: 'Id of the mock, from mocks_list.' });
export const route = Type.String({ description: 'Id of the route, from routes_list.' });
export const session = Type.Optional(Type.String({ description: 'Id of a session: only what that session sees.' }));
export const offset = Type.Optional(Type.Integer({ minimum: 0, description: '`nextOffset` of the page before.' }));
export const copy = Type.Optional(
  Type.String({
    pattern: '^(staged|saved|\\d{1,9})$',
    'x-expected': '"staged", "saved" or the number of a version',
    description: '"staged": the working copy (default); "saved": what is served; or the number of a version.',
  }),
);

/** The path of a mock, or of one of its sessions. */
export function scopeOf(mockId: string, sessionId: string | undefined): readonly string[] {
  return sessionId === undefined ? ['mocks', mockId] : ['mocks', mockId, 'sessions', sessionId];
}
