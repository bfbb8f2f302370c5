/** Mockoon and Switchyard are asked the same: an answer that differs is named by an entry at its response or its route. */
import { draws } from '../../../src/base/seeded-draw.ts';
import type { Report } from '../../../src/interchange/report/report.ts';
import { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';
import { ask } from './both-sides.ts';
import { mockoon } from './mockoon.ts';
import { madeEnvironment, type Question } from './mockoon-kinds.ts';
import type { Answered } from './oracle.ts';

/** How an answer compares: `named` differs, and an entry of the report says so at its response. */
export type Verdict = 'same' | 'named' | 'silent';

export interface Judged extends Question {
  readonly verdict: Verdict;
  readonly source: { readonly routes: readonly unknown[] };
  readonly ours: Answered;
  readonly theirs: Answered;
}

/** @param requests At least how many. */
export async function* judged(requests: number, seed: number): AsyncGenerator<Judged> {
  const server = await TestServer.start();
  const key = await server.key('oracle');
  const original = await mockoon.start();
  for (let turn = 0, count = 0; count < requests; turn++) {
    const { source, files, questions } = madeEnvironment(draws(seed, KINDS_STREAM, turn), ROUTES, turn);
    const all = [
      { path: ENTRY, text: JSON.stringify(source) },
      ...Object.entries(files).map(([path, text]) => ({ path, text })),
    ];
    const imported = await server.request('POST', '/v1/mocks/import?start=true', {
      key,
      body: { files: all, entry: ENTRY },
    });
    const {
      mocks: [mock],
      report,
    } = imported.json.data as { readonly mocks: readonly [{ readonly id: string }]; readonly report: Report };
    const port = await original.serve(source, files);
    for (const question of questions) {
      const ours = await ask(server.mockPort, `/__mock/${mock.id}`, question.asked);
      const theirs = await ask(port, '', question.asked);
      const isSame = mockoon.areMisses(ours, theirs) || comparable(ours) === comparable(theirs);
      const own = `/routes/${question.place}`;
      const isNamed = report.entries.some(
        ({ source: { pointer } }) => pointer === own || pointer.startsWith(`${own}/`),
      );
      yield {
        ...question,
        source: source as Judged['source'],
        ours,
        theirs,
        verdict: isSame ? 'same' : isNamed ? 'named' : 'silent',
      };
      count++;
    }
    await server.request('DELETE', `/v1/mocks/${mock.id}`, { key });
  }
  await server.end();
}

/** Both make ids of their own. */
function comparable(answer: Answered): string {
  return JSON.stringify(answer).replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid');
}

const ENTRY = 'environment.json';
const KINDS_STREAM = 2;
const ROUTES = 54;

/** Of so many answers, how many may differ, even with an entry. */
const DIFFERENT_SHARE_MAX = 0.25;

export async function judgeKinds(tally: Tally, requests: number, seed: number): Promise<void> {
  let [tried, different] = [0, 0];
  for await (const { kind, verdict, asked, source, place, ours, theirs } of judged(requests, seed)) {
    tried++;
    if (verdict !== 'same') different++;
    tally.check(`mockoon: ${kind}`, verdict !== 'silent', () =>
      JSON.stringify({ asked, route: source.routes[place], ours, theirs }).slice(0, SHOWN_CHARS),
    );
  }
  tally.check(
    'mockoon: answers alike',
    different <= tried * DIFFERENT_SHARE_MAX,
    () => `${different} of ${tried} differ`,
  );
}

const SHOWN_CHARS = 2_000;
