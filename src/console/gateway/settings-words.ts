/** Labels and descriptions of the gateway settings. docs/gateway.md, "Settings". Pure. */
import type { GatewaySettings } from '../../model/gateway/settings.ts';

interface SettingWords {
  readonly label: string;
  readonly meaning: string;
}

export const SETTING_WORDS: Readonly<Record<keyof GatewaySettings, SettingWords>> = {
  mode: {
    label: 'Rules that change the URL',
    meaning: 'A redirect is seen by the client, which asks again. A rewrite is not seen.',
  },
  attach: {
    label: 'Hosts that mocks answer for',
    meaning: 'Requests for the host go to the mock. *.example.com stands for all that end so; a port may follow.',
  },
  others: { label: 'Other hosts', meaning: 'Refuse them for tests that must reach nothing real.' },
  tunnel: {
    label: 'Tunnels that are passed on unread',
    meaning: 'One host a line: for clients that pin certificates, and for HTTP/2. No rules act there.',
  },
  propagate: {
    label: 'Hosts that get the session',
    meaning: 'One host a line: they get the session of a request as mock-session in the header baggage.',
  },
  record: { label: 'Keep bodies', meaning: 'Bodies of requests and answers are kept in memory, with secrets masked.' },
  redact: { label: 'Masked besides common credentials', meaning: '' },
};

export const MODES = [
  ['redirect', 'Redirect the client (307)'],
  ['rewrite', 'Rewrite: ask the other URL'],
] as const;

export const OTHERS = [
  ['forward', 'Pass their requests on'],
  ['refuse', 'Refuse them (502)'],
] as const;

/** @param mockName The name of an attached mock, by its id. */
export function settingWords(name: string, value: unknown, mockName = (id: string): string => id): string {
  switch (name) {
    case 'mode':
      return wordOf(MODES, value);
    case 'others':
      return wordOf(OTHERS, value);
    case 'record':
      return value === true ? 'on' : 'off';
    case 'attach':
      return listed((value as GatewaySettings['attach']).map(({ host, mockId }) => `${host} → ${mockName(mockId)}`));
    case 'redact': {
      const { headers, members } = value as GatewaySettings['redact'];
      return listed([...headers.map((each) => `header ${each}`), ...members.map((each) => `member ${each}`)]);
    }
    default:
      return listed(value as readonly string[]);
  }
}

const wordOf = (choices: readonly (readonly [string, string])[], value: unknown): string =>
  choices.find(([each]) => each === value)?.[1] ?? String(value);

const listed = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join('\n'));

/** Removes empty lines and rows. Returns the same object when there are none. */
export function withoutBlanks(settings: GatewaySettings): GatewaySettings {
  const { attach, tunnel, propagate, redact } = settings;
  const isBlank = [tunnel, propagate, redact.headers, redact.members].some(
    (texts) => filled(texts).length < texts.length,
  );
  const rows = attach.filter(({ host, mockId }) => host.trim() !== '' || mockId !== '');
  if (!isBlank && rows.length === attach.length) return settings;
  return {
    ...settings,
    attach: rows,
    tunnel: filled(tunnel),
    propagate: filled(propagate),
    redact: { headers: filled(redact.headers), members: filled(redact.members) },
  };
}

const filled = (texts: readonly string[]): readonly string[] => texts.filter((text) => text.trim() !== '');
