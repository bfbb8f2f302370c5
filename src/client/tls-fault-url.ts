/** Addresses whose certificate is wrong: docs/guide-https.md, "TLS faults". */
import type { TlsFault } from '../model/mocks/sessions/address.ts';

/**
 * @param httpsUrl Base URL of a mock or session. @param path Starts with "/".
 * @param before What the label of the mock follows in it. @throws TypeError without an HTTPS port.
 */
export function tlsFaultUrl(httpsUrl: string | undefined, fault: TlsFault, path: string, before: '://' | '.'): string {
  if (httpsUrl === undefined) throw new TypeError('the server has no HTTPS port: start it with --https');
  return `${httpsUrl.replace(before, `${before}tls-${fault}--`)}${path}`;
}
