/**
 * Makes apps of uWebSockets.js, with TLS or without, and deals them the connections that an acceptor takes.
 *
 * An app, and each of its connections, keeps the certificate that it was made with. A renewed one is therefore an app more, to which the
 * acceptor deals from then on; the app before serves its connections to their end, and nobody notices. It stays, with 40 kB. (Within an app
 * certificates could be replaced by server name only, and who connects to an address sends none.)
 *
 * What a certificate must be is certificate.ts. uWebSockets.js takes TLS 1.2 and 1.3, in BoringSSL, and HTTP/1.1 alone.
 */
import * as uWS from 'uWebSockets.js';
import type { TemplatedApp } from 'uWebSockets.js';

/** PEM files: the certificate with its chain, and its private key. Absolute paths: uWebSockets.js opens them itself. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What uWebSockets.js has and its types do not. */
interface Dealing {
  getDescriptor(): unknown;
  addChildAppDescriptor(descriptor: unknown): void;
  removeChildAppDescriptor(descriptor: unknown): void;
}

/** The files hold nothing that TLS can use. */
export class TlsFilesError extends Error {}

/** Of TLS 1.2. BoringSSL would also take some without forward secrecy, and CBC. */
const CIPHERS =
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:' +
  'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305';

/** @throws TlsFilesError */
export function newApp(tls: TlsFiles | undefined): TemplatedApp {
  if (tls === undefined) return uWS.App();
  try {
    return uWS.SSLApp({ cert_file_name: tls.cert, key_file_name: tls.key, ssl_ciphers: CIPHERS });
  } catch {
    throw new TlsFilesError(`cannot use the certificate ${tls.cert} with the key ${tls.key}: TLS accepts no such pair`);
  }
}

/** An app's name in all threads of the process. */
export function descriptorOf(app: TemplatedApp): unknown {
  return (app as TemplatedApp & Dealing).getDescriptor();
}

/** Listens for others: has no requests of its own, and needs no certificate. */
export class Acceptor {
  readonly app: TemplatedApp;
  #dealtTo: readonly unknown[] = [];

  /** @param isSecure Whether the apps that it deals to have TLS. */
  constructor(isSecure: boolean) {
    this.app = isSecure ? uWS.SSLApp({}) : uWS.App();
  }

  /** From now on each connection goes to the next of these, in turn. */
  dealTo(descriptors: readonly unknown[]): void {
    const dealing = this.app as TemplatedApp & Dealing;
    // First the new ones: without any it would keep connections to itself.
    for (const descriptor of descriptors) dealing.addChildAppDescriptor(descriptor);
    for (const descriptor of this.#dealtTo) dealing.removeChildAppDescriptor(descriptor);
    this.#dealtTo = descriptors;
  }
}
