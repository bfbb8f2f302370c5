/** One attempt of a callback: signed anew, sent by the forwarder of upstreams, and over with the head of its answer. */
import { DEPTH_HEADER, type CallbackSent } from '../../forward/callbacks-sent.ts';
import type { UpstreamFailure } from '../../forward/upstream-call.ts';
import { headerValue } from '../forward/lines.ts';
import type { Upstreams } from '../forward/upstreams.ts';
import { signatureLines } from './signature.ts';

export interface AttemptOutcome {
  readonly status: number | undefined;
  readonly failure: UpstreamFailure | undefined;
  readonly reason: string;
  readonly retryAfter: string | undefined;
}

interface AttemptInput {
  readonly ownerId: string;
  readonly callback: Omit<CallbackSent, 'body'>;
  readonly body: Buffer;
  /** The same for all attempts. */
  readonly id: string;
  /** That of the callback. */
  readonly depth: number;
  readonly time: number;
}

/** Bound of the body of an answer that is read so that its connection can be used again, and its time. */
const BODY_BYTES_MAX = 65_536;
const BODY_MS_MAX = 1_000;

/** @returns Names and values, alternating; without `host` and what frames the body. */
export function attemptLines({ callback, body, id, depth, time }: AttemptInput): string[] {
  const { headers, key, method, url } = callback;
  const { pathname, search } = new URL(url);
  const signed = key === undefined ? [] : signatureLines(key, { id, method, path: pathname + search, body, time });
  const replaced = new Set(signed.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  const kept = headers.filter((_, index) => !replaced.has((headers[index - (index % 2)] as string).toLowerCase()));
  const agent = headerValue(headers, 'user-agent') === undefined ? ['user-agent', 'switchyard'] : [];
  return [...kept, ...signed, ...agent, DEPTH_HEADER, String(depth)];
}

/** @param lines From `attemptLines`. @param onOutcome Called once. */
export function attempt(
  upstreams: Upstreams,
  { ownerId, callback, body }: AttemptInput,
  lines: readonly string[],
  onOutcome: (outcome: AttemptOutcome) => void,
): void {
  const { method, url, timeoutMs } = callback;
  const { origin, pathname, search } = new URL(url);
  let received = 0;
  let timer: NodeJS.Timeout | undefined;
  const flow = upstreams.forward(
    {
      ownerId,
      upstream: origin,
      client: '',
      method,
      path: pathname,
      query: search.slice(1),
      headers: lines,
      bodyBytes: body.length,
      timeoutMs,
      host: '',
      keepsHost: false,
      scheme: 'http',
      requestHeaders: [],
      responseHeaders: [],
      rewrites: false,
      root: '',
      kind: 'callback',
    },
    body,
    {
      onHead({ status, headers }) {
        timer = setTimeout(() => flow.cancel(), BODY_MS_MAX);
        onOutcome({ status, failure: undefined, reason: '', retryAfter: headerValue(headers, 'retry-after') });
      },
      onData(chunk) {
        received += chunk.length;
        if (received <= BODY_BYTES_MAX) return;
        clearTimeout(timer);
        flow.cancel();
      },
      onEnd: () => clearTimeout(timer),
      onCut: () => clearTimeout(timer),
      onFailure: (failure, reason) => onOutcome({ status: undefined, failure, reason, retryAfter: undefined }),
    },
  );
}
