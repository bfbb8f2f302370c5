/**
 * The texts that were written last into a block of recorded traffic, and where: one that comes again is not written again.
 *
 * Clients send the same headers with every request, and ask for few paths many times. To compare them with what was written takes a
 * quarter of the time of writing them, and what is recorded fits into a fifth of the bytes. Only the block that is written to has these.
 */
/** What is one text of a record: its request line, and what became of it. */
export interface RecordedLine {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly routeId: string;
  readonly responseId: string;
  readonly problem: string;
}

interface Line {
  /** Where it is in the block. */
  readonly start: number;
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

/** What is remembered must stay small beside the block: a line for so many of its bytes, of so many characters at most. */
const BLOCK_BYTES_PER_LINE = 1_024;
const LINE_CHARS_MAX = 256;
/** Sets of headers: one for each kind of client and body that are busy at the same time. */
const HEADERS_MAX = 4;
const HEADERS_CHARS_MAX = 1_024;

export class RecordedTexts {
  readonly #linesMax: number;
  /** By their paths: the one that was written last for each. */
  readonly #lines = new Map<string, Line>();
  readonly #headers: Headers[] = [];
  /** Of `#headers`, which goes next when there are too many. */
  #oldest = 0;

  constructor(blockBytes: number) {
    this.#linesMax = Math.ceil(blockBytes / BLOCK_BYTES_PER_LINE);
  }

  /** @returns Where it is, undefined when it must be written. */
  line({ method, path, query, routeId, responseId, problem }: RecordedLine): number | undefined {
    const line = this.#lines.get(path);
    if (
      line === undefined ||
      line.routeId !== routeId ||
      line.responseId !== responseId ||
      line.method !== method ||
      line.query !== query ||
      line.problem !== problem
    ) {
      return undefined;
    }
    return line.start;
  }

  keepLine({ method, path, query, routeId, responseId, problem }: RecordedLine, start: number): void {
    if (path.length + query.length + problem.length > LINE_CHARS_MAX) return;
    if (this.#lines.size >= this.#linesMax) this.#lines.clear();
    this.#lines.set(path, { method, query, routeId, responseId, problem, start });
  }

  /** @param texts Names and values, alternating. @returns Where they are, undefined when they must be written. */
  headers(texts: readonly string[]): number | undefined {
    for (const headers of this.#headers) if (areEqual(headers.texts, texts)) return headers.start;
    return undefined;
  }

  keepHeaders(texts: readonly string[], start: number): void {
    let chars = 0;
    for (const text of texts) chars += text.length;
    if (chars > HEADERS_CHARS_MAX) return;
    this.#headers[this.#oldest] = { texts: [...texts], start };
    this.#oldest = (this.#oldest + 1) % HEADERS_MAX;
  }
}

/** Most that differ do so in length or late: what clients name of themselves comes first. */
function areEqual(one: readonly string[], other: readonly string[]): boolean {
  const { length } = one;
  if (length !== other.length) return false;
  for (let index = length - 1; index >= 0; index--) if (one[index] !== other[index]) return false;
  return true;
}
