/**
 * HTTPS of mocks: apps of uWebSockets.js whose certificates are made for host names as clients ask for them.
 *
 * uWebSockets.js reads certificates from files, which are there for as long as it reads them. A name that has been added stays with its
 * app: removing it would end the process while a connection has it.
 */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostCertificates } from '../../ca/mock-issuer.ts';
import { isMockId, labelsOfHost, namesOfLabels, tlsFaultOf } from '../../model/mocks/sessions/address.ts';
import { addName, newApp, onMissingName, TlsFilesError, type TlsFiles } from '../../wire/apps.ts';
import type { TemplatedApp } from '../../wire/uws.ts';
import type { AttachedHosts, HttpsSettings, ThreadSettings } from '../shared/messages.ts';
import type { MockCache } from './mock-cache.ts';

/** Names of an app: 16 KiB each. Further ones get the certificate of this machine. The second half is for names of mocks themselves. */
const NAMES_MAX = 2_000;
/** Names that anybody can think of: of all mocks that this thread does not know, and of a mock those with a session or fault in them. */
const FURTHER_NAMES_MAX = 200;
/** A star would be every name. */
const HOST_NAME = /^[a-z\d.-]+$/;

const FOLDER = 'switchyard-https-';
const LEFT_MS = 60_000;

/** Routes requests of an app, or of one of its names. */
type Route = (app: TemplatedApp) => void;

export class SecureApps {
  readonly #certificates: HostCertificates;
  readonly #hosts: readonly string[];
  readonly #clientCa: string | undefined;
  readonly #hostSuffix: string;
  readonly #attached: AttachedHosts;
  readonly #mocks: Pick<MockCache, 'find' | 'wait'>;
  readonly #onProblem: (error: unknown) => void;

  constructor(
    { issuer, hosts, clientCa }: HttpsSettings,
    { mockDomain, attached }: Pick<ThreadSettings, 'mockDomain' | 'attached'>,
    mocks: Pick<MockCache, 'find' | 'wait'>,
    onProblem: (error: unknown) => void,
  ) {
    removeLeft();
    this.#certificates = new HostCertificates(issuer);
    this.#hosts = hosts;
    this.#clientCa = clientCa;
    this.#hostSuffix = `.${mockDomain}`;
    this.#attached = attached;
    this.#mocks = mocks;
    this.#onProblem = onProblem;
  }

  /** @throws TlsFilesError where there is no place for temporary files. */
  open(route: Route): TemplatedApp {
    const app = this.#withFiles(this.#certificates.certificateFor(this.#hosts), newApp);
    route(app);
    for (const host of this.#attached.keys()) this.#add(app, host, this.#certificates.certificateFor([host]), route);
    const names = new AddedNames(this.#mocks);
    onMissingName(app, (asked) => {
      try {
        this.#addMissing(app, asked, names, route);
      } catch (error) {
        // The handshake goes on with the certificate of this machine. Thrown on, it would end the process.
        this.#onProblem(error);
      }
    });
    return app;
  }

  #addMissing(app: TemplatedApp, asked: string, names: AddedNames, route: Route): void {
    const labels = HOST_NAME.test(asked) ? labelsOfHost(asked, this.#hostSuffix) : undefined;
    if (labels === undefined) return;
    const { mockId } = namesOfLabels(labels);
    const label = labels.slice(labels.indexOf('.') + 1);
    const host = label + this.#hostSuffix;
    // They share a certificate, and are added one by one: most mocks need the first alone.
    const hosts = [host, `*.${host}`];
    const name = label === labels ? host : `*.${host}`;
    if (!isMockId(mockId) || !names.mayHave(name, mockId, label !== mockId)) return;
    const fault = tlsFaultOf(label);
    // Without a certificate there is no handshake.
    if (fault === 'fail') addName(app, name, undefined);
    else if (fault === undefined) this.#add(app, name, this.#certificates.certificateFor(hosts), route);
    else this.#add(app, name, this.#certificates.faulty(fault, hosts), route);
    names.add(name, mockId, label !== mockId);
  }

  #add(app: TemplatedApp, name: string, certificate: string, route: Route): void {
    this.#withFiles(certificate, (files) => route(addName(app, name, files)));
  }

  #withFiles<Result>(certificate: string, use: (files: TlsFiles) => Result): Result {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(tmpdir(), FOLDER));
      const written = (name: string, content: string): string => {
        const file = join(folder as string, name);
        writeFileSync(file, content, { mode: 0o600 });
        return file;
      };
      const asks = this.#clientCa === undefined ? {} : { clientCa: written('clients.pem', this.#clientCa) };
      return use({ cert: written('cert.pem', certificate), key: written('key.pem', this.#certificates.key), ...asks });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw code === undefined ? error : new TlsFilesError(`HTTPS of mocks lacks temporary files: ${message}`);
    } finally {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Removes files of threads that were ended while they had them. Those of a server that runs are there for milliseconds. */
function removeLeft(): void {
  const isOurs = ({ uid, mtimeMs }: Stats): boolean => uid === process.getuid?.() && Date.now() - mtimeMs > LEFT_MS;
  try {
    for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(FOLDER))) {
      const folder = join(tmpdir(), name);
      const found = statSync(folder, { throwIfNoEntry: false });
      if (found !== undefined && isOurs(found)) rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // Another thread does the same, or there is no such place: that is said where one is needed.
  }
}

/** The names of one app: they stay as long as it does, so nobody may add as many as he likes. */
class AddedNames {
  readonly #mocks: Pick<MockCache, 'find' | 'wait'>;
  readonly #all = new Set<string>();
  /** Ids of mocks, one for each name that is not its mock's own: by mock, and under "" of those that were not known. */
  readonly #further = new Map<string, string[]>();

  constructor(mocks: Pick<MockCache, 'find' | 'wait'>) {
    this.#mocks = mocks;
  }

  /** @param hasMore Whether a session or a fault is in the label of the mock. */
  mayHave(name: string, mockId: string, hasMore: boolean): boolean {
    if (this.#all.has(name) || this.#all.size >= NAMES_MAX) return false;
    const payer = this.#payer(mockId);
    if (payer !== '' && !hasMore) return true;
    let further = this.#further.get(payer) ?? [];
    if (payer === '' && further.length >= FURTHER_NAMES_MAX) {
      // Most are known soon, by their first request.
      further = further.filter((id) => this.#payer(id) === '');
      this.#further.set('', further);
    }
    if (further.length < FURTHER_NAMES_MAX && this.#all.size < NAMES_MAX / 2) return true;
    // The next handshake finds it.
    if (this.#mocks.find(mockId) === undefined) this.#mocks.wait(mockId, () => undefined);
    return false;
  }

  add(name: string, mockId: string, hasMore: boolean): void {
    this.#all.add(name);
    const payer = this.#payer(mockId);
    if (payer !== '' && !hasMore) return;
    const further = this.#further.get(payer) ?? [];
    further.push(mockId);
    this.#further.set(payer, further);
  }

  #payer(mockId: string): string {
    return typeof this.#mocks.find(mockId) === 'object' ? mockId : '';
  }
}
