/** The settings of the gateway as they are typed and sent, and the lines for clients. */
import { expect, test } from 'vitest';
import { GATEWAY_DEFAULTS } from '../../../src/model/gateway/settings.ts';
import { clientLines } from '../../../src/console/gateway/client-lines.ts';
import { settingWords, withoutBlanks } from '../../../src/console/gateway/settings-words.ts';

test('rows and lines that are empty are not sent; what has none is the same object', () => {
  expect(withoutBlanks(GATEWAY_DEFAULTS)).toBe(GATEWAY_DEFAULTS);
  const typed = {
    ...GATEWAY_DEFAULTS,
    attach: [
      { host: 'pay.test', mockId: 'm1' },
      { host: ' ', mockId: '' },
      { host: '', mockId: 'm2' },
    ],
    tunnel: ['pinned.test', '', ' '],
  };
  // The server says what is wrong with a mock without a host.
  expect(withoutBlanks(typed)).toMatchObject({ attach: [typed.attach[0], typed.attach[2]], tunnel: ['pinned.test'] });
});

test('settings in words', () => {
  const attach = [{ host: 'pay.test', mockId: 'm1' }];
  expect(settingWords('attach', attach, () => 'Payments')).toBe('pay.test → Payments');
  expect(settingWords('tunnel', [])).toBe('none');
  expect(settingWords('record', true)).toBe('on');
  expect(settingWords('redact', { headers: ['x-token'], members: ['pin'] })).toBe('header x-token\nmember pin');
});

test('lines for clients name the address, the user and the authority, and never a key', () => {
  const asked = { server: 'http://127.0.0.1:8082', user: 'checkout-1', hasCa: true, api: 'http://127.0.0.1:8080' };
  const [browser, ...lines] = clientLines(asked);
  expect(browser?.text).toBe(
    'switchyard browser https://example.com --server http://127.0.0.1:8080 --session checkout-1',
  );
  expect(clientLines({ ...asked, user: 'key' })[0]?.text).not.toContain('--session');
  expect(lines.map(({ client }) => client)).toEqual(['curl', 'Node.js', 'Python', 'Playwright']);
  for (const { text, note } of lines) {
    expect(text).toContain('127.0.0.1:8082');
    expect(text + note).toContain('checkout-1');
  }
  expect(lines[0]?.text).toContain('-U "checkout-1:$SWITCHYARD_API_KEY" --cacert gateway-ca.pem');
  const withoutCa = clientLines({ ...asked, hasCa: false });
  expect(withoutCa.map(({ text }) => text).join('\n')).not.toContain('gateway-ca');
});
