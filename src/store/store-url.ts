/** The address of a store in PostgreSQL, as `--store` has it: one or more servers, of which one is the primary. */
const ADDRESS = /^(postgres(?:ql)?:\/\/)([^/@]*@)?([^/?#\s]+)(\/[^?#\s]*)?(\?[^#\s]*)?$/;

export interface StoreServer {
  /** Only this server. */
  readonly url: string;
  /** Name for messages, without the password. */
  readonly name: string;
}

export function isStoreUrl(text: string): boolean {
  return ADDRESS.test(text);
}

/** @param address Such as `postgres://user:password@first:5432,second/database?sslmode=require`. */
export function serversOf(address: string): StoreServer[] {
  const [, scheme = '', user = '', hosts = '', database = '', query = ''] = ADDRESS.exec(address) ?? [];
  return hosts
    .split(',')
    .map((host) => ({ url: `${scheme}${user}${host}${database}${query}`, name: `${host}${database}` }));
}

/** The same without its password: for messages. */
export function shownStore(place: string): string {
  if (!isStoreUrl(place)) return place;
  return serversOf(place)
    .map(({ name }) => name)
    .join(', ');
}
