/**
 * Requests at the edge of HTTP, the same bytes to both planes and to Node's own strict HTTP server: neither plane may see a request that
 * Node does not see, but for what Node refuses and we have reason to take, each reason being known by name.
 *
 * `HTTP_FUZZ_SEED=17 npm run prove -- http-fuzz` tries one seed alone.
 */
import { drawConnection } from '../../support/http-grammar.ts';
import { HttpOracle, type Opinion, type SeenRequest } from '../../support/http-oracle.ts';
import { SeenPlanes, type Lane } from '../../support/planes-seen.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const LANES = 48;
const MS = { short: 4_000, full: 45_000 };

const MORE = 'sees more requests than Node, or others';
const UNKNOWN = 'takes what Node refuses, and nobody knows why';
const SAME = 'sees the same requests';
const STRICTER = 'refuses what Node takes';
const STRAY = 'all but 1 in 100 requests to the API are told apart';

/** What Node refuses in a head, and a plane may take. */
const METHOD = 'takes a method that Node does not know';
const TARGET = 'takes a byte above 0x7e in a target';
const DELETE = 'takes a byte 0x7f in the value of a header';
const TAB = 'takes a tab behind a length';
const CUT = 'takes a byte above 0x7f behind a length, which uWebSockets.js cuts off';
const NAMELESS = 'sees no header behind one without a name';
/** And in a body: the connection is closed behind it. */
const BODY = 'takes a chunked body that Node does not';

export const proof: Proof = {
  name: 'http-fuzz',
  onEveryStore: true,
  promise: 'Neither plane sees a request where a strict server sees none.',
  async run(tally: Tally, effort: Effort) {
    const oracle = await HttpOracle.start();
    const planes = await SeenPlanes.start(LANES);
    const single = Number(process.env['HTTP_FUZZ_SEED'] ?? 0);
    const until = performance.now() + MS[effort];
    let next = single === 0 ? 1 : single;
    const isOver = (): boolean => performance.now() > until || (single !== 0 && next > single);
    const work = async (lane: Lane): Promise<void> => {
      while (!isOver()) await trySeed(tally, oracle, planes, lane, next++);
    };
    await Promise.all(planes.lanes.map(work));
    // Of so many changed bytes some hit both the id and the key of a request to the API: its line of the log could be anybody's.
    const tried = next - 1;
    const mayStray = 5 + tried / 100;
    tally.tried(STRAY, tried);
    if (planes.strays.length > mayStray) tally.failed(STRAY, `${planes.strays.length} cannot: ${planes.strays[0]}`);
    await checkControls(tally, oracle);
    oracle.close();
    const status = await planes.server.end();
    tally.check('the server lives through it', status === 0 && planes.server.stderr === '', () => planes.server.stderr);
  },
};

async function trySeed(tally: Tally, oracle: HttpOracle, planes: SeenPlanes, lane: Lane, seed: number): Promise<void> {
  const { key } = lane;
  const id = `f${seed}`;
  const toApi = drawConnection(seed, { host: planes.apiHost, key, id });
  const toMock = drawConnection(seed, { host: planes.mockHost(lane), key, id });
  const [ofApi, ofMock, methods, requests] = await Promise.all([
    oracle.ask(toApi),
    oracle.ask(toMock),
    planes.askApi(lane, id, toApi),
    planes.askMock(lane, toMock),
  ]);
  const api = {
    seen: methods.map((method) => ({ method, url: '', body: '' })),
    tells: ({ method }: SeenRequest) => method,
  };
  const mock = {
    seen: requests,
    tells: ({ method, url, body }: SeenRequest) => `${method} ${url.replace(/\?$/, '')} ${body}`,
  };
  for (const [plane, bytes, opinion, side, isHeads] of [
    ['the API', toApi, ofApi, api, true],
    ['a mock', toMock, ofMock, mock, false],
  ] as const) {
    const verdict = await judge(side, bytes, opinion, isHeads, oracle);
    tally.tried(`${plane} ${MORE}`);
    tally.tried(`${plane} ${UNKNOWN}`);
    if (verdict !== MORE && verdict !== UNKNOWN) {
      tally.tried(`${plane} ${verdict}`);
      continue;
    }
    const told = `${JSON.stringify(side.seen)}, Node ${JSON.stringify(opinion)}`;
    tally.failed(`${plane} ${verdict}`, `seed ${seed}: ${JSON.stringify(bytes.toString('latin1'))}: saw ${told}`);
  }
}

interface Side {
  readonly seen: readonly SeenRequest[];
  /** What of a request is compared. */
  readonly tells: (request: SeenRequest) => string;
}

/** @param isHeads Whether the plane tells of a request when its head is there, rather than its body too. */
async function judge(
  { seen, tells }: Side,
  bytes: Buffer,
  opinion: Opinion,
  isHeads: boolean,
  oracle: HttpOracle,
): Promise<string> {
  const saw = isHeads ? opinion.begun : opinion.whole;
  if (isPart(seen.map(tells), saw.map(tells))) return seen.length === saw.length ? SAME : STRICTER;
  if (opinion.refusal === undefined && !isUnfinishedChunks(bytes, opinion)) return MORE;
  const cause = causeOf(bytes, opinion);
  if (cause === undefined) return UNKNOWN;
  if (cause === BODY) return !isHeads && isLastBegun(seen, opinion) ? BODY : MORE;
  if (cause === NAMELESS) return NAMELESS;
  // With the cause out of the way, and whatever Node refuses next, there are as many requests as the plane has seen.
  const bodies = ({ body }: SeenRequest): string => (isHeads ? '' : body);
  const hasAll = ({ begun, whole }: Opinion): boolean =>
    isPart(seen.map(bodies), (isHeads ? begun : whole).map(bodies));
  const { opinion: mended, bytes: mendedBytes } = await askMended(bytes, opinion, oracle, hasAll);
  if (hasAll(mended)) return cause;
  const next = causeOf(mendedBytes, mended);
  if (next === BODY && !isHeads && seen.length <= mended.begun.length) return cause;
  return next === NAMELESS ? NAMELESS : MORE;
}

