/**
 * The material of the keys that mocks sign tokens with: made when a mock first needs it, and kept in a file of the data directory. The nodes of
 * a cluster have a secret that follows from theirs, and what does not follow from a secret lies sealed in the database.
 */
import { generateKeyPair, hkdfSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isObject } from '../base/json-object.ts';
import type { SigningAlgorithm } from '../model/mocks/definition/signing-schema.ts';
import { sealText, unsealText } from '../serving/matching/signing/sealed-text.ts';
import type { SigningMaterial } from '../serving/matching/signing/signing-keys.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import type { OpenStore } from './open-store.ts';

const SECRET_BYTES = 32;
const RSA_BITS = 2_048;

/** Number among the sealed texts of a cluster: those of authorities count from 1. */
const RSA_NUMBER = -1;
const RSA_PURPOSE = 'signing keys of mocks';

type RsaKeys = NonNullable<SigningMaterial['rsa']>;

export class SigningKeys {
  readonly #config: Pick<Config, 'data' | 'store' | 'node'>;
  readonly #log: Log['logger'];
  #sealed: OpenStore['authorities'];
  #made: Promise<SigningMaterial> | undefined;

  constructor(config: Pick<Config, 'data' | 'store' | 'node'>, { logger }: Log) {
    this.#config = config;
    this.#log = logger;
  }

  /** @param authorities Where nodes of a cluster keep what they share. */
  attach({ authorities }: Pick<OpenStore, 'authorities'>): void {
    this.#sealed = authorities;
  }

  /** Calls wait for the one before, so keys are made once. @returns undefined where they can be neither read nor kept, which is logged. */
  readonly need = async (alg: SigningAlgorithm): Promise<SigningMaterial | undefined> => {
    const before = this.#made;
    const made = (async () => {
      const known = (await before?.catch(() => undefined)) ?? (await this.#read());
      return alg === 'RS256' && known.rsa === undefined ? this.#withRsa(known) : known;
    })();
    this.#made = made;
    try {
      return await made;
    } catch (error) {
      this.#log.error({ err: error }, 'signing keys of mocks cannot be used: mocks that sign tokens answer 500');
      return undefined;
    }
  };

  async #read(): Promise<SigningMaterial> {
    const { data, store, node } = this.#config;
    if (node !== undefined) {
      const secret = Buffer.from(hkdfSync('sha256', node.secret, '', 'switchyard signing', SECRET_BYTES));
      const sealed = await this.#sealed?.at(RSA_NUMBER);
      const rsa = sealed && (unsealText(String(sealed), secret, RSA_PURPOSE, 0)?.value as RsaKeys | undefined);
      if (sealed !== undefined && rsa === undefined)
        throw new Error('those in the database were encrypted with another SWITCHYARD_CLUSTER_SECRET');
      return { secret: secret.toString('base64url'), rsa };
    }
    const file = join(data, 'signing.json');
    if (store === undefined && existsSync(file)) return read(file);
    if (store !== undefined)
      this.#log.warn(
        'with --store, a single server forgets the signing keys of mocks when it stops: tokens end with it',
      );
    return this.#keep({ secret: randomBytes(SECRET_BYTES).toString('base64url') });
  }

  async #withRsa({ secret }: SigningMaterial): Promise<SigningMaterial> {
    const [even, odd] = await Promise.all([rsaKey(), rsaKey()]);
    return this.#keep({ secret, rsa: [even, odd] });
  }

  /** @returns The same, or what another node kept before. */
  async #keep(keys: SigningMaterial): Promise<SigningMaterial> {
    const { data, store, node } = this.#config;
    if (node !== undefined && keys.rsa !== undefined) {
      const key = Buffer.from(keys.secret, 'base64url');
      const sealed = sealText(JSON.stringify(keys.rsa), key, RSA_PURPOSE, Number.MAX_SAFE_INTEGER);
      await this.#sealed?.add(RSA_NUMBER, Buffer.from(sealed));
      return this.#read();
    }
    if (store === undefined) write(join(data, 'signing.json'), keys);
    return keys;
  }
}

function read(file: string): SigningMaterial {
  const keys: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const secret = isObject(keys) ? keys['secret'] : undefined;
  if (typeof secret !== 'string' || Buffer.from(secret, 'base64url').length !== SECRET_BYTES)
    throw new Error(
      `${file} does not contain signing keys: remove it to get new keys; earlier tokens are then invalid`,
    );
  return keys as SigningMaterial;
}

function write(file: string, keys: SigningMaterial): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(keys)}\n`, { mode: 0o600 });
  // The file of an attempt that failed may have been there.
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}

const makeKeyPair = promisify(generateKeyPair);

/** Takes 0.3 s, in a thread of its own. */
async function rsaKey(): Promise<string> {
  const { privateKey } = await makeKeyPair('rsa', { modulusLength: RSA_BITS });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}
