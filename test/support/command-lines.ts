/** Command lines that are refused before anything is done, read by the built program: many in one process, which takes half a second to start. */
import { fork, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { Outcome } from './process.ts';

const PROGRAM = resolve(import.meta.dirname, 'command-lines.mjs');

export class CommandLines {
  readonly #child: ChildProcess;
  #stdout = '';
  #lastId = 0;

  constructor() {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHYARD_'));
    this.#child = fork(PROGRAM, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env: Object.fromEntries(inherited) });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
  }

  /** One at a time: it runs in `cwd`, which a process has one of. */
  read(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    const id = ++this.#lastId;
    return new Promise((done, failed) => {
      this.#child.once('exit', (status) => failed(new Error(`it ended with ${status}`)));
      this.#child.once('message', (message) => {
        const { status, stderr } = message as Pick<Outcome, 'status' | 'stderr'>;
        this.#child.removeAllListeners('exit');
        done({ status, stderr, stdout: this.#stdout });
      });
      this.#child.send({ id, args, cwd, env });
    });
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}
