/** Labels and descriptions of the mock settings. docs/mocks-fields.md. */
import type { ExportOptions, MockRecord } from '../../../client/shapes.ts';
import type { MockSettings, RateLimit } from '../../../model/mocks/definition/definition.ts';
import { latencyWords } from '../routes/route-words.ts';
import { rateLimitWords } from '../try/behaviour-words.ts';
import type { Latency } from '../../../model/mocks/behaviour/latency-schema.ts';
import { choices, labelOf } from '../../parts/words.ts';

interface SettingWords {
  readonly label: string;
  readonly hint: string;
}

export const SETTING_WORDS: Readonly<Record<keyof MockSettings, SettingWords>> = {
  cors: {
    label: 'Allow cross-origin requests (CORS)',
    hint: 'Empty: pages of any origin read responses, and those of local origins send cookies. Or the origins that may:',
  },
  traffic: { label: 'Record requests', hint: 'Needed for Traffic and Verify. Counts are always kept.' },
  forced: {
    label: 'Let requests select a response',
    hint: 'By label or status in x-mock-response-name, x-mock-response-code or Prefer, and by media type in Accept.',
  },
  precedence: { label: 'Route precedence', hint: '/users/me is more specific than /users/:id.' },
  latency: {
    label: 'Latency of every response',
    hint: 'Added to the latency of the response. A range or distribution is sampled for each request.',
  },
  seed: {
    label: 'Random seed',
    hint: 'The same integer repeats all random choices: responses, latency, faults, template values. Empty: random.',
  },
  headers: { label: 'Headers of every response', hint: 'Sent unless the response sets the same header:' },
  clock: { label: 'Clock', hint: 'A fixed time, or an offset such as -7 days. Empty: the real time.' },
  variables: { label: 'Variables', hint: 'JSON values for templates, by name:' },
  faults: { label: 'Faults of every response', hint: 'The first match applies:' },
  rateLimit: { label: 'Rate limit', hint: 'Excess requests are refused, by default with 429:' },
  scenarios: {
    label: 'Scenarios',
    hint: 'Named states; responses require and change them:',
  },
  stores: {
    label: 'Stores',
    hint: 'JSON values that requests read and change, each with a name and an initial value:',
  },
  proxy: {
    label: 'Upstream',
    hint: 'A real service that answers unmatched requests; "when" may be "always" or "never":',
  },
  sessions: {
    label: 'Create sessions on demand',
    hint: 'A request with an unknown session creates it. Otherwise it is answered 404.',
  },
  signing: {
    label: 'Signing keys',
    hint: 'For templates that sign tokens: {"alg": "RS256", "generation": 1}, or empty:',
  },
  clientCert: {
    label: 'Client certificates',
    hint: 'At the port of --mtls-port: {"required": true}, with "ca" as PEM, or empty:',
  },
  faker: {
    label: 'Languages of faker',
    hint: '{"locale": "de"}, a list, or "accept-language" with "locales"; or empty for English:',
  },
  debugHeaders: {
    label: 'Debug headers',
    hint: 'Responses have x-mock-seed, and the request number of their route in x-mock-request-number.',
  },
};

export const PRECEDENCE_OPTIONS = choices({ specific: 'Most specific path first', listed: 'List order' });

/** The value of a setting in one line: for read-only users, for conflicts, and for diffs. */
export function settingWords(name: string, value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (name === 'latency') return latencyWords(value as Latency);
  if (name === 'rateLimit') return rateLimitWords(value as RateLimit);
  if (name === 'precedence') return labelOf(PRECEDENCE_OPTIONS, value) ?? JSON.stringify(value);
  if (name === 'sessions') return 'yes';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const CHARS_MAX = 60;

/** The file name of an export: "payments-v2.json" for "Payments (v2)"; the mock's id when its name has no ASCII letter or digit. */
export function fileNameOf(
  { id, name }: Pick<MockRecord, 'id' | 'name'>,
  format: NonNullable<ExportOptions['format']>,
): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, CHARS_MAX)
    .replaceAll(/^-+|-+$/g, '');
  return `${words === '' ? id : words}.${format === 'switchyard' ? '' : `${format}.`}json`;
}
