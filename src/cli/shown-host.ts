/** @param host What a server listens on. @returns Where a client on this machine reaches it, as a part of a URL. */
export function shownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
