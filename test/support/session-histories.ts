/**
 * Random histories of the sessions of one mock, on two threads: requests, overlays, resets, ends, saves, and the death of the data plane.
 *
 * The reference of each session is a mock of its own on the same data plane: the definition as the session sees it, with the session's
 * seed, asked the same. What a session answers must be what its reference answers, request by request.
 */
import fc from 'fast-check';
import { definitionInSession } from '../../src/model/mocks/sessions/definition-in-session.ts';
import type {
  MockDefinition,
  MockResponse,
  MockRoute,
  PublishedMock,
} from '../../src/model/mocks/definition/definition.ts';
import { EMPTY_OVERLAY, type SessionDefinition, type SessionOverlay } from '../../src/model/mocks/sessions/session.ts';
import { TestPlane } from './data-plane.ts';
import { define, response, route, rule } from './mocks.ts';

const SESSIONS = 8;
const STEPS = 60;

type Step =
  | { readonly kind: 'ask'; readonly session: number; readonly method: string; readonly path: string }
  | { readonly kind: 'put'; readonly session: number; readonly overlay: SessionOverlay }
  | { readonly kind: 'reset' | 'end'; readonly session: number }
  | { readonly kind: 'save'; readonly version: number };

export class SessionHistories {
  readonly #sessions = new Map<string, Map<string, SessionDefinition>>();
  #test!: TestPlane;
  #run = 0;

