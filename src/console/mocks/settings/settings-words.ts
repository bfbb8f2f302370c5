/** Labels and descriptions of the mock settings. docs/mocks.md. */
import type { ExportOptions, MockRecord } from '../../../client/shapes.ts';
import type { Latency, MockSettings, RateLimit } from '../../../model/mocks/definition/definition.ts';
import { latencyWords } from '../routes/route-words.ts';
import { rateLimitWords } from '../try/behaviour-words.ts';

interface SettingWords {
  readonly label: string;
  readonly meaning: string;
}

export const SETTING_WORDS: Readonly<Record<keyof MockSettings, SettingWords>> = {
  cors: {
    label: 'Pages may read answers (CORS)',
    meaning: 'Answers preflights, and lets a page of any origin read what the mock answers.',
  },
  traffic: {
    label: 'Record requests',
    meaning: 'Recorded requests are seen under Traffic, and can be verified. Counts are kept either way.',
  },
  forced: {
    label: 'Requests may name their response',
    meaning: 'By label or status in x-mock-response-name, x-mock-response-code or Prefer, and by media type in Accept.',
  },
  precedence: {
    label: 'Of several routes that match, the one that answers',
    meaning: '/users/me is more specific than /users/:id.',
  },
  latency: {
    label: 'Latency of every response',
    meaning: 'Added to that of the response. What is not fixed is drawn for each request.',
  },
  seed: {
    label: 'Seed of random choices',
    meaning:
      'With the same integer all draws are the same again: responses, latency, faults, values of templates. Empty: chance.',
  },
  headers: { label: 'Headers of every response', meaning: 'Sent unless a response has a header of the name:' },
  clock: {
    label: 'Clock',
    meaning: 'A time at which it stands still, or an offset such as -7 days; empty: the real time.',
  },
  variables: { label: 'Variables', meaning: 'JSON values that templates read by name:' },
  faults: { label: 'Faults of every response', meaning: 'The first that applies to a request strikes:' },
  rateLimit: { label: 'Rate limit', meaning: 'Requests beyond it are refused, with 429 unless it says otherwise:' },
  scenarios: {
    label: 'Scenarios',
    meaning: 'Named states that requests move through; responses say in which they answer:',
  },
  stores: {
    label: 'Stores',
    meaning: 'JSON values that requests read and change, each with a name and the value that it begins with:',
  },
  proxy: {
    label: 'Upstream',
    meaning: 'A real service that answers what no route does; with "when": "always" everything, with "never" nothing:',
  },
  sessions: {
    label: 'Requests make their session',
    meaning: 'A request that names an unknown session makes it. Otherwise it is answered 404.',
  },
  debugHeaders: {
    label: 'Answers show their seed',
    meaning: 'In the header x-mock-seed, with the number of the request to its route in x-mock-request-number.',
  },
};

export const PRECEDENCE_OPTIONS = [
  ['specific', 'The most specific'],
  ['listed', 'The first of the list'],
] as const;

/** The value of a setting in one line: for read-only users, for conflicts, and for diffs. */
export function settingWords(name: string, value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (name === 'latency') return latencyWords(value as Latency);
  if (name === 'rateLimit') return rateLimitWords(value as RateLimit);
  if (name === 'precedence') return PRECEDENCE_OPTIONS.find(([each]) => each === value)?.[1] ?? JSON.stringify(value);
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
