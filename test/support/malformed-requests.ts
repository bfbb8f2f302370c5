/**
 * Requests that no proper client sends, and some that look so and are good: one table for both planes, each row with its answer.
 *
 * The same bytes go to the API and to the mock port, which differ in what the Host names. Every row is a request for a path that the API
 * has and a mock answers to any method, so that a row which is run leaves a trace: a group, or a request in the mock's counts. What
 * sends them is raw-exchange.ts, and what looks for traces malformed-run.ts.
 */
import { chunked, rawRequest } from './raw-http.ts';

/** Whom a row is sent to. */
export interface Target {
  /** A Host's value that is answered. */
  readonly host: string;
  readonly key: string;
  /** A whole request that leaves a trace when it is run: what a smuggler would hide. */
  readonly second: string;
}

/** How the server takes a row. */
export interface Outcome {
  /** Statuses of the answers, in order. */
  readonly statuses: readonly number[];
  /**
   * `open`: the connection is in step, and its next request is answered. `closed`: by the server. `waits`: the server waits for more,
   * and closes the connection when it has been idle.
   */
  readonly end: 'open' | 'closed' | 'waits';
  /** Whether the row is run: it then leaves one trace. */
  readonly runs: boolean;
}

export interface RawRow {
  /** Unique. */
  readonly what: string;
  /** Every character is one byte. */
  readonly bytes: (target: Target) => string;
  readonly api: Outcome;
  readonly mock: Outcome;
  /**
   * Whether another request right behind the row must leave no trace. False where the row's own framing says that the other one is a
   * request, or the end of its body.
   */
  readonly guardsTail: boolean;
}

export const BODY = '{"name":"raw"}';
const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const PATH = '/v1/groups';

const rows: RawRow[] = [];

/** Of both planes, or of each: `200 open`, `400 closed`, `waits`, `closed, runs`. */
type Answers = string | readonly [string, string];

/** @param tail What another request behind it is, where it is allowed to be run. */
function row(what: string, bytes: RawRow['bytes'], answers: Answers, tail = ''): void {
  const [api, mock] = typeof answers === 'string' ? [answers, answers] : answers;
  rows.push({ what, bytes, api: outcome(api), mock: outcome(mock), guardsTail: tail === '' });
}

function outcome(text: string): Outcome {
  const words = text.replace(', runs', '').split(' ');
  const statuses = words.slice(0, -1).map(Number);
  const end = words.at(-1) as Outcome['end'];
  return { statuses, end, runs: text.endsWith(', runs') || statuses.includes(200) };
}

/** The header lines of a good request, and what is added to them. */
function head({ host, key }: Target, ...more: readonly string[]): string[] {
  return [`Host: ${host}`, `x-api-key: ${key}`, ...more];
}

/** Names what cannot be seen. */
function shown(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('\u007f', '\\u007f').replaceAll('\\"', '"');
}

/** A POST with these header lines and this body. */
function post(what: string, lines: readonly string[], answers: Answers, body = BODY, tail = ''): void {
  row(what, (target) => rawRequest(`POST ${PATH} HTTP/1.1`, head(target, ...lines), body), answers, tail);
}

/** A request of this line, without a body. */
function line(what: string, requestLine: string, answers: Answers, ...lines: readonly string[]): void {
  row(what, (target) => rawRequest(requestLine, head(target, ...lines)), answers);
}

/** A request whose header lines are these. */
function get(lines: (target: Target) => readonly string[]): RawRow['bytes'] {
  return (target) => rawRequest(`GET ${PATH} HTTP/1.1`, [...lines(target), `x-api-key: ${target.key}`]);
}

