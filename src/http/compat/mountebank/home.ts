/** What mountebank answers of itself: its links, its options, and the last changes of the space as its log. */
import { baseMockId } from '../../../model/mocks/base-mock-id.ts';
import type { Operation, Question } from './question.ts';

/** The release whose API this is. */
const VERSION = '2.9.1';

export const HOME: readonly Operation[] = [
  { method: 'GET', path: '/', access: 'read', answer: ({ base }) => ({ json: linksOf(base) }) },
  {
    method: 'GET',
    path: '/config',
    access: 'read',
    answer: ({ call }) => {
      const mock = baseMockId(call.caller.ownerId);
      return { json: { version: VERSION, options: { ...OPTIONS, mock }, process: {} }, headers: '\r\nx-switchyard: 1' };
    },
  },
  { method: 'GET', path: '/logs', access: 'read', answer: (question) => ({ json: { logs: logsOf(question) } }) },
];

const OPTIONS = { allowInjection: false, localOnly: false, debug: false, ipWhitelist: ['*'] };

function linksOf(base: string): object {
  const links = ['imposters', 'config', 'logs'].map((name) => [name, { href: `${base}/${name}` }]);
  return { _links: Object.fromEntries(links) };
}

interface Logged {
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly timestamp: string;
}

const LINES_MAX = 100;
const PATH_CHARS_MAX = 200;
/** For each owner. */
const SPACES_MAX = 100;
const OWNERS_MAX = 1_000;

/** By owner, then by space; what was changed last is the last. */
const logs = new Map<string, Map<string, Logged[]>>();

export function logChange({ call, space }: Pick<Question, 'call' | 'space'>, path: string, status: number): void {
  const { ownerId } = call.caller;
  const ofOwner = logs.get(ownerId) ?? new Map<string, Logged[]>();
  const level = status < 400 ? 'info' : 'error';
  const message = `[mb] ${call.head.method} ${path.slice(0, PATH_CHARS_MAX)} ${status}`;
  const lines = [...(ofOwner.get(space) ?? []), { level, message, timestamp: new Date().toISOString() } as const];
  setLast(ofOwner, space, lines.slice(-LINES_MAX), SPACES_MAX);
  setLast(logs, ownerId, ofOwner, OWNERS_MAX);
}

/** In a map of so many entries at most: the first one makes room. */
function setLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

function logsOf({ call, space, query }: Question): readonly Logged[] {
  const lines = logs.get(call.caller.ownerId)?.get(space) ?? [];
  const start = Number(query.get('startIndex') ?? 0) || 0;
  const end = Number(query.get('endIndex') ?? lines.length - 1);
  return lines.slice(start, Number.isNaN(end) ? undefined : end + 1);
}
