/** Answers in place of an upstream's; docs/mocks-upstream.md and docs/gateway.md have the same. */
import type { UpstreamFailure } from './upstream-call.ts';

type FailureStatus = 403 | 500 | 502 | 503 | 504 | 508;

export const UPSTREAM_FAILURES: Readonly<
  Record<UpstreamFailure | 'noUpstream', readonly [status: FailureStatus, message: string]>
> = {
  addressRefused: [403, 'The upstream is not allowed'],
  noUpstream: [502, 'There is no upstream'],
  unreachable: [502, 'The upstream is unreachable'],
  tls: [502, 'The certificate of the upstream was refused'],
  invalid: [502, 'The upstream did not answer in HTTP/1.1'],
  lost: [502, 'The upstream did not answer'],
  timeout: [504, 'The upstream did not answer in time'],
  outsideBase: [403, 'The path is outside that of the upstream'],
  loop: [508, 'Proxy loop'],
  busy: [503, 'Too many requests to upstreams'],
  rules: [503, 'The rules cannot be applied'],
  tooMuchWork: [500, 'The rules take too much work'],
  egressDown: [503, 'Upstreams are unavailable'],
};
