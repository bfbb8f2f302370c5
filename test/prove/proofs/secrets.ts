/** Where secrets must not be: in the files of the store, in the log, in metrics, in what the process shows of itself. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';

export class Secrets {
  /** Each in every form that a careless writer could give it. */
  readonly #secrets: readonly string[];
  readonly #digests: readonly Buffer[];
  readonly #contents: readonly string[];

  /**
   * @param keys     Whole API keys.
   * @param contents Texts of requests: they belong into the store, and nowhere else.
   */
  constructor(keys: readonly string[], contents: readonly string[]) {
    const secrets = keys.map((key) => key.split('_').slice(2).join('_'));
    this.#secrets = secrets.flatMap((secret) => {
      const bytes = Buffer.from(secret, 'base64url');
      return [secret, bytes.toString('base64'), bytes.toString('hex'), Buffer.from(secret).toString('hex')];
    });
    this.#digests = secrets.map((secret) => createHash('sha256').update(secret).digest());
    this.#contents = contents;
  }

  async check(server: TestServer, tally: Tally): Promise<void> {
    const shown = {
      'secrets and contents in the log': server.stdout + server.stderr,
      'secrets and contents in metrics': await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text(),
      'secrets and contents in what /proc shows':
        readFileSync(`/proc/${server.pid}/cmdline`, 'utf8') + readFileSync(`/proc/${server.pid}/environ`, 'utf8'),
    };
    for (const [fault, text] of Object.entries(shown)) {
      for (const secret of [...this.#secrets, ...this.#contents])
        tally.check(fault, !text.includes(secret), () => `${secret} is in it`);
    }

    const files = readdirSync(server.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const secret of this.#secrets)
        tally.check('secrets of keys on the disk', !bytes.includes(secret), () => `${secret} is in ${file.name}`);
      for (const raw of this.#secrets.map((secret) => Buffer.from(secret, 'base64url')))
        tally.check('secrets of keys on the disk', !bytes.includes(raw), () => `the bytes of one are in ${file.name}`);
    }
    // The control: what belongs there is found by the same search.
    const store = readFileSync(join(server.data, 'switchyard.mdb'));
    for (const digest of this.#digests)
      tally.check('control: their digests, and contents, are there', store.includes(digest), () => 'a digest is not');
    for (const content of this.#contents)
      tally.check('control: their digests, and contents, are there', store.includes(content), () => `no ${content}`);
  }
}
