/**
 * The issuer of the certificates of mocks: an intermediate authority that is made with each start, and may sign for names of mocks and of
 * this machine alone. So the threads that sign do not have the key of the authority that clients trust.
 */
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  authorityName,
  HOST_SUBJECT,
  intermediateCertificate,
  LEAF_DAYS,
  leafCertificate,
  type PermittedHosts,
  type Signer,
} from './certificates.ts';
import { newAuthority, signerOf, type Authority } from './authority.ts';
import { mayHaveIntermediate } from './read-der.ts';

/** Plain data, which crosses to threads. */
export interface MockIssuer extends Authority {
  /** Certificates between a host's and the authority that clients trust, which is not sent: PEM. */
  readonly chain: string;
}

const LOOPBACK: PermittedHosts['networks'] = [['127.0.0.0', Buffer.from([255, 0, 0, 0])], ['::1']];

/**
 * @param hosts Names and addresses that it may sign for, beside those of this machine.
 * @returns The authority itself where it may not have an intermediate: threads have its key then.
 */
export function mockIssuer(authority: Authority, hosts: readonly string[], now: number): MockIssuer {
  const parsed = new X509Certificate(authority.certificate);
  if (!mayHaveIntermediate(authority.certificate)) return { ...authority, chain: ownChain(authority) };
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const subject = { name: authorityName(`Switchyard mocks ${new Date(now).toISOString()}`), publicKey };
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  const permitted: PermittedHosts = {
    names: [...new Set(['localhost', ...hosts.filter((host) => isIP(host) === 0)])],
    networks: [...LOOPBACK, ...addresses.map((host) => [host] as const)],
  };
  const certificate = intermediateCertificate(signerOf(authority), subject, permitted, now, Date.parse(parsed.validTo));
  return {
    certificate,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    chain: certificate + ownChain(authority),
  };
}

/** The authority that clients trust is not sent; one of an operator may be signed by another, and has its chain in its file. */
function ownChain({ certificate }: Pick<Authority, 'certificate'>): string {
  const parsed = new X509Certificate(certificate);
  return parsed.checkIssued(parsed) ? '' : certificate;
}

/** How a certificate is wrong. */
type CertificateFault = 'expired' | 'future' | 'name' | 'untrusted' | 'self';

const DAY_MS = 86_400_000;

/** Signs for hosts, in one thread. */
export class HostCertificates {
  readonly #signer: Signer;
  readonly #chain: string;
  readonly #endsAt: number;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  /** An authority that nobody trusts. */
  #stranger: Signer | undefined;
  /** Private key of all of this thread: PEM. */
  readonly key = this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

  constructor(issuer: MockIssuer) {
    this.#signer = { ...signerOf(issuer), publicKey: createPublicKey(issuer.certificate) };
    this.#chain = issuer.chain;
    this.#endsAt = Date.parse(new X509Certificate(issuer.certificate).validTo);
  }

  /** @param now When it was made, as it says. @returns The certificate with its chain: PEM. */
  certificateFor(hosts: readonly string[], now = Date.now()): string {
    return leafCertificate(this.#signer, this.#keys.publicKey, hosts, now, this.#endsAt) + this.#chain;
  }

  /** @returns One that clients refuse: PEM. */
  faulty(fault: CertificateFault, hosts: readonly string[]): string {
    const { publicKey, privateKey } = this.#keys;
    const now = Date.now();
    switch (fault) {
      case 'expired':
        return this.certificateFor(hosts, now - (LEAF_DAYS + 1) * DAY_MS);
      case 'future':
        // It begins a day earlier, and a name keeps its certificate until all are made anew.
        return this.certificateFor(hosts, now + LEAF_DAYS * DAY_MS);
      case 'name':
        return this.certificateFor(hosts.map((host) => host.replace(/[^.*]+/, 'tls-other-name')));
      case 'untrusted':
        return leafCertificate((this.#stranger ??= signerOf(newAuthority(now))), publicKey, hosts, now, Infinity);
      case 'self':
        return leafCertificate({ name: HOST_SUBJECT, privateKey, publicKey }, publicKey, hosts, now, Infinity);
    }
  }
}
