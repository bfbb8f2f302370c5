/**
 * A request that a handler makes in the name of its caller, in the process: the request and the response that
 * server.ts takes through the same steps as one of the network.
 */
import type { HttpRequest, HttpResponse } from '../wire/uws.ts';

export interface InnerAsk {
  readonly method: string;
  /** Percent-encoded, begins with "/". */
  readonly path: string;
  /** Without "?". */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface InnerAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export class InnerRequest implements HttpRequest {
  readonly #ask: InnerAsk;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param caller The headers that name the caller. */
  constructor(ask: InnerAsk, caller: Readonly<Record<string, string>>) {
    this.#ask = ask;
    const length = ask.body === undefined ? {} : { 'content-length': String(ask.body.length) };
    this.#headers = { ...ask.headers, ...length, ...caller };
  }

  getUrl(): string {
    return this.#ask.path;
  }

  getQuery(): string {
    return this.#ask.query;
  }

  getCaseSensitiveMethod(): string {
    return this.#ask.method;
  }

  forEach(each: (name: string, value: string) => void): void {
    for (const [name, value] of Object.entries(this.#headers)) each(name, value);
  }
}

type Text = Parameters<HttpResponse['write']>[0];

/** Keeps what is written, and calls back with it once. It takes everything at once, and never aborts. */
export class InnerResponse implements HttpResponse {
  readonly #body: Buffer | undefined;
  readonly #onEnd: (answer: InnerAnswer) => void;
  readonly #lines: string[] = [];
  readonly #chunks: Buffer[] = [];

  constructor(body: Buffer | undefined, onEnd: (answer: InnerAnswer) => void) {
    this.#body = body;
    this.#onEnd = onEnd;
  }

  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this {
    handler(new Uint8Array(this.#body ?? Buffer.alloc(0)).buffer, true);
    return this;
  }

  /** Call writes the status and most headers as one text. */
  writeStatus(status: Text): this {
    this.#lines.push(...asText(status).split('\r\n'));
    return this;
  }

  writeHeader(name: Text, value: Text): this {
    this.#lines.push(...`${asText(name)}: ${asText(value)}`.split('\r\n'));
    return this;
  }

  write(chunk: Text): boolean {
    // A copy: its memory may be used again.
    this.#chunks.push(Buffer.from(asText(chunk)));
    return true;
  }

  end(body?: Text): this {
    if (body !== undefined) this.write(body);
    const [status = '', ...lines] = this.#lines;
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    const text = Buffer.concat(this.#chunks).toString();
    this.#onEnd({ status: Number.parseInt(status, 10), headers: new Map(headers), body: text });
    return this;
  }

  endWithoutBody(): this {
    return this.end();
  }

  tryEnd(part: Text): [isWritten: boolean, hasEnded: boolean] {
    this.end(part);
    return [true, true];
  }

  cork(write: () => void): this {
    write();
    return this;
  }

  getWriteOffset(): number {
    return 0;
  }

  /** None: only routes without a key ask for it. */
  getRemoteAddress(): ArrayBuffer {
    return new ArrayBuffer(0);
  }

  getX509Certificate(): ArrayBuffer {
    return new ArrayBuffer(0);
  }

  onWritable(): this {
    return this;
  }

  onAborted(): this {
    return this;
  }

  close(): this {
    return this;
  }

  pause(): void {}
}

function asText(text: Text): string {
  return typeof text === 'string' ? text : Buffer.from(text as Uint8Array).toString();
}
