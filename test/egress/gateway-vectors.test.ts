/** The table of what rules do, through a gateway: with real requests, and an upstream that answers as the table says. */
import type { ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { CodeLane } from '../../src/code-lane/code-lane.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { NONE_CHECKED } from '../../src/model/pairs/source-pattern.ts';
import { ruleParser, type RuleDraft } from '../../src/model/rule-payload.ts';
import {
  expectVector,
  ONE_OF_EACH,
  questionOf,
  VECTORS,
  type Answered,
  type Vector,
} from '../support/gateway-vectors.ts';
import { LiveGateway, pairsOf } from '../support/live-gateway.ts';

/** What the upstream was asked last. */
let asked: { headers: readonly string[]; body: string; url: string } | undefined;
let answerWith: (res: ServerResponse) => void = (res) => void res.end();
const code = new CodeLane();
const gateway = await LiveGateway.start(
  (req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      asked = { headers: req.rawHeaders, body, url: req.url ?? '' };
      res.sendDate = false;
      answerWith(res);
    });
  },
  { codeOf: (ownerId) => code.runOf(ownerId, true) },
);
afterAll(async () => {
  await gateway.close();
  await code.close();
});

const parse = ruleParser(DEFAULT_LIMITS);
const NO_CHANGES = { disabledRules: [], enabledRules: [], attach: {} };

/** Lines that connections have, and those that say where a message came along. */
const OF_THE_WAY = /^(?:host|via|connection|keep-alive|date|transfer-encoding|content-length)$/i;

function shown(headers: readonly (readonly [string, string])[], wanted: readonly string[] = []) {
  const isShown = (name: string): boolean => !OF_THE_WAY.test(name) || wanted.includes(name);
  return headers.flatMap(([name, value]) => (isShown(name) ? [{ name, value }] : []));
}

/** One delay of ten seconds is for a dry run. */
const LIVE = VECTORS.filter((vector) => (vector.expect.delayMs ?? 0) < 1_000);

test('nearly all of them can be asked live', () => expect(VECTORS.length - LIVE.length).toBe(1));

const NAMED = [
  ...LIVE.map((vector) => [`${vector.id} ${vector.title}`, vector, 'key'] as const),
  ...ONE_OF_EACH.map(([name, vector]) => [`${name}, as a session's`, vector, 'one'] as const),
].filter(([, vector]) => LIVE.includes(vector));

test.each(NAMED)('%s', async (_, vector, user) => {
  const { rules: drafts, groups = [], expect: expected } = vector;
  const rules = drafts.map((rule, index) => ({
    ...(parse(rule, NONE_CHECKED) as RuleDraft),
    id: rule.id,
    groupId: rule.groupId,
    createdVersion: index,
  }));
  const inactive = groups.filter(({ status }) => status === 'Inactive').map(({ id }) => id);
  gateway.publish(user === 'key' ? rules : [], inactive);
  gateway.putSession('one', { ...NO_CHANGES, rules });
  const answered = await askLive(vector, user);
  // Why others did not act is asked of the API: test/process/gateway.test.ts. A request has no fragment.
  const { location } = expected;
  return expectVector(
    {
      ...vector,
      expect: { ...expected, skipped: {}, ...(location === undefined ? {} : { location: unfragmented(location) }) },
    },
    { ...answered, location: answered.location === null ? null : unfragmented(answered.location) },
    true,
  );
});

async function askLive(vector: Vector, user: string): Promise<Answered> {
  const { request, response } = questionOf(vector);
  const given = request.headers.map(({ name }) => name);
  answerWith = (res) => {
    if (response === undefined) return void res.end();
    if ('failed' in response) return void res.destroy();
    res.writeHead(
      response.status,
      response.headers.flatMap(({ name, value }) => [name, value]),
    );
    return void res.end(response.body);
  };
  asked = undefined;
  const begun = performance.now();
  const answer = await gateway.ask(unfragmented(request.url), {
    user,
    method: request.method,
    headers: request.headers.flatMap(({ name, value }) => (/^content-length$/i.test(name) ? [] : [name, value])),
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const [record] = gateway.log.page('acme', { limit: 1 }).records;
  if (record === undefined) throw new Error('nothing was kept');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(record.delayMs - 1);
  const sent = asked as { headers: readonly string[]; body: string } | undefined;
  expect(sent === undefined).toBe(
    ['redirect', 'blocked'].includes(record.outcome) || vector.expect.outcome === 'served',
  );
  return {
    outcome: record.problem === undefined ? record.outcome : 'forward',
    steps: record.steps,
    skipped: [],
    location: answer.headers.find(([name]) => name === 'location')?.[1] ?? null,
    delayMs: record.delayMs,
    request: { headers: shown(pairsOf(sent?.headers ?? []), given), body: sent?.body },
    response: { ...answer, headers: shown(answer.headers), body: answer.body.toString() },
  };
}

const unfragmented = (url: string): string => url.replace(/#.*$/, '');
