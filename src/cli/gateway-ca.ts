/** `switchyard ca`: the authority of the gateway and of `serve --https`, which clients have to trust. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import {
  authorityFile,
  factsOf,
  readAuthority,
  readOwnCertificate,
  readOrMakeAuthority,
  replaceAuthority,
  signerOf,
  type Authority,
} from '../ca/authority.ts';
import { readOrMakeSealed, readSealed, replaceSealed, type SealedAuthorities } from '../ca/sealed-authority.ts';
import { clientCertificate, type ClientFacts } from '../ca/certificates.ts';
import { keyStore, trustStore } from '../ca/pkcs12.ts';
import { shellWord } from '../languages/shell-word.ts';
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
  /** Place as shown. */
  readonly place: string;
  read(): Authority | undefined | Promise<Authority | undefined>;
  make(): Authority | Promise<Authority>;
  replace(): Authority | Promise<Authority>;
}

/** @returns What is printed. @throws OperatorError where there is none. */
export async function showAuthority(given: AuthorityPlace): Promise<string> {
  const own = given.gatewayCa;
  if (own !== undefined) return describeCa(own, readOwnCertificate(own));
  return using(given, async (kept) => describeCa(kept.place, await readOrRefuse(kept)));
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

/** @returns What is printed: how clients get to trust it. Nothing is changed. */
export async function trustLines(given: AuthorityPlace): Promise<string> {
  const file = given.gatewayCa ?? (given.store === undefined ? authorityFile(given.data) : 'ca.pem');
  if (given.store !== undefined && given.gatewayCa === undefined)
    return `Write the certificate first: \`switchyard ca export ${file}\`\n${linesFor(file)}`;
  await showAuthority(given);
  return linesFor(resolve(file));
}

function linesFor(path: string): string {
  const file = shellWord(path);
  const store = shellWord(path.replace(/\.\w+$/, '.p12'));
  return [
    `curl         curl --cacert ${file} …`,
    `Node.js      NODE_EXTRA_CA_CERTS=${file}`,
    `Python       SSL_CERT_FILE=${file} REQUESTS_CA_BUNDLE=${file}   (this CA alone)`,
    `Go           SSL_CERT_FILE=${file}   (this CA alone)`,
    `Java         switchyard ca export ${store}, then`,
    `             -Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=${STORE_PASSWORD}   (this CA alone)`,
    `.NET         SSL_CERT_FILE=${file} on Linux; elsewhere the system's store`,
    `Chromium     certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n switchyard -i ${file}   (Linux)`,
    `Firefox      certutil -d PROFILE -A -t C,, -n switchyard -i ${file}`,
    `macOS        security add-trusted-cert -k ~/Library/Keychains/login.keychain-db ${file}`,
    `Windows      certutil -user -addstore Root ${file}`,
    `Dockerfile   COPY ca.pem /usr/local/share/ca-certificates/switchyard.crt`,
    `             RUN update-ca-certificates`,
  ].join('\n');
}

const STORE_PASSWORD = 'changeit';

/** @param file Its ending says the format: .pem, .der or .p12. @returns What is printed. @throws OperatorError */
export async function exportAuthority(
  file: string,
  { password = STORE_PASSWORD, ...given }: AuthorityPlace & { readonly password?: string },
): Promise<string> {
  const { certificate } =
    given.gatewayCa === undefined ? await using(given, readOrRefuse) : readOwnCertificate(given.gatewayCa);
  const contents: Readonly<Record<string, () => string | Buffer>> = {
    '.pem': () => certificate,
    '.der': () => new X509Certificate(certificate).raw,
    '.p12': () => trustStore(certificate, 'switchyard', password),
  };
  const content = contents[extname(file).toLowerCase()];
  if (content === undefined) throw new OperatorError(`${file}: name a file that ends in .pem, .der or .p12`);
  writeOrRefuse(file, content());
  return `${file} has the certificate, and no key${extname(file) === '.p12' ? `; its password is ${password}` : ''}`;
}

interface ClientGiven extends AuthorityPlace {
  readonly ou?: string;
  readonly san: readonly string[];
  readonly days: number;
  readonly password: string;
}

/** Writes a client certificate with its key, for `--mtls-port`. @returns What is printed. @throws OperatorError */
export async function makeClient(name: string, file: string, given: ClientGiven): Promise<string> {
  const isStore = file.toLowerCase().endsWith('.p12');
  if (!isStore && !file.toLowerCase().endsWith('.pem'))
    throw new OperatorError(`${file}: name a file that ends in .pem or .p12`);
  // One that a server has made, or makes at its next start.
  const authority = await using(given, async (kept) => kept.make());
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const facts: ClientFacts = { name, unit: given.ou, names: given.san };
  const now = systemClock();
  const endsAt = Math.min(now + given.days * DAY_MS, Date.parse(new X509Certificate(authority.certificate).validTo));
  const certificate = clientCertificate(signerOf(authority), publicKey, facts, now, endsAt);
  const content = isStore ? keyStore(certificate, key, name, given.password) : certificate + key;
  writeOrRefuse(file, content, 0o600);
  const secret = isStore ? `; its password is ${given.password}` : '';
  return `${file} has the certificate of ${name} and its key, until ${new Date(endsAt).toISOString()}${secret}`;
}

const DAY_MS = 86_400_000;

function writeOrRefuse(file: string, content: string | Buffer, mode?: number): void {
  try {
    writeFileSync(file, content, mode === undefined ? {} : { mode });
  } catch (error) {
    throw new OperatorError(`cannot write ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function readOrRefuse(kept: CaStore): Promise<Authority> {
  const authority = await kept.read();
  if (authority === undefined) throw new OperatorError(`${kept.place} has none: \`switchyard ca create\` makes one`);
  return authority;
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
