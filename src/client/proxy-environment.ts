/** The environment variables that make an ordinary program use the gateway and trust its authority. */
import type { ProxySettings } from './shapes.ts';

/** Files of certificates, as PEM. */
export interface TrustFiles {
  /** The authority of the gateway: for settings that add to what a program trusts. */
  readonly ca: string;
  /** The usual authorities and that of the gateway: for settings that replace what a program trusts. */
  readonly bundle: string;
}

/** Each replaces what its programs trust: OpenSSL and Python; Python's requests; curl; git. */
const BUNDLE_VARIABLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'] as const;

/**
 * The variables for a child process.
 *
 * @param trust   Undefined where the gateway has no authority.
 * @param direct  Hosts that are not reached through the gateway, as NO_PROXY lists them.
 */
export function proxyEnvironment(
  { server, username, password }: ProxySettings,
  trust: TrustFiles | undefined,
  direct: readonly string[],
): Record<string, string> {
  const url = new URL(server);
  Object.assign(url, { username, password });
  const proxy = url.href.replace(/\/$/, '');
  const either = { http_proxy: proxy, https_proxy: proxy, no_proxy: direct.join(',') };
  const upper = Object.entries(either).map(([name, value]) => [name.toUpperCase(), value]);
  return {
    ...either,
    ...Object.fromEntries(upper),
    // Node.js takes the others from 22.21 and 24.5 on, when this is set.
    NODE_USE_ENV_PROXY: '1',
    ...(trust === undefined ? {} : { NODE_EXTRA_CA_CERTS: trust.ca, ...bundled(trust.bundle) }),
  };
}

function bundled(file: string): Record<string, string> {
  return Object.fromEntries(BUNDLE_VARIABLES.map((name) => [name, file]));
}
