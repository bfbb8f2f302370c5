/**
 * An I/O error: the server acknowledges nothing that is not on the disk, ends by itself, and the next start recovers.
 *
 * The error is a limit on the size of files (`ulimit -f`): Node ignores its signal, so LMDB's write fails as on a full disk.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { runLine } from '../support/command-lines.ts';
import { endAll, Running, serve } from '../support/process.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';

/** Of 1,024 bytes each: the store outgrows them after some hundreds of rules. */
const LIMIT_BLOCKS = 1_024;
const WRITERS = 16;
const OWNERS = ['a', 'b', 'c', 'd'];
/** Longer than lmdb-js needs to report the error, shorter than what a supervisor would take for a hang. */
const END_MS = 5_000;

afterEach(endAll);

interface Attempt {
  readonly name: string;
  readonly owner: number;
  readonly at: number;
  /** undefined when the connection ended. */
  readonly status: number | undefined;
  readonly message: string | undefined;
  readonly retryAfter: string | null;
  readonly id: string | undefined;
}

interface Page {
  readonly data: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  readonly nextOffset: number | null;
}

const SERVE = ['serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--no-bootstrap', '--log-level', 'warn'];

/** The command line under a limit of blocks for each file. */
function limited(blocks: number, args: readonly string[]): Running {
  return new Running('bash', ['-c', `ulimit -f ${blocks}; exec "$@"`, 'bash', process.execPath, CLI, ...args]);
}

async function create(port: number, keys: readonly string[], owner: number, name: string): Promise<Attempt> {
  const body = JSON.stringify({
    name,
    description: name.repeat(100),
    ruleType: 'Cancel',
    pairs: [{ source: { key: 'Url', operator: 'Contains', value: name } }],
  });
  const attempt = { name, owner, message: undefined, retryAfter: null, id: undefined };
  try {
    const headers = { 'x-api-key': keys[owner] as string, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/rules`, { method: 'POST', headers, body });
    const { message, data } = (await answer.json()) as { message?: string; data?: { id: string } };
    const retryAfter = answer.headers.get('retry-after');
    return { ...attempt, at: performance.now(), status: answer.status, message, retryAfter, id: data?.id };
  } catch {
    return { ...attempt, at: performance.now(), status: undefined };
  }
}

/** Writes until the server is gone. */
async function writeUntilTheEnd(port: number, keys: readonly string[]): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let turn = 0; ; turn++) {
        const attempt = await create(port, keys, writer % keys.length, `w${writer}-${turn}`);
        attempts.push(attempt);
        if (attempt.status === undefined) return;
        // What is refused is refused at once: a breath, so that the refusals do not drown the server.
        if (attempt.status !== 200) await sleep(20);
      }
    }),
  );
  return attempts;
}

test('when writes to the disk fail, the server ends with an error, and the next start has every acknowledged write', async () => {
  const data = temporaryDirectory();
  const keys = await Promise.all(OWNERS.map((ownerId) => createKey(data, { ownerId, userId: 'u', role: 'editor' })));
  const server = limited(LIMIT_BLOCKS, [...SERVE, '--data', data]);
  const port = (await server.ready()) as number;
  const ended = server.ended.then((outcome) => ({ ...outcome, at: performance.now() }));
  const attempts = await writeUntilTheEnd(port, keys);
  const outcome = await ended;

  const acknowledged = attempts.filter(({ status }) => status === 200);
  expect(acknowledged.length).toBeGreaterThan(100);
  const failures = attempts.filter(({ status }) => status === 500);
  expect(failures.length).toBeGreaterThan(0);
  for (const { message } of failures) expect(message).toBe('server error');
  for (const { status, message, retryAfter } of attempts) {
    expect([200, 500, 503, undefined]).toContain(status);
    if (status === 503)
      expect({ message, retryAfter }).toEqual({ message, retryAfter: expect.stringMatching(/^\d+$/) });
  }

  const firstFailure = Math.min(...failures.map(({ at }) => at));
  expect(acknowledged.filter(({ at }) => at > firstFailure + 100)).toEqual([]);
  expect(outcome.status).toBe(1);
  expect(outcome.at - firstFailure).toBeLessThan(END_MS);
  // lmdb-js prints the error there itself. Node's banner would tell of an exception that nobody caught.
  expect(outcome.stderr).not.toContain(`Node.js ${process.version}`);
  const lines = outcome.stdout
    .trimEnd()
    .split('\n')
    .filter((line) => !/^Switchyard .* is ready/.test(line))
    .map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(lines.filter(({ level }) => level === 60)).toEqual([
    expect.objectContaining({ msg: expect.stringContaining('store failed') }),
  ]);

  const next = serve(data, ['--log-level', 'warn']);
  const nextPort = (await next.ready()) as number;
  const stored = new Map<string, { name: string; description: string }>();
  for (const key of keys) {
    for (let offset: number | null = 0; offset !== null;) {
      const answer: Response = await fetch(`http://127.0.0.1:${nextPort}/v1/rules?pageSize=75&offset=${offset}`, {
        headers: { 'x-api-key': key },
      });
      const page = (await answer.json()) as Page;
      for (const each of page.data) stored.set(each.id, each);
      offset = page.nextOffset;
    }
  }
  for (const { id, name } of acknowledged)
    expect(stored.get(id as string)).toMatchObject({ name, description: name.repeat(100) });
  // What was refused before it was tried has had no effect.
  const names = new Set([...stored.values()].map(({ name }) => name));
  expect(attempts.filter(({ status, name }) => status === 503 && names.has(name))).toEqual([]);
  expect((await create(nextPort, keys, 0, 'afterwards')).status).toBe(200);
  next.child.kill('SIGTERM');
  expect((await next.ended).status).toBe(0);
});

/** Too few for the tables of a new store; enough for them, but not for what the command then writes. */
test.each([16, 34])(
  'a command that the disk fails at %i KB says so without a stack, and the next one works',
  async (kb) => {
    const keysCreate = ['keys', 'create', '--new', '--owner', 'o', '--user', 'u', '--data'];
    for (const command of [keysCreate, [...SERVE, '--data']]) {
      const data = temporaryDirectory();
      const { status, stdout, stderr } = await limited(kb, [...command, data]).ended;
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      // What lmdb-js itself prints may stand before it.
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/error: \S/);
      expect(stderr).toContain(data);
      expect(stderr).not.toContain(`Node.js ${process.version}`);
      expect(await runLine([...keysCreate, data])).toMatchObject({ status: 0, stderr: '' });
    }
  },
);
