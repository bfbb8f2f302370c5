/** Which requests are for mocks of this server: they go to its port of mocks, without a look-up of their name. */
import { isIP } from 'node:net';
import type { RuleSettings } from './settings.ts';

/** @param origin Of the request's URL. */
export function namesMock(
  { hostname, port, protocol }: URL,
  { mocks, mockDomains }: Pick<RuleSettings, 'mocks' | 'mockDomains'>,
): boolean {
  const usual = protocol === 'https:' ? 443 : 80;
  const asked = port === '' ? usual : Number(port);
  const isUsual = asked === usual && !isLocal(hostname);
  if (asked !== mocks.port && !isUsual) return false;
  if (mocks.isTls !== (protocol === 'https:')) return false;
  const name = hostname.replace(/\.$/, '');
  if (mockDomains.some((domain) => name.endsWith(`.${domain}`))) return true;
  return asked === mocks.port && isLocal(name);
}

/** Names and addresses of this machine that nobody else has. */
function isLocal(hostname: string): boolean {
  const name = hostname.replaceAll(/^\[|\]$/g, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  );
}
