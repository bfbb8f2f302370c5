/** json-server and Switchyard are asked the same in the same order: an answer that differs is named by an entry at its resource. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, listening } from '../../../bench/contenders/ports.ts';
import { missingPeer, peerFolder } from '../../../bench/installed.ts';
import { endAll, startProgram, temporaryDirectory } from '../../../bench/processes.ts';
import { draws } from '../../../src/base/seeded-draw.ts';
import type { Report } from '../../../src/interchange/report/report.ts';
import { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';
import { madeDatabase, madeQuestion, type Database, type Question } from './json-server-kinds.ts';
import type { Asked } from './oracle.ts';

/** By the version that a file says it is of. */
const PROGRAMS = {
  '0.17': { folder: 'json-server', start: 'lib/cli/bin.js', options: ['--quiet'] },
  '1': { folder: 'json-server-1', start: 'lib/bin.js', options: [] },
} as const;
type Version = keyof typeof PROGRAMS;

export const missingJsonServer = (version: Version): string | undefined => missingPeer(PROGRAMS[version].folder);

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly total: string | null;
  readonly link: string | null;
  readonly location: string | null;
  readonly body: unknown;
}

export interface Judged extends Question {
  readonly verdict: 'same' | 'named' | 'silent';
  readonly database: Database;
  readonly ours: Answer;
  readonly theirs: Answer;
}

/**
 * Requests that json-server 1 answers otherwise, by the words of `json-server.version-1` about them. What differs behind a change that
 * differed is its consequence.
 */
const SAID_OF_1: readonly (readonly [words: string, is: (question: Question, theirs: Answer) => boolean])[] = [
  ['pages are lists', ({ asked }) => asked.target.includes('_page=')],
  ['`_expand` embeds parents, `_embed` of', ({ asked }) => /_(?:expand|embed)=/.test(asked.target)],
  ['`q`, `_limit`, `_start`, `_end`, `_order`, `_like` and `callback` act', ({ asked }) => ACTING.test(asked.target)],
  ['`_sort` compares code points', ({ asked }) => asked.target.includes('_sort=')],
  ['unknown members do not filter', ({ kind }) => kind === 'odd parameters'],
  ['values of a query are texts', ({ kind }) => ['filters', 'operators', 'several values'].includes(kind)],
  ['POST keeps a given id and replaces an object', ({ asked }) => asked.method === 'POST'],
  ['`/posts/1/comments` lists', ({ kind }) => kind === 'nested'],
  ['DELETE answers `{}`', ({ asked }) => asked.method === 'DELETE'],
  ['a missing item is `{}`', (_, { status }) => status === 404],
  ['items without an id get none', (_, { body }) => /"id":"[\w-]{11}"/.test(String(body))],
  ['HEAD answers', ({ asked }) => asked.method === 'HEAD'],
  ['a form or a list is a body', ({ kind, asked }) => kind === 'odd bodies' || asked.body === '[1,2]'],
];

const ACTING = /[?&](?:q|_limit|_start|_end|_order|callback)=|_like=/;