// Lengths.
for (const value of [
  '14',
  '014',
  '0000000014',
  ' 14',
  '\t14',
  '14 ',
  '14\t',
  '  14  ',
  '\u008014',
  '14\u0080',
  ' \u00ff 14',
]) {
  post(`Content-Length:${shown(value)}`, [`Content-Length:${value}`], '200 open');
}
for (const value of [
  '',
  ' ',
  '00000000014',
  '+14',
  '-1',
  '-0',
  '0x10',
  '0xe',
  '1e1',
  '14.0',
  '1 4',
  '14 14',
  '5, 5',
  '14,14',
  '14;',
  '"14"',
  '1_4',
  'abc',
  '\u0661\u0664',
  '99999999999',
  '4294967310',
  '999999999999999999',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551615',
  '18446744073709551616',
  '18446744073709551630',
  '99999999999999999999999999',
]) {
  const answers = value === '4294967310' ? (['413 waits', '413 closed, runs'] as const) : '400 closed';
  post(
    `Content-Length:${shown(value)}`,
    [`Content-Length:${value}`],
    answers,
    BODY,
    value === '4294967310' ? 'a part of the body' : '',
  );
}
post('Content-Length one more than the body', ['Content-Length: 15'], 'waits', BODY, 'a part of the body');
post(
  'Content-Length one less than the body',
  ['Content-Length: 13'],
  ['400 waits', '200 waits'],
  BODY,
  'a part of the next request',
);
post('the same Content-Length twice', [LENGTH, LENGTH], '400 closed');
post('two Content-Lengths that differ', [LENGTH, 'Content-Length: 5'], '400 closed');
post('two Content-Lengths, the first of 0', ['Content-Length: 0', LENGTH], '400 closed');
post('two Content-Lengths, the second of 0', [LENGTH, 'Content-Length: 0'], '400 closed');
post('an empty Content-Length before a good one', ['Content-Length:', LENGTH], '400 closed');
post('a good Content-Length before an empty one', [LENGTH, 'Content-Length:'], '400 closed');
post('Content-Length in any case, twice', ['content-length: 14', 'CONTENT-LENGTH: 14'], '400 closed');
post('Content_Length, which is another header', ['Content_Length: 0', LENGTH], '200 open');

// Refused whatever is asked for, and whether the body comes or not; headers that the API takes once are like others to a mock.
for (const [what, answers, ...lines] of [
  ['the same Content-Length twice', '400 closed', LENGTH, LENGTH],
  ['an empty Content-Length', '400 closed', 'Content-Length: '],
  ['Transfer-Encoding gzip, chunked', '400 closed', 'Transfer-Encoding: gzip, chunked'],
  ['Transfer-Encoding chunked twice', '400 closed', CHUNKED, CHUNKED],
  ['two Hosts', '400 closed', 'Host: other.example', LENGTH],
  ['two x-api-keys', ['400 closed', '200 open'], 'x-api-key: sy_other', LENGTH],
  ['two x-api-keys, one empty', ['400 closed', '200 open'], 'x-api-key:', LENGTH],
  ['two Idempotency-Keys', ['400 closed', '200 open'], 'Idempotency-Key: a', 'Idempotency-Key: b', LENGTH],
  ['one Idempotency-Key twice', ['400 closed', '200 open'], 'Idempotency-Key: a', 'idempotency-key: a', LENGTH],
  [
    'two Content-Types',
    ['400 closed', '200 open'],
    'Content-Type: application/json',
    'Content-Type: text/plain',
    LENGTH,
  ],
] as const) {
  for (const start of [`POST ${PATH}`, 'GET /healthz', 'HEAD /healthz', 'OPTIONS /v1/rules', 'DELETE /nothing']) {
    const bytes: RawRow['bytes'] = (target) => rawRequest(`${start} HTTP/1.1`, head(target, ...lines));
    const body = lines.some((text) => text.includes('chunked')) ? chunked(BODY) : BODY;
    row(`${what} of ${start}`, (target) => bytes(target) + body, answers);
    if (answers === '400 closed') row(`${what} of ${start}, without a body`, bytes, answers);
  }
}

