/**
 * Requests at the edge of what HTTP allows, drawn by number: the same number gives the same bytes.
 *
 * One to three requests on a connection, mostly good, each framed in one of the ways that servers have read differently, with another
 * request inside of its body now and then; then a few bytes of the whole are changed.
 */
import { draws as drawsOf } from '../../src/base/seeded-draw.ts';

export interface Marks {
  readonly host: string;
  readonly key: string;
  /** Goes into `x-request-id` and the target of every request. */
  readonly id: string;
}

const METHODS = [
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'PATCH',
  'PUT',
  'DELETE',
  'get',
  'BREW',
  'CONNECT',
];
const JUNK = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  '\u000b',
  ':',
  ';',
  ',',
  '0',
  '1',
  '-',
  '+',
  '%',
  '/',
  '\u007f',
  '\u0080',
  'x',
  'chunked',
  '0\r\n\r\n',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Host: x\r\n',
  'HTTP/1.1',
  'GET / ',
];

class Draws {
  readonly #seed: number;
  #number = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** From 0 up to, not including, `count`. */
  below(count: number): number {
    return Math.floor(drawsOf(this.#seed, 1, this.#number++)() * count);
  }

  oneOf<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.below(choices.length)] as Choice;
  }

  /** True once in `count` times. */
  once(count: number): boolean {
    return this.below(count) === 0;
  }
}

/** The bytes of one connection. */
export function drawConnection(seed: number, marks: Marks): Buffer {
  const draws = new Draws(seed);
  let text = '';
  for (let left = 1 + draws.below(3); left > 0; left--) text += request(draws, marks, 0);
  for (let left = draws.oneOf([0, 0, 0, 1, 1, 2, 3]); left > 0; left--) text = mutated(draws, text, marks.id);
  return Buffer.from(text, 'latin1');
}

