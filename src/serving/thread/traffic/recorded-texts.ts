/**
 * The texts written last into a block of recorded traffic, and where: a text that repeats is not written again.
 *
 * Clients send the same headers with every request, and ask for few paths many times. Comparing texts with those
 * already written takes a quarter of the time of writing them, and records take a fifth of the bytes. Only the block
 * that is being written has these.
 */

/** The parts of one text of a record: the request line and the outcome. */
export interface RecordedLine {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly routeId: string;
  readonly responseId: string;
  readonly problem: string;
  /** The index of the response in the mock: other texts rarely have the same. */
  readonly place: number;
}

interface Line {
  /** Its offset in the block. */
  readonly start: number;
  readonly path: string;
  readonly method: string;
  readonly query: string;
  readonly routeId: string;
  readonly responseId: string;
  readonly problem: string;
}

interface Headers {
  readonly start: number;
  readonly texts: readonly string[];
}

/**
 * Remembered lines must stay small compared with the block: one for this many of its bytes, of this many characters at
 * most.
 */
const BLOCK_BYTES_PER_LINE = 1_024;
const LINE_CHARS_MAX = 256;
/** A power of two. */
const RECENT_MAX = 16;
/** Sets of headers: one for each kind of client and body that is active at the same time. */
const HEADERS_MAX = 4;
const HEADERS_CHARS_MAX = 1_024;

export class RecordedTexts {
  readonly #linesMax: number;
  /** Found last: most requests repeat it, and with requests to many mocks in turn it is the cheapest to check. */
  #lastLine: Line | undefined;
  #lastHeaders: Headers | undefined;
  /** The line written last for each path. */
  readonly #lines = new Map<string, Line>();
  /** By the place of the response, the line found last: it saves a lookup in the map. */
  readonly #recent: (Line | undefined)[] = Array.from<undefined>({ length: RECENT_MAX });
  readonly #headers: Headers[] = [];
  /** The index in `#headers` that is replaced next. */
  #oldest = 0;

  constructor(blockBytes: number) {
    this.#linesMax = Math.ceil(blockBytes / BLOCK_BYTES_PER_LINE);
  }

  /** @returns Its offset; undefined when it must be written. */
  line(wanted: RecordedLine): number | undefined {
    const { path } = wanted;
    const last = this.#lastLine;
    if (last !== undefined && last.path === path && isSame(last, wanted)) return last.start;
    const at = wanted.place & (RECENT_MAX - 1);
    const recent = this.#recent[at];
    if (recent !== undefined && recent.path === path && isSame(recent, wanted)) {
      this.#lastLine = recent;
      return recent.start;
    }
    const line = this.#lines.get(path);
    if (line === undefined || !isSame(line, wanted)) return undefined;
    this.#recent[at] = line;
    this.#lastLine = line;
    return line.start;
  }

  keepLine({ method, path, query, routeId, responseId, problem }: RecordedLine, start: number): void {
    if (path.length + query.length + problem.length > LINE_CHARS_MAX) return;
    if (this.#lines.size >= this.#linesMax) this.#lines.clear();
    this.#lines.set(path, { path, method, query, routeId, responseId, problem, start });
  }

  /** @param texts Names and values, alternating. @returns Their offset; undefined when they must be written. */
  headers(texts: readonly string[]): number | undefined {
    const last = this.#lastHeaders;
    if (last !== undefined && areEqual(last.texts, texts)) return last.start;
    for (const headers of this.#headers) {
      if (headers === last || !areEqual(headers.texts, texts)) continue;
      this.#lastHeaders = headers;
      return headers.start;
    }
    return undefined;
  }

  keepHeaders(texts: readonly string[], start: number): void {
    let chars = 0;
    for (const text of texts) chars += text.length;
    if (chars > HEADERS_CHARS_MAX) return;
    this.#headers[this.#oldest] = {
      texts: texts.map((text, index) => (index % 2 === 0 ? sharedName(text) : text)),
      start,
    };
    this.#oldest = (this.#oldest + 1) % HEADERS_MAX;
  }
}

/** Clients send few different header names, to all mocks: one shared string of each name stays close in memory. */
const names = new Map<string, string>();
const NAMES_MAX = 1_000;

function sharedName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (names.size >= NAMES_MAX) names.clear();
  names.set(name, name);
  return name;
}

/** @param line A line with the same path. */
function isSame(line: Line, { method, query, routeId, responseId, problem }: RecordedLine): boolean {
  return (
    line.routeId === routeId &&
    line.responseId === responseId &&
    line.method === method &&
    line.query === query &&
    line.problem === problem
  );
}

/**
 * Compares from the end: different lists differ mostly in length or near the end, since clients send their fixed
 * headers first.
 */
function areEqual(one: readonly string[], other: readonly string[]): boolean {
  const { length } = one;
  if (length !== other.length) return false;
  for (let index = length - 1; index >= 0; index--) if (one[index] !== other[index]) return false;
  return true;
}
