/** The setting `cors` of a mock: which pages of other origins may read its answers, and with cookies. docs/mocks-matching.md. */
import { Type } from '../../schema-type.ts';

/** True: any origin, local ones with credentials. False: nothing is added, and preflights are requests like others. */
export type CorsSetting = boolean | CorsPolicy;

export interface CorsPolicy {
  /** Default: any. */
  readonly origins?: readonly string[];
  /** Default: true. */
  readonly credentials?: boolean;
  /** Further names, beside those of the response's own headers. */
  readonly expose?: readonly string[];
  /** Absent: not sent. */
  readonly maxAgeSeconds?: number;
}

export const ANY_ORIGIN = '*';
/** Origin of a sandboxed frame, or of a file. */
export const NULL_ORIGIN = 'null';

/** Values of either type have one schema: a union would not say what is wrong. */
export const corsShape = Type.Unsafe<CorsSetting>({
  type: ['boolean', 'object'],
  properties: {
    origins: {
      type: 'array',
      items: { type: 'string', maxLength: 300 },
      minItems: 1,
      maxItems: 20,
      default: [ANY_ORIGIN],
      description: 'Allowed origins: exact, `https://*.example.com`, `null`, or `*`.',
    },
    credentials: {
      type: 'boolean',
      default: true,
      description: 'Whether pages of these origins may send cookies.',
    },
    expose: {
      type: 'array',
      items: { type: 'string', maxLength: 100 },
      maxItems: 50,
      'x-item-name': 'name',
      description: 'Further response headers that pages may read, such as those of an upstream.',
    },
    maxAgeSeconds: {
      type: 'integer',
      minimum: 0,
      maximum: 86_400,
      description: 'How long browsers keep the answer to a preflight. Default: not sent.',
    },
  },
  additionalProperties: false,
  default: true,
  description:
    'Whether pages of other origins may read responses. `true`: all, those of local origins with cookies; `false`: the mock adds nothing and answers no preflight; or {origins, credentials, expose, maxAgeSeconds}.',
});

/** @returns Completes a sentence that begins with "The settings". */
export function corsWarning(cors: CorsSetting): string | undefined {
  if (typeof cors === 'boolean' || cors.credentials === false) return undefined;
  const isAny = cors.origins === undefined || cors.origins.includes(ANY_ORIGIN);
  return isAny
    ? 'allow every origin in `cors`, with credentials: every page that a browser opens can call this mock with its cookies'
    : undefined;
}