// Transfer-Encoding.
for (const value of ['chunked', 'Chunked', 'CHUNKED', ' chunked ', '\tchunked', 'chunked\t']) {
  post(`Transfer-Encoding:${shown(value)}`, [`Transfer-Encoding:${value}`], '200 closed', chunked(BODY));
}
for (const value of [
  '',
  ' ',
  'identity',
  'gzip',
  'xchunked',
  'chunkedx',
  'x-chunked',
  'chunke',
  'chunked, identity',
  'identity, chunked',
  'chunked,identity',
  'gzip, chunked',
  'chunked, chunked',
  'chunked,chunked',
  ',chunked',
  'chunked,',
  'chunked;q=1',
  '"chunked"',
  "'chunked'",
  'chunked chunked',
  'chun ked',
  'chunked\u00a0',
  'c\u0125unked',
]) {
  // A byte above 0x7f at the end of a value is cut off by uWebSockets.js.
  const answers = value === 'chunked\u00a0' ? '200 closed' : '400 closed';
  post(`Transfer-Encoding:${shown(value)}`, [`Transfer-Encoding:${value}`], answers, chunked(BODY));
}
for (const value of [
  '\u000bchunked',
  'chunked\u000b',
  'chunked\u0000',
  '\u000cchunked',
  'chunked\r\n ',
  '\r\n chunked',
  '\n chunked',
]) {
  post(`Transfer-Encoding:${shown(value)}`, [`Transfer-Encoding:${value}`], '400 closed', chunked(BODY));
}
// uWebSockets.js waits for the line feed.
for (const value of ['chunked\r', '\rchunked']) {
  post(`Transfer-Encoding:${shown(value)}`, [`Transfer-Encoding:${value}`], 'waits', chunked(BODY));
}
post('Transfer-Encoding chunked twice', [CHUNKED, CHUNKED], '400 closed', chunked(BODY));
post('Transfer-Encoding chunked, then identity', [CHUNKED, 'Transfer-Encoding: identity'], '400 closed', chunked(BODY));
post('Transfer-Encoding identity, then chunked', ['Transfer-Encoding: identity', CHUNKED], '400 closed', chunked(BODY));
post('Transfer-Encoding chunked, then empty', [CHUNKED, 'Transfer-Encoding:'], '400 closed', chunked(BODY));
post('Transfer-Encoding empty, then chunked', ['Transfer-Encoding:', CHUNKED], '400 closed', chunked(BODY));
post('Content-Length, then Transfer-Encoding', [LENGTH, CHUNKED], '400 closed', chunked(BODY));
post('Transfer-Encoding, then Content-Length', [CHUNKED, LENGTH], '400 closed', chunked(BODY));
post('Content-Length 0 with Transfer-Encoding', ['Content-Length: 0', CHUNKED], '400 closed', chunked(BODY));
post('an empty Content-Length with Transfer-Encoding', ['Content-Length:', CHUNKED], '400 closed', chunked(BODY));
post('Content-Length with an empty Transfer-Encoding', [LENGTH, 'Transfer-Encoding:'], '400 closed');
post('Content-Length with Transfer-Encoding identity', [LENGTH, 'Transfer-Encoding: identity'], '400 closed');
post('Transfer_Encoding, which is another header', ['Transfer_Encoding: chunked', LENGTH], '200 open');

// Chunks.
for (const [what, body] of [
  ['a size in upper case', `E\r\n${BODY}\r\n0\r\n\r\n`],
  ['a size with leading zeros', `000e\r\n${BODY}\r\n0\r\n\r\n`],
  ['a size with 30 leading zeros', `${'0'.repeat(30)}e\r\n${BODY}\r\n0\r\n\r\n`],
  ['chunks of one byte', chunked(...BODY.split(''))],
  ['a last chunk of 000', `e\r\n${BODY}\r\n000\r\n\r\n`],
  // From here on uWebSockets.js takes what others refuse. The connection is closed behind it.
  ['a space behind its size', `e \r\n${BODY}\r\n0\r\n\r\n`],
  ['a tab behind its size', `e\t\r\n${BODY}\r\n0\r\n\r\n`],
  ['an extension behind a space', `e ;a=1\r\n${BODY}\r\n0\r\n\r\n`],
  ['a bare LF behind its size', `e\n${BODY}\r\n0\r\n\r\n`],
  ['bare LFs', `e\n${BODY}\r\n0\n\r\n`],
  ['CR CR LF behind its size', `e\r\r\n${BODY}\r\n0\r\n\r\n`],
  ['junk for its CRLF', `e\r\n${BODY}XX0\r\n\r\n`],
  ['a last chunk and junk for its CRLF', `e\r\n${BODY}\r\n0\r\nXX`],
  ['a digit g, taken for 16', `g\r\n${BODY}  \r\n0\r\n\r\n`],
  ['a digit :, taken for 10', `:\r\n${BODY.slice(0, 10)}\r\n4\r\n${BODY.slice(10)}\r\n0\r\n\r\n`],
  ['a size of one more than its bytes', `f\r\n${BODY}\r\n0\r\n\r\n`],
  ['a last chunk that is cut after its size', `e\r\n${BODY}\r\n0\r\n`],
] as const) {
  post(`a chunk with ${what}`, [CHUNKED], '200 closed', body);
}
for (const [what, body] of [
  ['a size that is no number', `zz\r\n${BODY}\r\n0\r\n\r\n`],
  ['a plus before its size', `+e\r\n${BODY}\r\n0\r\n\r\n`],
  ['a minus before its size', `-e\r\n${BODY}\r\n0\r\n\r\n`],
  ['0x before its size', `0xe\r\n${BODY}\r\n0\r\n\r\n`],
  ['a size of 16 digits', `FFFFFFFFFFFFFFFF\r\n${BODY}\r\n0\r\n\r\n`],
  ['a size of 17 digits', `10000000000000000\r\n${BODY}\r\n0\r\n\r\n`],
  ['a size that wraps around to 14', `1000000000000000e\r\n${BODY}\r\n0\r\n\r\n`],
  ['an extension with a value in quotes', `e ;a="\n"\r\n${BODY}\r\n0\r\n\r\n`],
] as const) {
  post(`a chunk with ${what}`, [CHUNKED], '400 closed', body);
}
for (const [what, body] of [
  ['an extension', `e;a=1\r\n${BODY}\r\n0\r\n\r\n`],
  ['an extension of the last chunk', `e\r\n${BODY}\r\n0;a\r\n\r\n`],
  ['a size of 15 digits', `0FFFFFFFFFFFFFFF\r\n${BODY}\r\n0\r\n\r\n`],
  ['no last chunk', `e\r\n${BODY}\r\n`],
] as const) {
  post(`a chunk with ${what}`, [CHUNKED], 'waits', body, 'a part of the body');
}
post(
  'a chunk with a size of one less than its bytes',
  [CHUNKED],
  ['400 closed', '200 closed'],
  `d\r\n${BODY}\r\n0\r\n\r\n`,
);
post('a chunk without a size', [CHUNKED], ['400 closed', '200 closed'], `\r\n${BODY}\r\n0\r\n\r\n`);
post('a chunk with a space before its size', [CHUNKED], ['400 closed', '200 closed'], ` e\r\n${BODY}\r\n0\r\n\r\n`);