  static async start(): Promise<SessionHistories> {
    const histories = new SessionHistories();
    const of = (mockId: string): SessionDefinition[] => [...(histories.#sessions.get(mockId)?.values() ?? [])];
    histories.#test = await TestPlane.start({ sessions: { of, wanted: () => undefined } });
    return histories;
  }

  async end(): Promise<void> {
    await this.#test.plane.close();
  }

  /** @param kills Whether the data plane dies midway. @returns What went wrong first. */
  async run(seed: number, kills: boolean): Promise<string | undefined> {
    const [steps = []] = fc.sample(fc.array(STEP, { minLength: STEPS, maxLength: STEPS }), { seed, numRuns: 1 });
    const history = new History(this.#test, this.#sessions, `r${seed}n${++this.#run}`);
    await history.begin();
    try {
      for (const [index, step] of steps.entries()) {
        const problem = await history.take(step);
        if (problem !== undefined) return `seed ${seed}, step ${index}: ${problem}`;
        if (kills && index === STEPS / 2) await history.kill();
      }
      return await history.checkCounts();
    } finally {
      await history.end();
    }
  }
}

interface Live {
  definition: SessionDefinition;
  /** Its reference, and how often it was asked since it began. */
  readonly reference: string;
  asked: number;
}

class History {
  readonly #test: TestPlane;
  readonly #definitions: Map<string, SessionDefinition>;
  readonly #mockId: string;
  readonly #live = new Map<number, Live>();
  #version = 1;
  #references = 0;
  /** Requests that must be counted by the mock, in sessions and outside. */
  #asked = 0;

  constructor(test: TestPlane, sessions: Map<string, Map<string, SessionDefinition>>, mockId: string) {
    this.#test = test;
    this.#mockId = mockId;
    this.#definitions = new Map();
    sessions.set(mockId, this.#definitions);
  }

  async begin(): Promise<void> {
    await this.#publish(published(this.#mockId, versionOf(1), 1));
    for (let session = 0; session < SESSIONS; session++) await this.#make(session);
  }

  async end(): Promise<void> {
    for (const session of this.#live.keys()) await this.#end(session);
    await this.#test.remove(this.#mockId);
  }

  async kill(): Promise<void> {
    const { plane } = this.#test;
    const { epoch } = plane;
    process.kill(plane.childPid as number, 'SIGKILL');
    while (plane.epoch === epoch || !plane.isServing) await new Promise((resolve) => setTimeout(resolve, 20));
    this.#asked = 0;
    // References lose their sequences too.
    for (const live of this.#live.values()) live.asked = 0;
  }

  async take(step: Step): Promise<string | undefined> {
    switch (step.kind) {
      case 'ask':
        return this.#ask(step.session, step.method, step.path);
      case 'put': {
        const live = this.#live.get(step.session);
        if (live === undefined) return undefined;
        live.definition = { ...live.definition, overlay: step.overlay };
        this.#definitions.set(live.definition.id, live.definition);
        await this.#test.plane.putSession(this.#mockId, live.definition, { isNew: false });
        await this.#refer(live);
        return undefined;
      }
      case 'reset': {
        const live = this.#live.get(step.session);
        if (live === undefined) return undefined;
        await this.#test.plane.resetSession(this.#mockId, live.definition.id);
        this.#asked -= live.asked;
        live.asked = 0;
        await this.#test.plane.reset(live.reference);
        return undefined;
      }
      case 'end':
        if (this.#live.has(step.session)) return this.#end(step.session);
        await this.#make(step.session);
        return undefined;
      case 'save': {
        this.#version++;
        await this.#publish(published(this.#mockId, versionOf(step.version), this.#version));
        for (const live of this.#live.values()) await this.#refer(live);
        return undefined;
      }
    }
  }

  /** What is counted of all sessions together is what was asked. */
  async checkCounts(): Promise<string | undefined> {
    const counts = await this.#test.plane.counts(this.#mockId, { sessions: true });
    return counts?.total === this.#asked ? undefined : `counted ${counts?.total} of ${this.#asked} requests`;
  }

  async #ask(session: number, method: string, path: string): Promise<string | undefined> {
    const live = this.#live.get(session);
    const id = idOf(session);
    const named = await this.#test.ask(path, { method, ...addressOf(session, this.#mockId, id) });
    this.#asked++;
    if (live === undefined) {
      const isRefused = named.status === 404 && (method === 'HEAD' || named.text.includes('Session not found'));
      return isRefused ? undefined : `an ended session: ${named.status} ${named.text}`;
    }
    live.asked++;
    const expected = await this.#test.ask(path, { mock: live.reference, method });
    const [one, other] = [named, expected].map(({ status, text }) =>
      status === 404 ? 'no route' : `${status} ${text}`,
    );
    return one === other ? undefined : `${id} ${method} ${path}: ${one}, expected ${other}`;
  }

  async #make(session: number): Promise<void> {
    const definition: SessionDefinition = {
      id: idOf(session),
      label: '',
      createdAt: 0,
      idleMs: 60_000,
      seed: 1_000 + session,
      overlay: EMPTY_OVERLAY,
      state: {},
    };
    const live = { definition, reference: `${this.#mockId}x${++this.#references}`, asked: 0 };
    this.#definitions.set(definition.id, definition);
    this.#live.set(session, live);
    await this.#test.plane.putSession(this.#mockId, definition, { isNew: true });
    await this.#refer(live);
  }

  async #end(session: number): Promise<string | undefined> {
    const live = this.#live.get(session) as Live;
    this.#live.delete(session);
    this.#definitions.delete(live.definition.id);
    const end = await this.#test.plane.endSession(this.#mockId, live.definition.id);
    await this.#test.remove(live.reference);
    const total = end?.counts.total;
    return total === live.asked ? undefined : `${live.definition.id} ended with ${total} of ${live.asked} requests`;
  }

  /** Publishes the reference as the session must be now: its sequences go on. */
  async #refer({ definition: { overlay, seed }, reference }: Live): Promise<void> {
    const base = (this.#test.committed.get(this.#mockId) as PublishedMock).definition;
    const { settings, routes, overlaid = 0 } = definitionInSession(base, overlay);
    const own = routes.slice(routes.length - overlaid);
    // A plain mock has no routes that come before all others: with `listed`, the order says the same.
    const definition = {
      settings: { ...settings, seed },
      routes: [...own, ...routes.slice(0, routes.length - overlaid)],
    };
    await this.#publish(published(reference, definition, ++this.#version));
  }

  async #publish(mock: PublishedMock): Promise<void> {
    this.#test.committed.set(mock.mockId, mock);
    await this.#test.plane.publish(mock, { keepsSequences: true });
  }
}

function published(mockId: string, definition: MockDefinition, version: number): PublishedMock {
  return { mockId, ownerId: 'acme', createdVersion: 1, state: 'running', version, definition };
}

const idOf = (session: number): string => `s-${session}`;

/** Each session is addressed in its own way: the four forms must agree. */
function addressOf(session: number, mock: string, id: string): { mock: string; headers?: Record<string, string> } {
  switch (session % 3) {
    case 0:
      return { mock: `${id}--${mock}` };
    case 1:
      return { mock, headers: { 'x-mock-session': id } };
    default:
      return { mock, headers: { baggage: `a=b, mock-session=${id};p=1` } };
  }
}

const named = (spec: string, id: string, responses: MockResponse[], more: Partial<MockRoute> = {}): MockRoute =>
  route(spec, responses, { id, ...more });
const answer = (id: string, body: string, more: Partial<MockResponse> = {}): MockResponse =>
  response({ id, body, ...more });

/** Ids stay from version to version, so sequences do too. */
function versionOf(version: number): MockDefinition {
  const routes = [
    named('GET /seq', 'seq', [answer('q1', 'one'), answer('q2', 'two'), answer('q3', 'three')], {
      selection: 'sequential',
    }),
    named('GET /n/:x', 'num', [
      answer('n1', `v${version} {{requestNumber}} {{urlParam 'x'}} {{uuid}}`, { templated: true }),
    ]),
    named('GET /r', 'ruled', [
      answer('r1', 'ruled', { rules: [rule('query', 'a', 'exists')] }),
      answer('r2', 'else', { status: 201 }),
    ]),
    named('ANY /n/*', 'rest', [answer('x1', 'rest')]),
    named('GET /r', 'second', [answer('y1', 'second')]),
  ];
  return define(version % 2 === 0 ? routes : [...routes, named('GET /late', 'late', [answer('l1', 'late')])], {
    precedence: 'listed',
  });
}

const added = named('GET /seq', 'own', [answer('o1', 'own one'), answer('o2', 'own two')], { selection: 'sequential' });
const wide = named('GET /:any', 'wide', [
  answer('w1', '{{requestNumber}} {{randomInt 1 1000}}', { templated: true, status: 203 }),
]);

const OVERLAY: fc.Arbitrary<SessionOverlay> = fc.record({
  routes: fc.subarray([added, wide]),
  responses: fc.dictionary(
    fc.constantFrom('seq', 'num', 'ruled', 'gone'),
    fc.constantFrom<SessionOverlay['responses'][string][]>(
      { kind: 'pick', responseId: 'q2' },
      { kind: 'replace', response: answer('p1', 'replaced {{requestNumber}}', { templated: true, status: 418 }) },
      { kind: 'merge', merge: { status: 202, headers: [{ name: 'x-a', value: 'b' }] } },
    ),
    { maxKeys: 2 },
  ),
  disabled: fc.subarray(['num', 'ruled', 'gone', 'seq']),
  settings: fc.constantFrom({}, {}, { latency: 1 }, { headers: [{ name: 'x-b', value: 'c' }] }),
});

const SESSION = fc.nat(SESSIONS - 1);
const ASK = fc.record({
  kind: fc.constant('ask' as const),
  session: SESSION,
  method: fc.constantFrom('GET', 'GET', 'POST', 'HEAD'),
  path: fc.constantFrom('/seq', '/n/1', '/n/a/b', '/r', '/r?a', '/late', '/none/x'),
});
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 20, arbitrary: ASK },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('put' as const), session: SESSION, overlay: OVERLAY }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('reset' as const, 'end' as const), session: SESSION }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('save' as const), version: fc.nat(5) }) },
);
