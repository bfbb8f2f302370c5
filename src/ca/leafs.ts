/** The certificates that the gateway shows to clients: one for each host, made when it is first asked for. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { LargestFirst } from '../base/largest-first.ts';
import { signerOf, type Authority } from './authority.ts';
import { leafCertificate, type Signer } from './certificates.ts';

/** Certificates of hosts that are kept. */
const LEAFS_MAX = 1_000;
/** Each is made anew long before it ends. */
const LEAF_USED_MS = 86_400_000;

interface Leaf {
  readonly context: SecureContext;
  readonly madeAt: number;
  /** For whom it was made. */
  readonly ownerId: string;
}

export class Leafs {
  readonly #max: number;
  readonly #signer: Signer;
  readonly #authority: string;
  readonly #endsAt: number;
  /** One for all of this start. */
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  readonly #key = this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  /** The least recently used come first. */
  readonly #leafs = new Map<string, Leaf>();
  readonly #counts = new LargestFirst<string>();

  /** @param max LEAFS_MAX by default. */
  constructor({ certificate, key }: Authority, max = LEAFS_MAX) {
    this.#max = max;
    this.#authority = certificate;
    this.#endsAt = Date.parse(new X509Certificate(certificate).validTo);
    this.#signer = signerOf({ certificate, key });
  }

  get count(): number {
    return this.#leafs.size;
  }

  /** Why none can be made any more; undefined while they can. */
  get ended(): string | undefined {
    if (Date.now() < this.#endsAt) return undefined;
    return `the CA of this server expired at ${new Date(this.#endsAt).toISOString()}: replace it`;
  }

  /** @param host In lower case, without brackets. */
  contextFor(host: string, ownerId: string): SecureContext {
    const now = Date.now();
    const known = this.#leafs.get(host);
    if (known !== undefined) this.#drop(host, known);
    const leaf = known !== undefined && now - known.madeAt < LEAF_USED_MS ? known : this.#make(host, ownerId, now);
    if (this.#leafs.size >= this.#max) this.#evict();
    this.#leafs.set(host, leaf);
    this.#counts.change(leaf.ownerId, 1);
    return leaf.context;
  }

  #make(host: string, ownerId: string, now: number): Leaf {
    const leaf = leafCertificate(this.#signer, this.#keys.publicKey, [host], now, this.#endsAt);
    return { context: createSecureContext({ key: this.#key, cert: leaf + this.#authority }), madeAt: now, ownerId };
  }

  #evict(): void {
    const most = this.#counts.largest();
    for (const [host, leaf] of this.#leafs) if (leaf.ownerId === most) return this.#drop(host, leaf);
  }

  #drop(host: string, { ownerId }: Leaf): void {
    this.#leafs.delete(host);
    this.#counts.change(ownerId, -1);
  }
}