// A request hidden behind, or inside of, another.
const inBody = (lines: (second: string) => readonly string[], method = 'GET', rest = ''): RawRow['bytes'] => {
  return (target) =>
    rawRequest(`${method} ${PATH} HTTP/1.1`, head(target, ...lines(target.second)), rest + target.second);
};
row(
  'a request as the body of a GET',
  inBody(({ length }) => [`Content-Length: ${length}`]),
  '200 open',
);
row(
  'a request as the body of a HEAD',
  inBody(({ length }) => [`Content-Length: ${length}`], 'HEAD'),
  '200 open',
);
row(
  'a request as the body of a DELETE',
  inBody(({ length }) => [`Content-Length: ${length}`], 'DELETE'),
  ['405 open', '200 open'],
);
row(
  'a request as the body of a preflight',
  inBody(({ length }) => [`Content-Length: ${length}`], 'OPTIONS'),
  '200 open',
);
for (const [requestLine, answers, lines] of [
  ['GET /healthz', '200 open', ({ host }) => [`Host: ${host}`]],
  ['GET /v1/rules/Cancel_0', ['404 open', '200 open'], head],
  ['DELETE /v1/rules/Cancel_0', ['404 open', '200 open'], head],
  ['POST /nothing', ['404 open', '200 open'], head],
  ['PATCH /v1/rules', ['405 open', '200 open'], head],
  ['OPTIONS /v1/rules', '200 open', head],
  ['POST /v1/rules', ['401 open', '200 open'], ({ host }) => [`Host: ${host}`]],
  ['POST /v1/rules', ['415 open', '200 open'], (target) => head(target, 'Content-Type: text/plain')],
  ['POST /v1/rules', ['400 open', '200 open'], (target) => head(target, 'Idempotency-Key:')],
  ['POST /v1/rules', ['403 open', '404 open'], ({ key }) => ['Host: evil.example', `x-api-key: ${key}`]],
] as readonly (readonly [string, Answers, (target: Target) => string[]])[]) {
  row(
    `a request as the body of ${requestLine}, which is answered ${String(answers)}`,
    (target) => {
      const { second } = target;
      return rawRequest(`${requestLine} HTTP/1.1`, [...lines(target), `Content-Length: ${second.length}`], second);
    },
    answers,
  );
}
row(
  'CL.TE: a request behind the last chunk',
  inBody(({ length }) => [`Content-Length: ${length + 5}`, CHUNKED], 'POST', '0\r\n\r\n'),
  '400 closed',
);
row(
  'TE.CL: a request inside of a chunk',
  (target) => {
    const lines = head(target, 'Content-Length: 4', CHUNKED);
    return rawRequest(`POST ${PATH} HTTP/1.1`, lines, chunked(target.second));
  },
  '400 closed',
);
for (const [what, other] of [
  ['xchunked', 'Transfer-Encoding: xchunked'],
  ['identity', 'Transfer-Encoding: identity'],
  ['x', 'Transfer-Encoding: x'],
] as const) {
  const behind = '0\r\n\r\n';
  row(
    `TE.TE: chunked, then ${what}, and a request`,
    inBody(() => [CHUNKED, other], 'POST', behind),
    'closed',
  );
  row(
    `TE.TE: ${what}, then chunked, and a request`,
    inBody(() => [other, CHUNKED], 'POST', behind),
    'closed',
  );
}
row(
  'TE.TE: a space before the colon',
  inBody(() => [CHUNKED, 'Transfer-Encoding : x'], 'POST', '0\r\n\r\n'),
  '400 closed',
);
row(
  'CL.0: a request behind a length that a folded line hides',
  inBody(({ length }) => ['X: y', ` Content-Length: ${length}`]),
  '400 closed',
);
row(
  '0.CL: two lengths, of nothing and of a request',
  inBody(({ length }) => ['Content-Length: 0', `Content-Length: ${length}`]),
  'closed',
);
row(
  'CL.0: two lengths, of a request and of nothing',
  inBody(({ length }) => [`Content-Length: ${length}`, 'Content-Length: 0']),
  '400 closed',
);
row(
  'a request behind the last chunk of another',
  inBody(() => [CHUNKED], 'GET', '0\r\n\r\n'),
  ['closed', 'closed, runs'],
);
// uWebSockets.js takes what looks like a further chunk, or like the end of a trailer, and the connection is closed behind it.
for (const [what, junk, isTaken] of [
  ['text', 'JUNK', false],
  ['an empty line', '\r\n', true],
  ['a further chunk', '5\r\nhello\r\n0\r\n\r\n', true],
  ['nothing', '', false],
] as const) {
  for (const requestLine of ['GET /healthz', 'POST /nothing', 'HEAD /healthz', 'OPTIONS /v1/rules', 'GET /v1/rules']) {
    row(
      `${what} behind the last chunk of ${requestLine}, and a request`,
      (target) => rawRequest(`${requestLine} HTTP/1.1`, head(target, CHUNKED), chunked('x') + junk + target.second),
      isTaken
        ? [requestLine === 'POST /nothing' ? '404 closed' : '200 closed', '200 closed']
        : ['closed', 'closed, runs'],
    );
  }
}
row(
  'a request in a trailer',
  (target) => {
    const [first = '', ...rest] = target.second.split(' ');
    const hidden = ['', ...rest].join(' ');
    return rawRequest(`GET ${PATH} HTTP/1.1`, head(target, CHUNKED), `0\r\nXX${first}:${hidden}`);
  },
  ['closed', 'closed, runs'],
);
row('a trailer', (target) => rawRequest(`GET ${PATH} HTTP/1.1`, head(target, CHUNKED), '0\r\nX: y\r\n\r\n'), [
  '505 closed',
  '505 closed, runs',
]);
row(
  'a request behind one that closes',
  (target) => rawRequest(`GET ${PATH} HTTP/1.1`, head(target, 'Connection: close'), target.second),
  ['closed', 'closed, runs'],
);

