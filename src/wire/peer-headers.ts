/** What a request to another node carries about its client. Clients cannot send these: they are removed. */
export const PEER_HEADERS = {
  /** The address that the client has. */
  client: 'x-switchyard-client',
  /** Of a request that another node has received: a token of this process alone, and the client's address. */
  forwarded: 'x-switchyard-forwarded',
  /** Of a reply: the mock has its home elsewhere. */
  moved: 'x-switchyard-moved',
  /** Of a reply: the connection was closed without one. */
  broken: 'x-switchyard-broken',
} as const;

const NAMES: ReadonlySet<string> = new Set(Object.values(PEER_HEADERS));

/** @param name In lower case. */
export function isPeerHeader(name: string): boolean {
  return NAMES.has(name);
}
