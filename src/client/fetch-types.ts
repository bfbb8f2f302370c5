/**
 * The types of fetch: those of the program that uses the client, or, where it has none, the part that tests need.
 *
 * Named `Response`, they would be errors in a program without `lib: dom` and `@types/node`; declared here only, a
 * program that has one of the two would get other types than its own.
 */
type Platform = typeof globalThis;

export type Fetch = Platform extends { readonly fetch: infer Own extends (...args: never) => unknown }
  ? Own
  : PlainFetch;

type PlainFetch = (url: string, init?: PlainInit) => Promise<PlainResponse>;

interface PlainInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | null;
  readonly redirect?: 'follow' | 'error' | 'manual';
  readonly signal?: Signal | null;
}

interface PlainResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly headers: {
    get(name: string): string | null;
    has(name: string): boolean;
    forEach(each: (value: string, name: string) => void): void;
  };
  text(): Promise<string>;
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface PlainSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/** The second parameter of fetch. */
export type FetchInit = Exclude<Parameters<Fetch>[1], undefined>;
/** The result of fetch. */
export type FetchResponse = Awaited<ReturnType<Fetch>>;
export type Signal = Platform extends { readonly AbortSignal: { readonly prototype: infer Own } } ? Own : PlainSignal;

/** The part of a body that is read piece by piece. */
export interface ByteStream {
  getReader(): {
    /** Without a value at the end. */
    read(): Promise<{ readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
}
