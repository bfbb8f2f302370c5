/**
 * Certificates of test/fixtures/tls, and files that a test may replace.
 *
 * `first` (ECDSA) and `second` (RSA) have an intermediate in their chain, and are for localhost, names below it and 127.0.0.1; they and
 * `expired` go back to `root`, and fall due in a hundred years.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { connect } from 'node:tls';
import { temporaryDirectory } from './server.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures/tls');

export type Pair = 'first' | 'second' | 'expired';

export const ROOT = readFileSync(join(FIXTURES, 'root.pem'));

export function fixture(name: string): string {
  return join(FIXTURES, name);
}

export class CertificateFiles {
  readonly cert: string;
  readonly key: string;

  constructor(pair: Pair) {
    const directory = temporaryDirectory();
    this.cert = join(directory, 'cert.pem');
    this.key = join(directory, 'key.pem');
    this.putCert(pair);
    this.putKey(pair);
  }

  get options(): string[] {
    return ['--tls-cert', this.cert, '--tls-key', this.key];
  }

  putCert(pair: Pair): void {
    writeFileSync(this.cert, readFileSync(fixture(`${pair}-cert.pem`)));
  }

  putKey(pair: Pair): void {
    writeFileSync(this.key, readFileSync(fixture(`${pair}-key.pem`)));
  }
}

/** @returns The common name of the certificate that a new connection gets. `servername` is sent as its SNI. */
export function certificateOn(port: number, servername?: string): Promise<string> {
  return new Promise((told, failed) => {
    const socket = connect({ host: '127.0.0.1', port, ca: ROOT, ...(servername && { servername }) }, () => {
      told(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once('error', failed);
  });
}
