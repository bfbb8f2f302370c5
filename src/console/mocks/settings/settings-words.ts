/** The settings of a mock: what each is called and means. docs/mocks.md. */
import type { Latency, MockSettings } from '../../../model/mocks/definition.ts';

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
    meaning: 'Added to that of the response. With two numbers it is drawn between them for each request.',
  },
  seed: {
    label: 'Seed of random choices',
    meaning: 'With the same integer, responses chosen at random come in the same order. Empty: another one each time.',
  },
};

export const PRECEDENCE_OPTIONS = [
  ['specific', 'The most specific'],
  ['listed', 'The first of the list'],
] as const;

/** For people who cannot change it, and for a choice between two values. */
export function settingWords(name: keyof MockSettings, value: unknown): string {
  if (name === 'latency') return latencyWords(value as Latency);
  if (name === 'precedence') return PRECEDENCE_OPTIONS.find(([each]) => each === value)?.[1] ?? JSON.stringify(value);
  if (name === 'seed') return value === null ? 'none' : JSON.stringify(value);
  return value === true ? 'yes' : 'no';
}

const latencyWords = (latency: Latency): string =>
  typeof latency === 'number' ? `${latency} ms` : `${latency.min} to ${latency.max} ms`;
