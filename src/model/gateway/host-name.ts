/** Hosts as settings of the gateway name them: `api.example.com`, `*.example.com`, `[::1]`, each with a port where one is meant. */
import { isIP } from 'node:net';

const NAMED = /^(\*\.)?(\[[\da-f:.]+\]|[^\s/?#@:[\]\\*%]+)(?::(\d{1,5}))?$/i;
/** A normalised name. */
const PLAIN = /^(?:\[[\da-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)$/;

/** The forms that `hostNameOf` accepts, for messages. */
export const HOST_NAMES = 'a host such as api.example.com, *.example.com or api.example.com:8443';

/**
 * @returns The host in the one spelling that URLs have of it: in lower case, IPv6 in brackets, without a dot at its end.
 *   Undefined for what is not one.
 */
export function hostNameOf(text: string): string | undefined {
  const [, wild = '', name = '', digits] = NAMED.exec(text) ?? [];
  if (name === '' || !URL.canParse(`http://${name}`)) return undefined;
  const plain = new URL(`http://${name}`).hostname.replace(/\.$/, '');
  if (!PLAIN.test(plain)) return undefined;
  // Addresses have no part that is like the end of a name.
  if (wild !== '' && (plain.startsWith('[') || isIP(plain) !== 0)) return undefined;
  if (digits === undefined) return `${wild}${plain}`;
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? `${wild}${plain}:${port}` : undefined;
}
