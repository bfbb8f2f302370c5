/** The files of certificates that the variables of proxy-environment.ts name. Apart from those: the client also runs in a browser. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import type { TrustFiles } from './proxy-environment.ts';

/**
 * Writes the files, unless they are there.
 *
 * @param certificate Of the authority, as PEM.
 * @param folder      Where; a temporary one by default, which is removed when this process exits.
 */
export function writeTrustFiles(certificate: string, folder = temporaryFolder()): TrustFiles {
  // What this process trusts beside the usual ones, the programs trust too: a proxy of a company, for example.
  const added = inFileOf('NODE_EXTRA_CA_CERTS');
  // The gateway's first: `keytool` reads no other.
  const own = `${certificate}${added}`;
  const usual = [...tls.rootCertificates, ...systemCertificates(), inFileOf('SSL_CERT_FILE')];
  const digest = createHash('sha256').update(own).digest('hex').slice(0, DIGEST_CHARS);
  const ca = join(folder, `gateway-trust-${digest}.pem`);
  const bundle = join(folder, `gateway-bundle-${digest}.pem`);
  writeWhole(bundle, [...usual, own].join('\n'));
  writeWhole(ca, own);
  return { ca, bundle };
}

/** Part of the names of the files: those of two authorities differ. */
const DIGEST_CHARS = 16;

/** Programs that read the file see all of it, also while another process writes the same one. */
function writeWhole(file: string, text: string): void {
  const part = `${file}.${process.pid}`;
  writeFileSync(part, text, { mode: 0o600 });
  renameSync(part, file);
}

/** From Node.js 22.15 on: those that this machine trusts beside the usual ones. */
function systemCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'system') => readonly string[] };
  return getCACertificates?.('system') ?? [];
}

function inFileOf(variable: string): string {
  try {
    return `${readFileSync(process.env[variable] ?? '', 'utf8').trim()}\n`;
  } catch {
    // Not set, or nothing that a program could read either.
    return '';
  }
}

let temporary: string | undefined;

function temporaryFolder(): string {
  if (temporary !== undefined) return temporary;
  const made = mkdtempSync(join(tmpdir(), 'switchyard-trust-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  return (temporary = made);
}
