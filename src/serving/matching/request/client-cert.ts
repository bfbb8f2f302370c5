/** The certificate of a client: what conditions and templates read of it, and the header that has it. */
import { X509Certificate } from 'node:crypto';
import type { CERT_PROPERTIES } from '../../../model/mocks/definition/condition-kinds.ts';

/** Certificates of clients of one thread: reading one takes some 100 µs. */
const KNOWN_MAX = 1_000;

/** The header by which upstreams and recorded requests know it. */
export const FORWARDED_CERT_HEADER = 'x-forwarded-client-cert';

export interface ClientCert {
  readonly pem: string;
  readonly parsed: X509Certificate;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** By property of the target `clientCert`. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The value of FORWARDED_CERT_HEADER, in Envoy's form. */
  readonly header: string;
}

/** The oldest first. */
const known = new Map<string, ClientCert>();

/** @param pem Of a certificate; "" for none. @throws Error for another text. */
export function clientCertOf(pem: string): ClientCert | undefined {
  if (pem === '') return undefined;
  const found = known.get(pem);
  if (found !== undefined) return found;
  const made = read(pem);
  if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value as string);
  known.set(pem, made);
  return made;
}

const SAN_KINDS: Readonly<Record<string, string>> = {
  DNS: 'san.dns',
  URI: 'san.uri',
  email: 'san.email',
  'IP Address': 'san.ip',
};
const SAN = /(DNS|URI|email|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g;

function read(pem: string): ClientCert {
  const parsed = new X509Certificate(pem);
  const { subject = {} } = parsed.toLegacyObject() as { subject?: Readonly<Record<string, string | string[]>> };
  const fingerprint = parsed.fingerprint256.replaceAll(':', '').toLowerCase();
  const alternatives = [...(parsed.subjectAltName ?? '').matchAll(SAN)].map(([, kind = '', text = '']) => ({
    property: SAN_KINDS[kind] as string,
    text: text.startsWith('"') ? (JSON.parse(text) as string) : text,
  }));
  const ofKind = (property: string): string[] =>
    alternatives.filter((each) => each.property === property).map(({ text }) => text);
  const values: Readonly<Record<(typeof CERT_PROPERTIES)[number], readonly string[]>> = {
    subject: [nameIn(parsed.subject)],
    issuer: [nameIn(parsed.issuer)],
    cn: [subject.CN ?? []].flat(),
    ou: [subject.OU ?? []].flat(),
    o: [subject.O ?? []].flat(),
    san: alternatives.map(({ text }) => text),
    'san.dns': ofKind('san.dns'),
    'san.uri': ofKind('san.uri'),
    'san.email': ofKind('san.email'),
    'san.ip': ofKind('san.ip'),
    serial: [parsed.serialNumber.toLowerCase()],
    fingerprint: [fingerprint],
  };
  const header = [
    `Hash=${fingerprint}`,
    `Subject="${nameIn(parsed.subject).replaceAll(/["\\]/g, String.raw`\$&`)}"`,
    ...ofKind('san.uri').map((text) => `URI=${listed(text)}`),
    ...ofKind('san.dns').map((text) => `DNS=${listed(text)}`),
  ].join(';');
  // A header is Latin-1, of one line.
  const endsAt = Date.parse(parsed.validTo);
  return { pem, parsed, endsAt, values: new Map(Object.entries(values)), header: header.replaceAll(/[^ -~]/g, '?') };
}

/** In the order of RFC 2253: the most specific part first. */
function nameIn(lines: string | undefined): string {
  return (lines ?? '').split('\n').toReversed().join(',');
}

/** A value in a list of Envoy's: what would end it is quoted. */
function listed(text: string): string {
  return /[,;="]/.test(text) ? `"${text.replaceAll('"', String.raw`\"`)}"` : text;
}
