/**
 * Certificates that this server signs: its authority, an intermediate one for mocks, and those of hosts. One template of X.509, P-256;
 * an authority of the operator may have another key.
 */
import { createHash, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { plainAddress } from '../base/plain-address.ts';
import {
  bits,
  boolean,
  constructed,
  explicit,
  implicit,
  integer,
  objectId,
  octets,
  sequence,
  set,
  text,
  time,
} from './der.ts';
import { keyBits } from './read-der.ts';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 730;
/** How long a certificate of a host is valid. */
export const LEAF_DAYS = 30;
/** Clocks of clients may be behind. */
const BEFORE_DAYS = 1;

const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const NULL = Buffer.from([0x05, 0x00]);
const RSA_SHA256 = sequence(objectId('1.2.840.113549.1.1.11'), NULL);
const SERIAL_BYTES = 16;

/** Subject of the certificates of hosts: clients read their alternative names. */
export const HOST_SUBJECT = nameOf(['2.5.4.10', 'Switchyard gateway']);

interface Subject {
  /** DER of a name. */
  readonly name: Buffer;
  readonly publicKey: KeyObject;
}

export interface Signer extends Subject {
  /** P-256, another curve, or RSA. */
  readonly privateKey: KeyObject;
  /** Its subject key identifier; by default the one of RFC 5280. */
  readonly keyId?: Buffer | undefined;
}

/** @param commonName Tells authorities apart. */
export function authorityName(commonName: string): Buffer {
  return nameOf(['2.5.4.10', 'Switchyard'], ['2.5.4.3', commonName]);
}

/** @returns PEM. */
export function authorityCertificate(authority: Signer, now: number): string {
  const extensions = [...signing(1), extension('2.5.29.14', octets(keyId(authority.publicKey)))];
  return certificate(authority, authority, extensions, now, now + AUTHORITY_DAYS * DAY_MS);
}

/** Hosts that an intermediate authority may sign for. */
export interface PermittedHosts {
  /** Each with what is below it. */
  readonly names: readonly string[];
  /** Addresses; networks with the bytes of their masks. */
  readonly networks: readonly (readonly [address: string, mask?: Buffer])[];
}

/** @param endsAt When the authority ends. @returns PEM. */
export function intermediateCertificate(
  authority: Signer,
  subject: Subject,
  { names, networks }: PermittedHosts,
  now: number,
  endsAt: number,
): string {
  const permitted = [
    ...names.map((name) => sequence(implicit(2, Buffer.from(name, 'latin1')))),
    ...networks.map(([address, mask]) => {
      const bytes = addressBytes(address);
      return sequence(implicit(7, Buffer.concat([bytes, mask ?? Buffer.alloc(bytes.length, 0xff)])));
    }),
  ];
  const extensions = [
    ...signing(0),
    extension('2.5.29.30', sequence(constructed(0, ...permitted)), true),
    extension('2.5.29.35', sequence(implicit(0, authority.keyId ?? keyId(authority.publicKey)))),
    extension('2.5.29.14', octets(keyId(subject.publicKey))),
  ];
  return certificate(subject, authority, extensions, now, endsAt);
}

/** @param below How many authorities may follow in a chain. */
function signing(below: number): readonly Buffer[] {
  return [
    extension('2.5.29.19', sequence(boolean(true), integer(Buffer.from([below]))), true),
    // keyCertSign and cRLSign.
    extension('2.5.29.15', bits(Buffer.from([0x06]), 1), true),
  ];
}

/**
 * @param hosts   Names in ASCII, and addresses.
 * @param endsAt  When the authority ends.
 * @returns PEM.
 */
export function leafCertificate(
  authority: Signer,
  publicKey: KeyObject,
  hosts: readonly string[],
  now: number,
  endsAt: number,
): string {
  const subject = { name: HOST_SUBJECT, publicKey };
  const extensions = leafExtensions(authority, publicKey, SERVER_AUTH, hosts);
  return certificate(subject, authority, extensions, now, Math.min(endsAt, now + LEAF_DAYS * DAY_MS));
}

/** Facts of the client that a certificate is for. */
export interface ClientFacts {
  readonly name: string;
  readonly unit?: string | undefined;
  /** Further names: of hosts, addresses, e-mail addresses and URIs. */
  readonly names: readonly string[];
}

/** @param endsAt When it ends. @returns PEM. */
export function clientCertificate(
  authority: Signer,
  publicKey: KeyObject,
  { name, unit, names }: ClientFacts,
  now: number,
  endsAt: number,
): string {
  const parts = [...(unit === undefined ? [] : [['2.5.4.11', unit] as const]), ['2.5.4.3', name] as const];
  const subject = { name: nameOf(...parts), publicKey };
  return certificate(subject, authority, leafExtensions(authority, publicKey, CLIENT_AUTH, names), now, endsAt);
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

function leafExtensions(
  authority: Signer,
  publicKey: KeyObject,
  purpose: string,
  names: readonly string[],
): readonly Buffer[] {
  return [
    extension('2.5.29.19', sequence(), true),
    // digitalSignature.
    extension('2.5.29.15', bits(Buffer.from([0x80]), 7), true),
    extension('2.5.29.37', sequence(objectId(purpose))),
    ...(names.length === 0 ? [] : [extension('2.5.29.17', sequence(...names.map(alternativeName)))]),
    extension('2.5.29.35', sequence(implicit(0, authority.keyId ?? keyId(authority.publicKey)))),
    extension('2.5.29.14', octets(keyId(publicKey))),
  ];
}

function certificate(
  subject: Subject,
  { name: issuer, privateKey }: Signer,
  extensions: readonly Buffer[],
  now: number,
  endsAt: number,
): string {
  const algorithm = privateKey.asymmetricKeyType === 'rsa' ? RSA_SHA256 : ECDSA_SHA256;
  const serial = randomBytes(SERIAL_BYTES);
  // Positive, and of that length.
  serial[0] = ((serial[0] as number) & 0x3f) | 0x40;
  const signed = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    issuer,
    sequence(time(new Date(now - BEFORE_DAYS * DAY_MS)), time(new Date(endsAt))),
    subject.name,
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  );
  const whole = sequence(signed, algorithm, bits(sign('sha256', signed, privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function nameOf(...parts: readonly (readonly [type: string, value: string])[]): Buffer {
  return sequence(...parts.map(([type, value]) => set(sequence(objectId(type), text(value)))));
}

function extension(id: string, content: Buffer, isCritical = false): Buffer {
  return sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octets(content));
}

function keyId(key: KeyObject): Buffer {
  const spki = key.export({ type: 'spki', format: 'der' });
  return createHash('sha1').update(keyBits(spki)).digest();
}

/** Tags of alternative names that are texts. */
const [EMAIL, HOST, URI] = [1, 2, 6];

function alternativeName(name: string): Buffer {
  if (isIP(name) !== 0) return implicit(7, addressBytes(name));
  const kind = /^[a-z][a-z\d+.-]*:/i.test(name) ? URI : name.includes('@') ? EMAIL : HOST;
  return implicit(kind, Buffer.from(name, 'latin1'));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const plain = plainAddress(address) ?? '::';
  // A mapped address is one of IPv4.
  if (isIP(plain) === 4) return addressBytes(plain);
  return Buffer.from(
    plain
      .split(':')
      .map((word) => word.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