// Connections that end.
for (const value of ['close', 'Close', 'CLOSE', ' close ', 'close, x', 'x,close', 'keep-alive, close', 'close\t']) {
  line(`Connection: ${shown(value)}`, 'GET /healthz HTTP/1.1', '200 closed', `Connection: ${value}`);
}
line('Connection twice, once close', 'GET /healthz HTTP/1.1', '200 closed', 'Connection: x', 'Connection: close');
for (const value of ['keep-alive', 'Keep-Alive', 'closed', 'x-close', '']) {
  line(`Connection: ${shown(value)}`, 'GET /healthz HTTP/1.1', '200 open', `Connection: ${value}`);
}
post('a POST with Connection: close', ['Connection: close', LENGTH], '200 closed');

// Names and values of headers.
for (const name of [
  'Content-Length ',
  'Content-Length\t',
  ' Content-Length',
  'Content-Length\u0000',
  'Content-Length\u007f',
  'Content-Length\u0080',
  'Content\u000b-Length',
  'Content Length',
  '"Content-Length"',
  'Content-Length;',
  'Content/Length',
]) {
  post(`a header named ${shown(name)}`, [`${name}: ${BODY.length}`], '400 closed');
}
for (const name of [
  'Transfer-Encoding ',
  ' Transfer-Encoding',
  'Transfer-Encoding\t',
  'Transfer\u0000-Encoding',
  'Transfer-Encoding\u007f',
]) {
  post(`a header named ${shown(name)}`, [`${name}: chunked`], '400 closed', chunked(BODY));
}
for (const more of [
  'X A: b',
  'X(A: b',
  'X{A}: b',
  'X@A: b',
  'X[A]: b',
  'X,A: b',
  'X=A: b',
  'X?A: b',
  'X\\A: b',
  'X\u00e9: b',
  'nothing',
  'X-A: b\u0000c',
  'X-A: b\u0001c',
  'X-A: b\u000bc',
  'X-A: b\u001fc',
  'X-A: b\nc',
  'X-A: b\n\rc',
  'X-A: b\r\n c',
  'X-A: b\r\n\tc',
  'X-A:\r\n b',
  'X-A: b\nContent-Length: 5',
]) {
  line(`the header line ${shown(more)}`, `GET ${PATH} HTTP/1.1`, '400 closed', more);
}
for (const more of ['X-A: b\rc', 'X-A: b\rX-B: c']) {
  line(`the header line ${shown(more)}`, `GET ${PATH} HTTP/1.1`, 'waits', more);
}
for (const more of [
  'X-A:',
  'X-A:   ',
  'X-A:b',
  'X-A: b\tc',
  'X-A: \u0080\u00ff',
  'X:A: b',
  'X-A: b\u007fc',
  "!#$%&'*+.^_`|~: b",
]) {
  line(`the header line ${shown(more)}`, `GET ${PATH} HTTP/1.1`, '200 open', more);
}
// uWebSockets.js sees no header line behind one without a name: it is the end of its list.
line('a header line without a name', `GET ${PATH} HTTP/1.1`, '200 open', ': b');
row(
  'a header line without a name before Host',
  get(({ host }) => [': b', `Host: ${host}`]),
  '400 closed',
);

