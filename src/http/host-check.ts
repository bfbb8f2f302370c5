/**
 * Which Host names a server bound to loopback answers to.
 *
 * A web page can make its own name resolve to 127.0.0.1 and so reach a server that only listens there (DNS rebinding); its
 * requests then carry that name. A server bound to another address is reached by names it cannot know, and accepts all.
 */
import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';

const LOOPBACK_HOST = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** IPv4 addresses in IPv6's form are among them. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether what a server listens on is, or may be, a loopback address: by the system's own reading, which takes `127.1`, `LocalHost` and
 * names of this machine.
 */
export async function isLoopback(bindAddress: string): Promise<boolean> {
  try {
    const addresses = await lookup(bindAddress, { all: true });
    return addresses.some(({ address, family }) => LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4'));
  } catch {
    // Nor can it be listened on.
    return false;
  }
}

/**
 * @param onLoopback   Whether the server listens on a loopback address.
 * @param allowedHosts Further names, without port: among them the one that the server was told to listen on.
 * @returns Whether a Host header's value, with or without port, is answered.
 */
export function hostCheck(onLoopback: boolean, allowedHosts: readonly string[]): (host: string) => boolean {
  if (!onLoopback) return () => true;
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  // Clients repeat a few values; a stranger's endless variety must not fill the memory.
  const known = new Map<string, boolean>();
  return (host) => {
    let answer = known.get(host);
    if (answer === undefined) {
      const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
      answer = LOOPBACK_HOST.test(name) || allowed.has(name);
      if (known.size < 1000) known.set(host, answer);
    }
    return answer;
  };
}