/** Node waits for trailers, and for the line end of the last chunk; uWebSockets.js takes the last chunk for the end. */
function isUnfinishedChunks(bytes: Buffer, { begun, whole }: Opinion): boolean {
  return begun.length > whole.length && /\bchunked/i.test(bytes.toString('latin1'));
}

function causeOf(bytes: Buffer, { begun, whole, refusal }: Opinion): string | undefined {
  if (begun.length > whole.length) return BODY;
  if (refusal === undefined) return undefined;
  const byte = bytes[refusal.at] as number;
  switch (refusal.code) {
    case 'HPE_INVALID_METHOD':
      return METHOD;
    case 'HPE_INVALID_URL':
      return byte > 0x7e ? TARGET : undefined;
    case 'HPE_INVALID_CONTENT_LENGTH':
      if (byte === 0x09) return TAB;
      return byte > 0x7f ? CUT : undefined;
    case 'HPE_INVALID_HEADER_TOKEN':
      if (byte === 0x7f) return DELETE;
      return byte === 0x3a && bytes[refusal.at - 1] === 0x0a ? NAMELESS : undefined;
    default:
      return undefined;
  }
}

/** Whether the plane saw what Node saw whole, and one more: the request whose body Node refused. */
function isLastBegun(seen: readonly SeenRequest[], { begun }: Opinion): boolean {
  const heads = ({ method, url }: SeenRequest): string => `${method} ${url.replace(/\?$/, '')}`;
  return isPart(seen.map(heads), begun.map(heads));
}

/**
 * Puts something that Node takes in the place of what it does not, again and again, until it sees enough: what it refuses behind that is
 * nothing that a plane has seen, and mending it could change a body in front of it.
 */
async function askMended(
  bytes: Buffer,
  opinion: Opinion,
  oracle: HttpOracle,
  isEnough: (opinion: Opinion) => boolean,
): Promise<{ opinion: Opinion; bytes: Buffer }> {
  let now = { opinion, bytes };
  for (let round = 0; round < 10 && !isEnough(now.opinion); round++) {
    const cause = causeOf(now.bytes, now.opinion);
    const at = now.opinion.refusal?.at ?? 0;
    const text = now.bytes.toString('latin1');
    const byte = cause === TAB || cause === CUT ? ' ' : 'x';
    const others =
      cause === METHOD
        ? withKnownMethod(text, at)
        : cause === TARGET || cause === DELETE || cause === TAB || cause === CUT
          ? [{ text: text.slice(0, at) + byte + text.slice(at + 1), good: at + 1 }]
          : [];
    const before = now;
    for (const other of others) {
      const mended = Buffer.from(other.text, 'latin1');
      const answered = await oracle.ask(mended);
      if ((answered.refusal?.at ?? Infinity) < other.good) continue;
      now = { opinion: answered, bytes: mended };
      break;
    }
    if (now === before) break;
  }
  return now;
}

const KNOWN_METHOD = 'PURGE';

interface Mended {
  readonly text: string;
  /** How far Node must come when it was the right place. */
  readonly good: number;
}

/**
 * Where the method begins that Node refused at a byte is not known: the end of a body may stand before it. Tried from the last place on,
 * since what is put in too late makes a method that Node does not know either.
 */
function withKnownMethod(text: string, at: number): Mended[] {
  const others: Mended[] = [];
  for (let start = at; start >= Math.max(0, at - 60); start--) {
    const [method = ''] = /^[\w!#$%&'*+.^`|~-]+(?= )/.exec(text.slice(start, at + 80)) ?? [];
    if (method === '' || start + method.length < at) continue;
    const rest = text.slice(start + method.length);
    others.push({ text: text.slice(0, start) + KNOWN_METHOD + rest, good: start + KNOWN_METHOD.length + 1 });
  }
  return others;
}

/** Whether every text of `some` is among `all`, as often as there. */
function isPart(some: readonly string[], all: readonly string[]): boolean {
  const left = [...all];
  return some.every((text) => {
    const index = left.indexOf(text);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

/** A judge that finds nothing wrong with a smuggled request would find nothing wrong at all. */
async function checkControls(tally: Tally, oracle: HttpOracle): Promise<void> {
  const hidden = 'POST /hidden HTTP/1.1\r\nHost: a\r\n\r\n';
  const outer = { method: 'GET', url: '/', body: '' };
  const inner = { method: 'POST', url: '/hidden', body: '' };
  for (const [what, lines] of [
    ['in a body', `Content-Length: ${hidden.length}\r\n`],
    ['behind a close', 'Connection: close\r\n'],
    ['in a body, behind a byte that Node refuses', `Content-Length: ${hidden.length}\r\nX: \u007f\r\n`],
  ] as const) {
    const bytes = Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n${hidden}`, 'latin1');
    const opinion = await oracle.ask(bytes);
    for (const isHeads of [true, false]) {
      const side = { seen: [outer, inner], tells: ({ method }: SeenRequest) => method };
      const verdict = await judge(side, bytes, opinion, isHeads, oracle);
      tally.check('the control is noticed', verdict === MORE, () => `a request ${what}: ${verdict}`);
    }
  }
}