/** @param requests At least how many. */
export async function* judged(version: Version, requests: number, seed: number): AsyncGenerator<Judged> {
  const server = await TestServer.start();
  const key = await server.key('oracle');
  const file = join(temporaryDirectory(), 'db.json');
  for (let turn = 0, count = 0; count < requests; turn++) {
    const random = draws(seed, STREAM, turn);
    const database = madeDatabase(random, version === '0.17');
    const content = version === '1' ? { $schema: './node_modules/json-server/schema.json', ...database } : database;
    const imported = await server.request('POST', '/v1/mocks/import?format=json-server&start=true', {
      key,
      body: content,
    });
    const {
      mocks: [mock],
      report,
    } = imported.json.data as { readonly mocks: readonly [{ readonly id: string }]; readonly report: Report };
    const named = new Set(report.entries.map(({ source: { pointer } }) => pointer.split('/')[1]));
    const said = report.classes.find(({ code }) => code === 'json-server.version-1')?.message ?? '';
    let isDiverged = false;
    await endAll();
    const port = await freePort();
    writeFileSync(file, JSON.stringify(content));
    const { folder, start, options } = PROGRAMS[version];
    const args = [join(peerFolder(folder), start), file, '--port', String(port), '--host', '127.0.0.1', ...options];
    await listening(startProgram(process.execPath, args), port);
    for (let index = 0; index < QUESTIONS; index++, count++) {
      const question = madeQuestion(random, database);
      const ours = await ask(`http://127.0.0.1:${server.mockPort}/__mock/${mock.id}`, question.asked);
      const theirs = await ask(`http://127.0.0.1:${port}`, question.asked);
      // A search may find an id that was drawn.
      const isDrawn = question.asked.target.includes('q=') && /\bmade\b/.test(JSON.stringify([ours, theirs]));
      const isSame = isDrawn || areMisses(ours, theirs) || JSON.stringify(ours) === JSON.stringify(theirs);
      const isNamed: boolean =
        version === '1'
          ? isDiverged || SAID_OF_1.some(([words, is]) => said.includes(words) && is(question, theirs))
          : question.asked.target.startsWith('/db')
            ? named.size > 0
            : named.has(question.resource);
      const verdict: Judged['verdict'] = isSame ? 'same' : isNamed ? 'named' : 'silent';
      isDiverged ||= version === '1' && verdict === 'named' && !['GET', 'HEAD'].includes(question.asked.method);
      yield { ...question, database, ours, theirs, verdict };
    }
    await server.request('DELETE', `/v1/mocks/${mock.id}`, { key });
  }
  await server.end();
}

const STREAM = 3;
const QUESTIONS = 25;

async function ask(root: string, { method, target, headers, body }: Asked): Promise<Answer> {
  const response = await fetch(root + target, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  // That of JSON is UTF-8, whether it is named or not.
  const type = response.headers.get('content-type')?.replace(/^(application\/json); charset=utf-8$/, '$1') ?? null;
  // The text of an error is of the program, not of the file.
  const isError = response.status >= 400 && text !== '{}';
  const relative = (name: string): string | null =>
    made(response.headers.get(name)?.replaceAll(root, '') ?? '') || null;
  return {
    status: response.status,
    type: isError ? null : type,
    total: response.headers.get('x-total-count'),
    link: relative('link'),
    location: relative('location'),
    body: isError ? 'an error' : made(compact(text)),
  };
}

/** JSON, also as the argument of a script, without white space between its parts. */
function compact(text: string): string {
  const [, before = '', json = text, after = ''] = /^(\/\*\*\/.*? && [^(]*\()(.*)(\);)$/s.exec(text) ?? [];
  return json === '' ? text : `${before}${JSON.stringify(JSON.parse(json))}${after}`;
}

/** Both make ids of their own. */
function made(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'made')
    .replaceAll(/("id": ?"|\/)[\w-]{7}(?="|$)/g, '$1made');
}

/** Here a path without a route says so. */
function areMisses(ours: Answer, theirs: Answer): boolean {
  return ours.status === 404 && theirs.status === 404 && (ours.body === 'an error' || ours.body === '');
}

export async function judgeJsonServer(tally: Tally, version: Version, requests: number, seed: number): Promise<void> {
  let [tried, different] = [0, 0];
  const name = `json-server ${version}`;
  for await (const { kind, verdict, asked, database, resource, ours, theirs } of judged(version, requests, seed)) {
    tried++;
    if (verdict === 'named') different++;
    tally.check(`${name}: ${kind}`, verdict !== 'silent', () =>
      JSON.stringify({ asked, ours, theirs, [resource]: database[resource] }).slice(0, SHOWN_CHARS),
    );
  }
  const share = DIFFERENT_SHARE_MAX[version];
  tally.check(`${name}: answers alike`, different <= tried * share, () => `${different} of ${tried} differ`);
}

/** Of so many answers, how many may differ, even with an entry: of version 1 most, which the entry says. */
const DIFFERENT_SHARE_MAX: Readonly<Record<Version, number>> = { '0.17': 0.03, '1': 0.7 };
const SHOWN_CHARS = 2_000;
