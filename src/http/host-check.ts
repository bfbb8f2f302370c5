/**
 * Which Host names a server bound to loopback answers to.
 *
 * A web page can make its own name resolve to 127.0.0.1 and so reach a server that only listens there (DNS rebinding); its
 * requests then carry that name. A server bound to another address is reached by names it cannot know, and accepts all.
 */

const LOOPBACK_ADDRESS = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;
const LOOPBACK_HOST = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * @param bindAddress  What the server listens on.
 * @param allowedHosts Further names, without port.
 * @returns Whether a Host header's value, with or without port, is answered.
 */
export function hostCheck(bindAddress: string, allowedHosts: readonly string[]): (host: string) => boolean {
  if (!LOOPBACK_ADDRESS.test(bindAddress)) return () => true;
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