// Host.
for (const [what, lines] of [
  ['no Host', () => []],
  ['an empty Host', () => ['Host:']],
  ['a blank Host', () => ['Host:   ']],
  ['the same Host twice', ({ host }: Target) => [`Host: ${host}`, `Host: ${host}`]],
  ['a second, foreign Host', ({ host }: Target) => [`Host: ${host}`, 'Host: other.example']],
  ['a second, empty Host', ({ host }: Target) => [`Host: ${host}`, 'Host:']],
  ['an empty Host first', ({ host }: Target) => ['Host:', `Host: ${host}`]],
] as const) {
  row(what, get(lines), '400 closed');
}
for (const [what, value] of [
  ['userinfo', (host: string) => `user@${host}`],
  ['a password', (host: string) => `user:password@${host}`],
  ['a path', (host: string) => `${host}/x`],
  ['a query', (host: string) => `${host}?x`],
  ['a fragment', (host: string) => `${host}#x`],
  ['a scheme', (host: string) => `http://${host}`],
  ['a comma and another', (host: string) => `${host}, other.example`],
  ['another and a comma', (host: string) => `other.example,${host}`],
  ['a space inside', (host: string) => `other ${host}`],
  ['a tab inside', (host: string) => `other\t${host}`],
  ['a backslash', (host: string) => `other\\${host}`],
  ['a percent', (host: string) => `%6d${host}`],
  ['a port that is no number', (host: string) => `${host.replace(/:.*/, '')}:80x`],
  ['two ports', (host: string) => `${host.replace(/:.*/, '')}:80:80`],
  ['a negative port', (host: string) => `${host.replace(/:.*/, '')}:-1`],
  ['a port alone', () => ':80'],
  ['an open bracket', () => '[::1'],
  ['an address without brackets', () => '::1'],
  ['junk behind an address', () => '[::1]x'],
  ['a byte above 0x7f inside', (host: string) => `\u00e9${host}.a`],
] as const) {
  row(
    `a Host with ${what}`,
    get(({ host }) => [`Host: ${value(host)}`]),
    '400 closed',
  );
}
for (const [what, value, answers] of [
  ['an empty port', (host: string) => `${host.replace(/:.*/, '')}:`, '200 open'],
  ['a port that is too large', (host: string) => `${host.replace(/:.*/, '')}:99999`, '200 open'],
  ['capitals', (host: string) => host.toUpperCase(), '200 open'],
  ['a name of nobody', () => 'other.example', ['403 open', '404 open']],
  ['an address in brackets', () => '[::1]:80', ['200 open', '404 open']],
  ['a byte above 0x7f at its end, which is cut off', (host: string) => `${host}\u00e9`, '200 open'],
] as const) {
  row(
    `a Host with ${what}`,
    get(({ host }) => [`Host: ${value(host)}`]),
    answers,
  );
}

