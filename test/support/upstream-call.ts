/** A plain GET to an upstream, as a serving thread hands it over. */
import type { UpstreamCall } from '../../src/forward/upstream-call.ts';

export function upstreamCall(upstream: string, more: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    ownerId: 'acme',
    upstream,
    client: '127.0.0.1',
    method: 'GET',
    path: '/',
    query: '',
    headers: [],
    bodyBytes: 0,
    timeoutMs: 5_000,
    host: '',
    keepsHost: false,
    scheme: 'http',
    requestHeaders: [],
    responseHeaders: [],
    rewrites: true,
    root: '',
    ...more,
  };
}
