/** Routes for operators: whether the service is alive, whether it is ready, and its metrics. */
import { timingSafeEqual } from 'node:crypto';
import { sharedCalls } from '../../base/shared-calls.ts';
import { digestSecret } from '../../model/api-key.ts';
import { Type } from '../../model/schema-type.ts';
import type { Call } from '../call.ts';
import { endpoint, type Endpoint } from '../endpoint.ts';

interface HealthOptions {
  /** Whether the store is open and works. While it drains, the service refuses before it finds the route. */
  readonly ready: () => boolean;
  /** The metrics in Prometheus' text format. */
  readonly metrics: () => Promise<{ contentType: string; text: string }>;
  /** Bearer token that `/metrics` requires; undefined for none. */
  readonly metricsToken: string | undefined;
}

/** Answers in every state of the service. */
export const healthRoute = endpoint({
  method: 'GET',
  path: '/healthz',
  access: 'public',
  isProbe: true,
  doc: {
    operationId: 'healthz',
    tag: 'Operations',
    summary: 'Check that the process is alive',
    answer: Type.Object({ message: Type.Literal('alive') }),
    refusals: [],
  },
  handle: (call) => call.succeed('"message":"alive"'),
});

export function healthApi({ ready, metrics, metricsToken }: HealthOptions): Endpoint[] {
  const tokenDigest = metricsToken === undefined ? undefined : digestSecret(metricsToken);
  const scrape = sharedCalls(metrics);
  return [
    endpoint({
      method: 'GET',
      path: '/readyz',
      access: 'public',
      isProbe: true,
      doc: {
        operationId: 'readyz',
        tag: 'Operations',
        summary:
          'Check that the service accepts requests: its store is open, and it is neither draining nor overloaded',
        answer: Type.Object({ message: Type.Literal('ready') }),
        refusals: ['starting', 'draining', 'overloaded'],
      },
      handle: (call) => (ready() ? call.succeed('"message":"ready"') : call.refuse('draining')),
    }),
    endpoint({
      method: 'GET',
      path: '/metrics',
      access: 'public',
      answersOverloaded: true,
      handle(call) {
        if (tokenDigest !== undefined && !bears(call, tokenDigest)) return call.refuse('unauthorized');
        scrape().then(
          ({ contentType, text }) => call.send(200, contentType, text),
          () => call.refuse('serverError'),
        );
      },
    }),
  ];
}

function bears({ head }: Call, tokenDigest: Buffer): boolean {
  const token = /^Bearer +(\S+)$/i.exec(head.authorization ?? '')?.[1];
  return token !== undefined && timingSafeEqual(digestSecret(token), tokenDigest);
}
