/** Labels and descriptions of the gateway settings. docs/gateway.md, "Settings". Pure. */
import type { GatewaySettings } from '../../model/gateway/settings.ts';
import { choices, labelOf } from '../parts/words.ts';

interface SettingWords {
  readonly label: string;
  readonly hint: string;
}

export const SETTING_WORDS: Readonly<Record<keyof GatewaySettings, SettingWords>> = {
  mode: { label: 'URL changes', hint: 'A redirect makes the client send a new request. A rewrite is invisible to it.' },
  attach: {
    label: 'Hosts served by mocks',
    hint: 'Requests for the host go to the mock. *.example.com matches all subdomains; a port may follow.',
  },
  others: { label: 'Other hosts', hint: 'Refuse them in tests that must not reach real services.' },
  tunnel: {
    label: 'Hosts not decrypted',
    hint: 'One host per line: for clients that pin certificates, and for HTTP/2. No rules apply.',
  },
  propagate: {
    label: 'Hosts that receive the session',
    hint: 'One host per line: they receive the session of a request as mock-session in the baggage header.',
  },
  record: { label: 'Record bodies', hint: 'Keeps request and response bodies in memory, with secrets masked.' },
  redact: { label: 'Additional masked fields', hint: '' },
};

export const MODES = choices({ redirect: 'Redirect the client (307)', rewrite: 'Rewrite the request' });

export const OTHERS = choices({ forward: 'Proxy their requests', refuse: 'Refuse them (502)' });

/** @param mockName The name of an attached mock, by its id. */
export function settingWords(name: string, value: unknown, mockName = (id: string): string => id): string {
  switch (name) {
    case 'mode':
      return labelOf(MODES, value) ?? String(value);
    case 'others':
      return labelOf(OTHERS, value) ?? String(value);
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
