/**
 * A request that a serving thread has sent to an upstream: all that the egress process needs for it. That process keeps nothing of
 * mocks, so a new one has nothing to catch up with.
 */
import type { HeaderEdit, RedactedNames } from '../model/mocks/definition/definition.ts';
import type { RequestHeadSent } from './envelope.ts';

/** Purpose of a request to an upstream. */
export type UpstreamKind = 'mock' | 'callback' | 'drift' | 'gateway';

export interface UpstreamCall extends RequestHeadSent {
  /** A mock's by default. */
  readonly kind?: UpstreamKind;
  /** Whose connections it uses. */
  readonly ownerId: string;
  /** A URL with a base path, which path and query are appended to. */
  readonly upstream: string;
  readonly timeoutMs: number;
  /** The `Host` that the client sent, and whether the upstream gets it. */
  readonly host: string;
  readonly keepsHost: boolean;
  readonly scheme: 'http' | 'https';
  readonly requestHeaders: readonly HeaderEdit[];
  readonly responseHeaders: readonly HeaderEdit[];
  readonly rewrites: boolean;
  /** Text before paths of the mock where a path names it: "" for a host name. */
  readonly root: string;
  /** Present where the rules of the owner act on it. */
  readonly rules?: CallRules;
  /** Present where the exchange is to be recorded. */
  readonly recording?: CallRecording;
}

interface CallRules {
  /** That of the mock; "" outside of sessions. */
  readonly session: string;
}

export interface CallRecording {
  readonly mockId: string;
  /** "" outside of sessions. */
  readonly session: string;
  /** Path as the client sent it: those of the call may be others. */
  readonly path: string;
  readonly query: string;
  readonly redact: RedactedNames;
}

/** Why an upstream has not answered; docs/mocks-upstream.md has what clients get. */
export type UpstreamFailure =
  | 'addressRefused'
  | 'unreachable'
  | 'tls'
  | 'invalid'
  | 'timeout'
  | 'loop'
  /** Its path would lead out of that of the upstream. */
  | 'outsideBase'
  | 'busy'
  /** The rules of the owner cannot be held, or take too much work. */
  | 'rules'
  | 'tooMuchWork'
  | 'egressDown'
  /** The outcome is not known: not repeated. */
  | 'lost';

/** The one that was parsed last: most requests in a row have the same upstream. */
let last: { readonly text: string; readonly url: URL } | undefined;

/** @param upstream As it was checked when the mock was edited. */
export function upstreamUrl(upstream: string): URL {
  if (last?.text !== upstream) last = { text: upstream, url: new URL(upstream) };
  return last.url;
}