// The request line.
for (const requestLine of [
  `GET ${PATH} HTTP/0.9`,
  `GET ${PATH} HTTP/1.0`,
  `GET ${PATH} HTTP/1.2`,
  `GET ${PATH} HTTP/2.0`,
  `GET ${PATH} HTTP/11`,
  `GET ${PATH} HTTP/01.1`,
  `GET ${PATH} http/1.1`,
  `GET ${PATH} HTTP/1.1 `,
  `GET ${PATH} HTTP/1.1x`,
  `GET ${PATH} HTTP/1.1\r`,
  `GET ${PATH} HTTP 1.1`,
  `GET ${PATH} /x HTTP/1.1`,
  `GET  ${PATH} HTTP/1.1`,
  `GET ${PATH}  HTTP/1.1`,
  `GET\t${PATH} HTTP/1.1`,
  `GET ${PATH}\tHTTP/1.1`,
  `GET ${PATH}\u000bHTTP/1.1`,
  ` GET ${PATH} HTTP/1.1`,
  `\tGET ${PATH} HTTP/1.1`,
  `\nGET ${PATH} HTTP/1.1`,
  `GET${PATH} HTTP/1.1`,
  `${PATH} HTTP/1.1`,
  'GET  HTTP/1.1',
  `GET http://localhost${PATH} HTTP/1.1`,
  `GET https://localhost${PATH} HTTP/1.1`,
  'GET localhost:80 HTTP/1.1',
  'CONNECT localhost:80 HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  `GET v1/groups HTTP/1.1`,
  'GET ? HTTP/1.1',
  'GET ?x=1 HTTP/1.1',
  'GET # HTTP/1.1',
  `GET ${PATH}\u0000 HTTP/1.1`,
  `GET ${PATH}\u0001x HTTP/1.1`,
  `GET ${PATH}\u001f HTTP/1.1`,
  `GET ${PATH}\nX HTTP/1.1`,
  `DELETE ${PATH}\u0000 HTTP/1.1`,
  `DELETE ${PATH}\t HTTP/1.1`,
  `DELETE ${PATH}\u0001 HTTP/1.1`,
  `DELETE ${PATH}\u001f HTTP/1.1`,
  `G\u0000T ${PATH} HTTP/1.1`,
  `G\u00c9T ${PATH} HTTP/1.1`,
  'PRI * HTTP/2.0',
]) {
  line(`the request line ${shown(requestLine)}`, requestLine, '505 closed');
}
for (const requestLine of [`GET ${PATH}`, `GET ${PATH}\rX HTTP/1.1`, `\r\nGET ${PATH} HTTP/1.1`, 'GET']) {
  line(`the request line ${shown(requestLine)}`, requestLine, 'waits');
}
row('an empty line and nothing else', () => '\r\n\r\n', 'waits');
row('nothing', () => '', 'waits', 'another is the first');
row(
  'line ends of LF alone',
  (target) => rawRequest(`GET ${PATH} HTTP/1.1`, head(target)).replaceAll('\r', ''),
  '505 closed',
);
row(
  'line ends of CR alone',
  (target) => rawRequest(`GET ${PATH} HTTP/1.1`, head(target)).replaceAll('\n', ''),
  '505 closed',
);
row('a head that does not end', (target) => rawRequest(`GET ${PATH} HTTP/1.1`, head(target)).slice(0, -2), 'waits');

// Methods.
for (const method of [
  'get',
  'Get',
  'BREW',
  'Post',
  'delete',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'GE',
  'GETT',
  '!',
  'x'.repeat(2_000),
]) {
  line(`the method ${method.slice(0, 20)}`, `${method} ${PATH} HTTP/1.1`, ['405 open', '200 open']);
}
for (const method of ['', 'G@T', 'G(T', 'G{T', 'G"T', 'G,T', 'G:T', 'GET/', 'G\u007fT', 'CONNECT']) {
  line(`the method "${shown(method)}"`, `${method} ${PATH} HTTP/1.1`, '400 closed');
}

