/** Which copy of a mock a question is about. */
import { Type, EXPECTED } from '../../schema-type.ts';

export const againstSchema = Type.Union([Type.Enum(['staged', 'saved']), Type.Integer({ minimum: 1 })], {
  default: 'saved',
  [EXPECTED]: '"staged", "saved" or the number of a version',
  description: 'The working copy, the served version, or a version number.',
});
