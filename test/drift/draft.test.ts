/** What is compared, in portions: a task goes through responses until it has enough answers, and the next goes on where it ended. */
import { expect, test } from 'vitest';
import { draftChecks, type DraftTask } from '../../src/drift/draft-checks.ts';
import { define, response, route } from '../support/mocks.ts';

test('no response is drafted twice or left out, however they are divided', () => {
  const routes = Array.from({ length: 70 }, (_, at) => {
    const path = at % 10 === 0 ? '/users/:id' : `/r${at}`;
    return route(
      `GET ${path}`,
      [`p${at}`, `q${at}`].map((id) => response({ id })),
      { id: `r${at}` },
    );
  });
  const task: Omit<DraftTask, 'from'> = {
    definition: define(routes),
    isUnsafeAllowed: false,
    headers: [],
    isTwice: false,
    count: 200,
  };
  const drafted: { responseId: string; index: number; isSkipped: boolean }[] = [];
  const portions: number[] = [];
  for (let from: number | undefined = 0; from !== undefined;) {
    const { checks, next } = draftChecks({ ...task, from }, ({ request }) => ({
      response: { status: 200, headers: [], body: Buffer.from('') },
      chosen: { responseId: `p${request.path.slice(2)}` },
      problem: undefined,
    }));
    portions.push(checks.filter((check) => 'answers' in check).length);
    for (const check of checks) {
      const { responseId, index } = check;
      drafted.push({ responseId, index, isSkipped: 'skipped' in check });
    }
    from = next;
  }
  expect(drafted.map(({ index }) => index)).toEqual(Array.from({ length: 140 }, (_, index) => index));
  expect(drafted.filter(({ isSkipped }) => !isSkipped)).toHaveLength(63);
  expect(portions.every((count) => count <= 20)).toBe(true);
  expect(draftChecks({ ...task, from: 138, skipped: 'cancelled' }, () => expect.unreachable())).toMatchObject({
    checks: [{ responseId: 'p69', skipped: 'cancelled' }, { responseId: 'q69' }],
  });
});