// Targets: only the exact path is one of the API; a mock gets whatever its routes match.
for (const path of [
  '/v1/groups%00',
  '/v1%2fgroups',
  '/v1%2Fgroups',
  '/v1/%67roups',
  '/v1/x/../groups',
  '/v1/x/%2e%2e/groups',
  '/v1/x/%2E%2E%2fgroups',
  '/v1/./groups',
  '/../v1/groups',
  '/%2e%2e/v1/groups',
  '//v1/groups',
  '/v1//groups',
  '/v1/groups/',
  '/v1/groups//',
  '/v1/groups;a=1',
  '/v1;a/groups',
  '/v1/groups#a',
  '/v1/groups%3fa',
  '/v1\\groups',
  '/v1/groups%zz',
  '/v1/groups%',
  '/v1/groups%2',
  '/v1/groups%c0%af',
  '/v1/groups%c3%28',
  '/v1/groups%ff',
  '/v1/groups%u0041',
  '/v1/groups\u0080',
  '/v1/gr\u00ff\u00feoups',
  '/v1/gr\u007foups',
  '/v1/gr"<>^`{|}oups',
  '/V1/groups',
  '/v1/Groups',
  '/',
  '/?',
]) {
  const ofApi = /^\/(\?|$)/.test(path) ? '200 open' : '404 open';
  line(`the target ${shown(path)}`, `GET ${path} HTTP/1.1`, [ofApi, '200 open']);
}
for (const query of ['?', '??', '?a=%zz', '?a=%', '?a=\u0080', '?a#b', '?/../x', '?a=%00', '?\u007f']) {
  line(`the query ${shown(query)}`, `GET ${PATH}${query} HTTP/1.1`, '200 open');
}

// How many, and how long. The lines of a head beside Host and key are given.
for (const [count, answers] of [
  [96, '200 open'],
  [97, '431 closed'],
  [98, '431 closed'],
  [99, '431 closed'],
  [198, '431 closed'],
  [300, '431 closed'],
] as const) {
  line(`${count + 2} headers`, `GET ${PATH} HTTP/1.1`, answers, ...Array.from({ length: count }, (_, i) => `a${i}: b`));
}
/** A head of so many bytes, the longest part of which is what `with` puts in. */
function sized(bytes: number, build: (target: Target, filler: string) => string): RawRow['bytes'] {
  return (target) => build(target, 'y'.repeat(bytes - build(target, '').length));
}
for (const [bytes, answers] of [
  [4_000, '200 open'],
  [4_096, '200 open'],
  [5_000, ['431 closed', '200 open']],
  [10_000, ['431 closed', '200 open']],
  [16_000, ['431 closed', '200 open']],
  [20_000, '431 closed'],
] as const) {
  row(
    `a head of ${bytes} bytes by one value`,
    sized(bytes, (target, filler) => rawRequest(`GET ${PATH} HTTP/1.1`, head(target, `X: ${filler}`))),
    answers,
  );
  row(
    `a head of ${bytes} bytes by its query`,
    sized(bytes, (target, filler) => rawRequest(`GET ${PATH}?${filler} HTTP/1.1`, head(target))),
    answers,
  );
  row(
    `a head of ${bytes} bytes by one name`,
    sized(bytes, (target, filler) => rawRequest(`GET ${PATH} HTTP/1.1`, head(target, `X${filler}: y`))),
    answers,
  );
}

// What else comes to a port.
row(
  'a TLS handshake',
  () => `\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003${'\u0011'.repeat(60)}`,
  '505 closed',
);
row('an HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '505 closed');
row('a line of SMTP', () => 'HELO localhost\r\n', '505 closed');
line(
  'a WebSocket handshake',
  `GET ${PATH} HTTP/1.1`,
  '200 open',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
);
line(
  'Upgrade: h2c',
  `GET ${PATH} HTTP/1.1`,
  '200 open',
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
);
// A GET goes to the handler of WebSockets first, and uWebSockets.js answers the header for each handler.
line(
  'Expect: 100-continue without a body',
  `GET ${PATH} HTTP/1.1`,
  ['100 200 open', '100 100 200 open'],
  'Expect: 100-continue',
);
post('Expect: 100-continue', ['Expect: 100-continue', LENGTH], '100 200 open');
post('an Expect that nobody knows', ['Expect: x', LENGTH], '200 open');

export const MALFORMED_REQUESTS: readonly RawRow[] = rows;

/** Rows that are also sent in two packets, cut at every byte: good ones and bad ones of each kind. */
export const SPLIT_ROWS: readonly string[] = [
  'Content-Length:14',
  'Content-Length:+14',
  'the same Content-Length twice',
  'Transfer-Encoding:chunked',
  'Transfer-Encoding:xchunked',
  'Content-Length, then Transfer-Encoding',
  'a chunk with a size in upper case',
  'a chunk with a size that is no number',
  'a chunk with an extension',
  'a request as the body of a GET',
  'CL.TE: a request behind the last chunk',
  'TE.CL: a request inside of a chunk',
  'Connection: close',
  'a header named Content-Length ',
  'a second, foreign Host',
  'a Host with userinfo',
  'the request line GET /v1/groups HTTP/1.0',
  'the method "G@T"',
];
