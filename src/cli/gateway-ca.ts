/** `switchyard ca`: the authority of the gateway, which clients have to trust for HTTPS. */
import { systemClock } from '../base/clock.ts';
import {
  authorityFile,
  factsOf,
  readAuthority,
  readOwnCertificate,
  readOrMakeAuthority,
  replaceAuthority,
  type Authority,
} from '../egress/ca/authority.ts';
import { readOrMakeSealed, readSealed, replaceSealed, type SealedAuthorities } from '../egress/ca/sealed-authority.ts';
import { OperatorError } from '../base/operator-error.ts';
import { shownStore } from '../store/store-url.ts';
import { clusterSecret } from './environment.ts';

interface AuthorityPlace {
  readonly data: string;
  /** The database of a cluster. */
  readonly store?: string;
  /** The certificate of an own one. */
  readonly gatewayCa?: string;
}

/** Where an authority is kept. */
interface CaStore {
  /** As it is shown. */
  readonly place: string;
  read(): Authority | undefined | Promise<Authority | undefined>;
  make(): Authority | Promise<Authority>;
  replace(): Authority | Promise<Authority>;
}

/** @returns What is printed. @throws OperatorError where there is none. */
export async function showAuthority(given: AuthorityPlace): Promise<string> {
  const own = given.gatewayCa;
  if (own !== undefined) return describeCa(own, readOwnCertificate(own));
  return using(given, async (kept) => {
    const authority = await kept.read();
    if (authority === undefined) throw new OperatorError(`${kept.place} has none: \`switchyard ca create\` makes one`);
    return describeCa(kept.place, authority);
  });
}

/** @returns What is printed. @throws OperatorError where there is one. */
export function createAuthority(given: AuthorityPlace): Promise<string> {
  return using(given, async (kept) => {
    if ((await kept.read()) !== undefined) {
      throw new OperatorError(`${kept.place} exists: \`switchyard ca rotate\` makes another one`);
    }
    return describeCa(kept.place, await kept.make());
  });
}

/** @returns What is printed. */
export function rotateAuthority(given: AuthorityPlace): Promise<string> {
  return using(given, async (kept) => {
    const made = await kept.replace();
    return `${describeCa(kept.place, made)}\nTrust it in place of the one before. A server that runs uses it from its next start on.`;
  });
}

async function using<Result>(
  { data, store }: AuthorityPlace,
  use: (kept: CaStore) => Promise<Result>,
): Promise<Result> {
  const now = systemClock();
  if (store === undefined) {
    return use({
      place: authorityFile(data),
      read: () => readAuthority(data),
      make: () => readOrMakeAuthority(data, now),
      replace: () => replaceAuthority(data, now),
    });
  }
  const secret = clusterSecret();
  return withAuthorities(store, (sealed) =>
    use({
      place: shownStore(store),
      read: () => readSealed(sealed, secret),
      make: () => readOrMakeSealed(sealed, secret, now),
      replace: () => replaceSealed(sealed, secret, now),
    }),
  );
}

async function withAuthorities<Result>(
  address: string,
  use: (sealed: SealedAuthorities) => Promise<Result>,
): Promise<Result> {
  const { PostgresStore } = await import('../store/postgres/postgres-store.ts');
  const store = await PostgresStore.open(address).catch((error: unknown) => {
    throw new OperatorError(`cannot use the store ${shownStore(address)}: ${(error as Error).message}`);
  });
  try {
    return await use(store.authorities());
  } finally {
    await store.close();
  }
}

function describeCa(place: string, authority: Pick<Authority, 'certificate'>): string {
  const { fingerprint, spkiSha256, expiresAt, warning } = factsOf(authority, systemClock());
  return [
    `file         ${place}`,
    `SHA-256      ${fingerprint}`,
    `public key   ${spkiSha256}`,
    `expires      ${expiresAt}`,
    ...(warning === undefined ? [] : [`warning      ${warning}`]),
  ].join('\n');
}
