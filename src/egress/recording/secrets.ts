/**
 * Which values are replaced before an exchange is kept, and by what: a keyed digest. Equal values stay equal, so a token that a login
 * answers with still ties the requests that use it together; the key is that of the process, and nothing leads back.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { namesCredential } from '../../base/credentials.ts';
import { REDACTED_VALUES_MAX } from '../../limits.ts';
import type { RedactedNames } from '../../model/mocks/definition/definition.ts';

const KEY_BYTES = 32;
const DIGITS = 8;
/** Names that are remembered: the same ones come again and again. */
const KNOWN_NAMES_MAX = 5_000;
/** Longer texts are not names. */
const NAME_CHARS_MAX = 200;

/** Each takes microseconds: in place of further ones. */
const BEYOND = 'redacted-00000000';

/** Replacement that another search has made before. */
const REPLACED = /^redacted-[0-9a-f]{8}$/;

const CODE_CHARS_MIN = 6;

const NO_NAMES: ReadonlySet<string> = new Set();

/** The key of a process, and what it has learnt of names. */
export class SecretKey {
  readonly #key = randomBytes(KEY_BYTES);
  readonly #known = new Map<string, boolean>();

  /** For one exchange of a mock. */
  of({ headers = [], members = [] }: RedactedNames): Secrets {
    if (headers.length + members.length === 0) return new Secrets(this, NO_NAMES, NO_NAMES);
    return new Secrets(
      this,
      lowerCased(headers),
      lowerCased(members.map((name) => Buffer.from(name).toString('latin1'))),
    );
  }

  digest(value: string): string {
    return createHmac('sha256', this.#key).update(value, 'latin1').digest('hex').slice(0, DIGITS);
  }

  namesCredential(name: string): boolean {
    if (name.length > NAME_CHARS_MAX) return false;
    let is = this.#known.get(name);
    if (is === undefined) {
      is = namesCredential(name);
      if (this.#known.size >= KNOWN_NAMES_MAX) this.#known.clear();
      this.#known.set(name, is);
    }
    return is;
  }
}

/** Secrets of an exchange. */
export class Secrets {
  readonly #key: SecretKey;
  readonly #headers: ReadonlySet<string>;
  readonly #members: ReadonlySet<string>;
  #count = 0;

  constructor(key: SecretKey, headers: ReadonlySet<string>, members: ReadonlySet<string>) {
    this.#key = key;
    this.#headers = headers;
    this.#members = members;
  }

  /** Whether the mock names no further ones. */
  get areCommon(): boolean {
    return this.#headers.size + this.#members.size === 0;
  }

  /** Whether a header of this name, in lower case, is named by the mock. */
  namesHeader(name: string): boolean {
    return this.#headers.has(name);
  }

  /** Whether a parameter, field or member of this name is: all that it holds is replaced. */
  isNamed(name: string): boolean {
    return this.#members.size > 0 && this.#members.has(name.toLowerCase());
  }

  /** Whether credentials have such names, whatever the mock names. */
  areCommonly(name: string): boolean {
    return this.#key.namesCredential(name);
  }

  /** Whether its text is replaced: it is named by the mock, or as credentials are. */
  names(name: string): boolean {
    return this.isNamed(name) || this.#key.namesCredential(name);
  }

  /** Whether a parameter is one: beside names of credentials, the code with which a login ends. Shorter ones say something else. */
  namesParameter(name: string, value: string): boolean {
    return this.names(name) || (value.length >= CODE_CHARS_MIN && name.toLowerCase() === 'code');
  }

  /** @param value One character for each byte. @returns What is kept in its place. */
  replace(value: string): string {
    if (REPLACED.test(value)) return value;
    return ++this.#count > REDACTED_VALUES_MAX ? BEYOND : `redacted-${this.#key.digest(value)}`;
  }
}

function lowerCased(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}
