/** The imposters of a space: each is a session `<space>-<port>` of the owner's base mock, in memory alone. */
import type { JsonObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import { SESSION_IDLE_MS_MAX } from '../../../limits.ts';
import type { Mock } from '../../../model/mocks/mock.ts';
import { EMPTY_SESSION } from '../../../model/mocks/sessions/session-payload.ts';
import type { LiveSession } from '../../../sessions/live-sessions.ts';
import { SessionStubs } from '../session-world.ts';
import type { NewStub, Stub } from '../world.ts';
import { fail, missing, type Failure } from './errors.ts';
import type { MountebankParts, Outcome, Question, RealPorts } from './question.ts';

/** Its sessions have `-<port>` after it, and ids of at most 40 characters. */
export const SPACE = /^(?!.*--)(?!.*-\d+$)[a-z0-9](?:[a-z0-9-]{0,32}[a-z0-9])?$/;

export interface Imposter {
  readonly space: string;
  readonly port: number;
  readonly mock: Mock;
  readonly live: LiveSession;
  /** As it was sent, without its stubs. */
  readonly header: JsonObject;
  readonly world: SessionStubs;
  /** Answers what no stub takes. */
  readonly fallback: NewStub;
  /** What was recorded and counted before a client cleared it. */
  cleared: Cleared;
}

interface Cleared {
  /** The epoch of the data plane, and the life of the session: numbers mean others afterwards. */
  readonly of: string;
  readonly upTo: number;
  readonly requests: number;
}

const imposters = new WeakMap<LiveSession, Imposter>();

/** By their ports. */
export function impostersIn({ parts, mock, space }: Pick<Question, 'parts' | 'mock' | 'space'>): readonly Imposter[] {
  if (mock === undefined) return [];
  return parts.sessions
    .list(mock.id)
    .flatMap((live) => imposters.get(live) ?? [])
    .filter((imposter) => imposter.space === space)
    .toSorted((one, other) => one.port - other.port);
}

/** The one that the path names, which is a use of it. */
export function imposterOf({ parts, mock, space, params }: Question): Imposter | undefined {
  const [port = ''] = params;
  const live = mock === undefined || !/^\d+$/.test(port) ? undefined : parts.sessions.find(mock.id, `${space}-${port}`);
  return live === undefined || isRefusal(live) ? undefined : imposters.get(live);
}

export async function withImposter(
  question: Question,
  use: (imposter: Imposter) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const imposter = imposterOf(question);
  return imposter === undefined ? missing('Try POSTing to /imposters first?') : use(imposter);
}

/** Without the fallback. */
export function stubsOf({ world, mock, fallback }: Imposter): readonly Stub[] {
  return world.worldOf(mock).stubs.filter(({ id }) => id !== fallback.id);
}

/** @returns Whether every thread serves it. */
export function replaceStubs(
  { world, mock, fallback }: Imposter,
  stubs: readonly NewStub[],
): Promise<boolean | Refusal> {
  return world.replace(mock, [...stubs, fallback]);
}

export interface NewImposter {
  /** Undefined: a free one is taken. */
  readonly port: number | undefined;
  readonly header: JsonObject;
  readonly stubs: readonly NewStub[];
  readonly fallback: NewStub;
}

/** @param mock Served by every thread. */
export async function openImposter(
  question: Pick<Question, 'parts' | 'call' | 'space'>,
  mock: Mock,
  given: NewImposter,
): Promise<Imposter | Failure | Refusal> {
  const { parts, space } = question;
  const real = realPortsOf(parts, space);
  if (real?.isFull() === true) return conflict('Too many imposters have ports: end others first');
  const { first, last } = real ?? { first: FIRST_FREE, last: PORT_MAX };
  if (given.port !== undefined)
    return (await openAt(given.port, question, mock, given)) ?? conflict(`Port ${given.port} is already in use`);
  for (let port = first; port <= last; port++) {
    const isNamed = parts.sessions.peek(mock.id, `${space}-${port}`) !== undefined;
    const opened = isNamed ? undefined : await openAt(port, question, mock, given);
    if (opened !== undefined) return opened;
  }
  return conflict(`The space ${space} has no free port`);
}

/** @returns undefined for a space whose ports are names. */
export function realPortsOf({ realPorts }: MountebankParts, space: string): RealPorts | undefined {
  return realPorts?.space === space ? realPorts : undefined;
}

export function isSecure({ header }: Pick<Imposter, 'header'>): boolean {
  return header.protocol === 'https';
}

function conflict(message: string): Failure {
  return fail(400, 'resource conflict', message);
}

/** @returns undefined where the port is taken. */
async function openAt(
  port: number,
  { parts, call, space }: Pick<Question, 'parts' | 'call' | 'space'>,
  mock: Mock,
  { stubs, ...given }: NewImposter,
): Promise<Imposter | Refusal | undefined> {
  const draft = { ...EMPTY_SESSION, id: `${space}-${port}`, label: 'mountebank', idleMs: SESSION_IDLE_MS_MAX };
  const made = parts.sessions.create(mock, call.caller.ownerId, draft);
  if (isRefusal(made)) return made.kind === 'sessionTaken' ? undefined : made;
  const { live } = made;
  const world = new SessionStubs(live, parts.sessions);
  const cleared = { of: '', upTo: 0, requests: 0 };
  const imposter: Imposter = { ...given, space, port, mock, live, world, cleared };
  imposters.set(live, imposter);
  const published = await replaceStubs(imposter, stubs);
  const bound = { port, isTls: isSecure(imposter), mockId: mock.id, sessionId: draft.id };
  const isOpen = !isRefusal(published) && ((await realPortsOf(parts, space)?.open(bound)) ?? true);
  if (isOpen) return imposter;
  await endImposter(parts, imposter);
  return isRefusal(published) ? published : undefined;
}

export async function endImposter({ sessions }: MountebankParts, { live }: Imposter): Promise<void> {
  if (!sessions.isLive(live)) return;
  await sessions.end(live);
  await sessions.cancelCallbacks(live);
}

const FIRST_FREE = 49_152;
const PORT_MAX = 65_535;