function request(draws: Draws, marks: Marks, depth: number): string {
  const method = draws.oneOf(METHODS);
  const inner =
    depth === 0 && draws.once(3)
      ? request(draws, marks, 1)
      : draws.oneOf(['', 'abc', '{"n":1}', '0\r\n\r\n', 'x'.repeat(40)]);
  const { lines, body } = framed(draws, method, inner);
  const headers = [
    `Host: ${draws.once(20) ? draws.oneOf(['', 'other.example', `${marks.host}, x`, `a@${marks.host}`, ' ']) : marks.host}`,
    `x-api-key: ${marks.key}`,
    `x-request-id: ${marks.id}`,
    ...lines,
    ...(draws.once(12)
      ? [
          draws.oneOf([
            'Connection: close',
            'Connection: keep-alive',
            'Connection: x, close',
            'X-A: b\u007f',
            'X A: b',
            ': b',
            'X-A: b\r\n c',
            'Host: x',
            'X-A : b',
            'X-A: b\tc',
            'X\u0080: b',
          ]),
        ]
      : []),
  ];
  // The order of headers must not matter.
  if (draws.once(3)) headers.push(headers.shift() as string);
  const path = draws.oneOf(['/v1/groups', '/v1/groups', '/v1/rules', `/v1/groups/Group_${marks.id}`]);
  const target =
    path +
    draws.oneOf(['', '', '', '', '', `?${marks.id}`, `?${marks.id}`, '?', '?', '?a=%00', '?a=%zz', '?a#b', '?\u0080']);
  const version = draws.once(30) ? draws.oneOf(['HTTP/1.0', 'HTTP/1.2', 'http/1.1', 'HTTP/2.0', '']) : 'HTTP/1.1';
  const space = (): string => (draws.once(60) ? draws.oneOf(['  ', '\t', '']) : ' ');
  const end = draws.once(40) ? draws.oneOf(['\n', '\r', '\r\r\n']) : '\r\n';
  return `${method}${space()}${target}${space()}${version}${end}${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** Header lines that frame a body, and its bytes. */
function framed(draws: Draws, method: string, body: string): { lines: string[]; body: string } {
  const { length } = body;
  const takesNone = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'DELETE';
  if (takesNone && draws.once(2)) return { lines: [], body: '' };
  switch (draws.below(8)) {
    case 0:
      return { lines: [oddLength(draws, length)], body };
    case 1:
      return { lines: [oddLength(draws, length), `Content-Length: ${length}`], body };
    case 2:
      return {
        lines: [`Content-Length: ${length}`, oddEncoding(draws)],
        body: draws.once(2) ? body : chunks(draws, body),
      };
    case 3:
      return { lines: [oddEncoding(draws)], body: chunks(draws, body) };
    case 4:
    case 5:
      return {
        lines: [`${draws.oneOf(['Transfer-Encoding', 'transfer-encoding'])}: chunked`],
        body: chunks(draws, body),
      };
    default:
      return { lines: [`Content-Length: ${length}`], body };
  }
}

function oddLength(draws: Draws, length: number): string {
  const value = draws.oneOf([
    `${length + 1}`,
    `${length - 1}`,
    '0',
    `0${length}`,
    `+${length}`,
    `-${length}`,
    ` ${length} `,
    `${length}\t`,
    `0x${length.toString(16)}`,
    `${length}, ${length}`,
    `${length} ${length}`,
    '',
    `${length}.0`,
    '18446744073709551616',
    '99999',
    `${length};`,
  ]);
  return `${draws.oneOf(['Content-Length', 'content-length', 'Content-Length ', 'Content_Length', ' Content-Length'])}:${value}`;
}

function oddEncoding(draws: Draws): string {
  const value = draws.oneOf([
    'chunked',
    ' Chunked',
    'chunked\t',
    '\u000bchunked',
    'identity',
    'xchunked',
    'chunked, identity',
    'identity, chunked',
    'chunked,chunked',
    '',
    'chunked;a',
    '"chunked"',
    'gzip',
    'chunked\r\n ',
    'chunked\r\nTransfer-Encoding: chunked',
    'x\r\nTransfer-Encoding: chunked',
  ]);
  return `${draws.oneOf(['Transfer-Encoding', 'Transfer-Encoding', 'Transfer-Encoding ', 'Transfer_Encoding'])}:${value}`;
}

function chunks(draws: Draws, body: string): string {
  let text = '';
  for (let from = 0; from < body.length;) {
    const piece = body.slice(from, from + 1 + draws.below(body.length));
    from += piece.length;
    text += `${size(draws, piece.length)}${piece}${draws.once(30) ? draws.oneOf(['', '\n', 'XX', '\r\n\r\n']) : '\r\n'}`;
  }
  const trailer = draws.once(15)
    ? draws.oneOf(['X: y\r\n', 'XX: /smuggled HTTP/1.1\r\n', 'Content-Length: 9\r\n'])
    : '';
  return `${text}${size(draws, 0)}${trailer}${draws.once(30) ? draws.oneOf(['', '\n', 'XX']) : '\r\n'}`;
}

function size(draws: Draws, bytes: number): string {
  const hex = bytes.toString(16);
  if (!draws.once(12)) return `${hex}\r\n`;
  return draws.oneOf([
    `0${hex}\r\n`,
    `${hex.toUpperCase()}\r\n`,
    `${hex};a=1\r\n`,
    `${hex} \r\n`,
    ` ${hex}\r\n`,
    `${hex}\n`,
    `+${hex}\r\n`,
    `-${hex}\r\n`,
    `0x${hex}\r\n`,
    `${hex}g\r\n`,
    `${hex};a="\r\n"\r\n`,
    'FFFFFFFFFFFFFFFF\r\n',
    `1000000000000000${hex}\r\n`,
    '\r\n',
    `${hex}\r\r\n`,
  ]);
}

/** Mostly spares the id, so that what becomes of the request can be found. */
function mutated(draws: Draws, text: string, id: string): string {
  let at = draws.below(text.length);
  for (let tries = 3; tries > 0 && text.slice(Math.max(0, at - 25), at + 35).includes(id); tries--)
    at = draws.below(text.length);
  const junk = draws.oneOf(JUNK);
  switch (draws.below(4)) {
    case 0:
      return text.slice(0, at) + junk + text.slice(at + junk.length);
    case 1:
      return text.slice(0, at) + junk + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + draws.below(4));
    default:
      return text.slice(0, at) + text.slice(Math.max(0, at - draws.below(30)));
  }
}
