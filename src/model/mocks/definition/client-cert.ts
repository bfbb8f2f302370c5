/** The setting `clientCert` of a mock: certificates of its clients, at the port of `--mtls-port`. docs/guide-https.md. */
import { X509Certificate } from 'node:crypto';
import { CLOSED, Type } from '../../schema-type.ts';
import type { Value } from '../../schema-value.ts';

const AUTHORITIES_MAX = 20;
const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;

export const clientCertShape = Type.Object(
  {
    required: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether requests without a certificate are refused.' }),
    ),
    ca: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description:
          'PEM of up to 20 authorities that may have issued it, intermediate ones with their root. Default: all that the port accepts.',
      }),
    ),
    refuse: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 403, default: 403, description: 'Status of requests that are refused.' }),
    ),
  },
  {
    ...CLOSED,
    description: 'Client certificates that requests need, at the port of `--mtls-port`. Absent: none is asked for.',
  },
);

export interface ClientCertSetting extends Value<typeof clientCertShape> {}

/** @throws Error for what is no certificate. */
export function authoritiesIn({ ca }: ClientCertSetting): X509Certificate[] | undefined {
  return ca === undefined ? undefined : [...ca.matchAll(PEM_BLOCK)].map(([block]) => new X509Certificate(block));
}

/** @param now Milliseconds since 1970. */
export function checkClientCert(
  { ca }: ClientCertSetting,
  now: number,
  report: (path: string, problem: string) => void,
): void {
  const problem = ca === undefined ? undefined : authoritiesProblem(ca, now);
  if (problem !== undefined) report('/ca', problem);
}

function authoritiesProblem(ca: string, now: number): string | undefined {
  const blocks = [...ca.matchAll(PEM_BLOCK)];
  // Nothing of a key is repeated.
  if (blocks.some(([, kind = '']) => kind.endsWith('PRIVATE KEY')))
    return 'has a private key: only certificates belong here';
  if (blocks.length === 0) return 'is not PEM: -----BEGIN CERTIFICATE----- …';
  if (blocks.length > AUTHORITIES_MAX) return `has more than ${AUTHORITIES_MAX} certificates`;
  let parsed: readonly X509Certificate[];
  try {
    parsed = blocks.map(([block]) => new X509Certificate(block));
  } catch {
    return 'has a block that TLS cannot read as a certificate';
  }
  for (const [index, each] of parsed.entries()) {
    const which = `certificate ${index + 1}`;
    if (!each.ca) return `${which} is not an authority: it may not issue others`;
    if (Date.parse(each.validTo) <= now) return `${which} ended at ${new Date(each.validTo).toISOString()}`;
    // By its name: signatures of twenty large keys take too long here, and are checked with each client.
    if (!parsed.some((other) => each.checkIssued(other))) return `the issuer of ${which} is not in the list: add it`;
  }
  return undefined;
}

export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
