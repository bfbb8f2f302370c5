/**
 * Which Host names a server bound to loopback answers to.
 *
 * A web page can make its own name resolve to 127.0.0.1 and so reach a server that only listens there (DNS rebinding);
 * its requests then carry that name. A server bound to another address is reached by names it cannot know, and accepts
 * all. Names of mocks belong to the mock port: the refusal says so.
 */
import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';

/** The syntax of mock ids (decide-mock.ts). */
const MOCK_ID = /^m[0-9a-z]{15}$/;

const LOOPBACK_HOST = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Includes IPv4 addresses in IPv6 notation. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether the bind address is, or may be, a loopback address: as the system resolves it, which includes `127.1`,
 * `LocalHost` and names of this machine.
 */
export async function isLoopback(bindAddress: string): Promise<boolean> {
  try {
    const addresses = await lookup(bindAddress, { all: true });
    return addresses.some(({ address, family }) => LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4'));
  } catch {
    // The server cannot listen on it either.
    return false;
  }
}

/**
 * @param onLoopback   Whether the server listens on a loopback address.
 * @param allowedHosts Further names, without port, the bind address among them.
 * @returns Whether a Host header's value, with or without port, is answered.
 */
export function hostCheck(onLoopback: boolean, allowedHosts: readonly string[]): (host: string) => boolean {
  if (!onLoopback) return () => true;
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  // Clients repeat a few values; an attacker's endless variety must not fill the memory.
  const known = new Map<string, boolean>();
  return (host) => {
    let answer = known.get(host);
    if (answer === undefined) {
      const name = nameOf(host);
      answer = LOOPBACK_HOST.test(name) || allowed.has(name);
      if (known.size < 1000) known.set(host, answer);
    }
    return answer;
  };
}

/** Whether a Host header's value, with or without port, is the name of a mock below one of these domains. */
export function namesMock(host: string, domains: readonly string[]): boolean {
  const name = nameOf(host);
  const dot = name.indexOf('.');
  return MOCK_ID.test(name.slice(0, dot)) && domains.includes(name.slice(dot + 1));
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
