/** The setting `signing` of a mock: how it signs tokens, and how a session breaks them. docs/mocks-fields.md. */
import { CLOSED, Type } from '../../schema-type.ts';
import type { Value } from '../../schema-value.ts';

const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

const BREAKS = ['expired', 'notBefore', 'audience', 'issuer', 'nonce', 'kid', 'signature', 'none'] as const;

export const signingShape = Type.Object(
  {
    alg: Type.Optional(
      Type.Enum(SIGNING_ALGORITHMS, { default: 'RS256', description: 'Algorithm of tokens that `jwtSign` makes.' }),
    ),
    generation: Type.Optional(
      Type.Integer({
        default: 1,
        minimum: 1,
        maximum: 1_000,
        description: 'Another number is another key, with another `kid`.',
      }),
    ),
    overlap: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether the key of the generation before stays in `jwks`, and its tokens valid.',
      }),
    ),
    break: Type.Optional(
      Type.Nullable(
        Type.Enum(BREAKS, {
          default: null,
          description: 'What `jwtSign` gets wrong, for tests of clients: best in a session.',
        }),
      ),
    ),
  },
  { ...CLOSED, description: 'Keys of the helpers `jwtSign`, `jwtVerify`, `jwks`, `seal` and `unseal`.' },
);

export interface SigningSetting extends Value<typeof signingShape> {}

export const SIGNING_DEFAULTS = { alg: 'RS256', generation: 1, overlap: true } as const;

/** @returns Completes a sentence that begins with "The settings". */
export function signingWarning({ break: broken = null }: SigningSetting = {}): string | undefined {
  if (broken === null) return undefined;
  return `break every token for all clients (\`signing.break\`: ${broken}): a session breaks those of one test`;
}
