/**
 * Creates uWebSockets.js apps, with or without TLS, and distributes to them the connections that an acceptor takes.
 *
 * An app, and each of its connections, keeps the certificate that it was created with. For a renewed certificate a new
 * app is created, and the acceptor distributes connections to that one from then on. The old app serves its connections
 * to their end, so no client notices. It is never freed, which costs 40 kB. (Within an app, certificates could be
 * replaced by server name only, and a client that connects to an address sends none.)
 *
 * Checks of the certificate are in app/certificate.ts. uWebSockets.js supports TLS 1.2 and 1.3, by BoringSSL, and
 * HTTP/1.1 only.
 */
import { OperatorError } from '../base/operator-error.ts';
import { uWS, type HttpRequest, type HttpResponse, type TemplatedApp } from './uws.ts';

/** PEM files: the certificate with its chain, and its private key. Absolute paths: uWebSockets.js opens them itself. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities of clients, which are asked for a certificate. Clients without one pass. */
  readonly clientCa?: string;
}

/** TLS cannot use the files. */
export class TlsFilesError extends OperatorError {}

/** For TLS 1.2. By default BoringSSL would also accept ciphers without forward secrecy, and CBC. */
const CIPHERS =
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:' +
  'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305';

/** @throws TlsFilesError */
export function newApp(tls: TlsFiles | undefined): TemplatedApp {
  if (tls === undefined) return uWS.App();
  try {
    return uWS.SSLApp(optionsOf(tls));
  } catch {
    throw new TlsFilesError(`cannot use the certificate ${tls.cert} with the key ${tls.key}: TLS accepts no such pair`);
  }
}

function optionsOf({ cert, key, clientCa }: TlsFiles) {
  const asks = clientCa === undefined ? {} : { ca_file_name: clientCa };
  return { cert_file_name: cert, key_file_name: key, ssl_ciphers: CIPHERS, ...asks };
}

/** @param handle Called within the handshake of a client that names a host which has no certificate of its own yet. */
export function onMissingName(app: TemplatedApp, handle: (host: string) => void): void {
  app.missingServerName(handle);
}

/** Gives a host name a certificate; without one its handshakes fail. @returns The app, whose handlers from now on are those of this name. */
export function addName(app: TemplatedApp, host: string, tls: TlsFiles | undefined): TemplatedApp {
  return app.addServerName(host, tls === undefined ? {} : optionsOf(tls)).domain(host);
}

/** One handler for each frequent method: it knows the method, which costs less than asking each request for it. */
export function routeByMethod(
  app: TemplatedApp,
  handle: (res: HttpResponse, req: HttpRequest, method: string) => void,
): void {
  app.get('/*', (res, req) => handle(res, req, 'GET'));
  app.post('/*', (res, req) => handle(res, req, 'POST'));
  app.put('/*', (res, req) => handle(res, req, 'PUT'));
  app.patch('/*', (res, req) => handle(res, req, 'PATCH'));
  app.del('/*', (res, req) => handle(res, req, 'DELETE'));
  app.any('/*', (res, req) => handle(res, req, req.getCaseSensitiveMethod()));
}

/** Identifies an app in all threads of the process. */
export function descriptorOf(app: TemplatedApp): unknown {
  return app.getDescriptor();
}

/** Listens and passes connections on to other apps. It handles no requests itself, and needs no certificate. */
export class Acceptor {
  readonly app: TemplatedApp;
  #targets: readonly unknown[] = [];

  /** @param isSecure Whether the apps that get the connections use TLS. */
  constructor(isSecure: boolean) {
    this.app = isSecure ? uWS.SSLApp({}) : uWS.App();
  }

  /** From now on connections go to these apps, in turn. */
  distributeTo(descriptors: readonly unknown[]): void {
    // Adds the new ones first: without any, the acceptor would handle connections itself.
    for (const descriptor of descriptors)
      if (!this.#targets.includes(descriptor)) this.app.addChildAppDescriptor(descriptor);
    for (const descriptor of this.#targets)
      if (!descriptors.includes(descriptor)) this.app.removeChildAppDescriptor(descriptor);
    this.#targets = descriptors;
  }
}
