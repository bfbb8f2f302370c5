/** The endpoints of the gateway: whether it runs, its exchanges, and their counts; docs/gateway.md. */
import { isRefusal, type Refusal } from '../../../errors.ts';
import { modeOf, storedRules } from '../../../model/evaluated-rules.ts';
import {
  exchangeCountsSchema,
  exchangeSchema,
  gatewaySchema,
  type ExchangeRecord,
} from '../../../model/gateway/exchange.ts';
import { exchangeQuerySchema } from '../../../model/gateway/exchange-query.ts';
import { Type } from '../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Exchange } from '../../../rules-table/evaluate.ts';
import type { Skipped } from '../../../rules-table/outcome.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import type { EvaluateRules, OverlayOfSession } from '../evaluate.ts';
import { parseExchangeQuery } from './exchange-query.ts';
import { exchangePageSchema, listExchanges, representSummary } from './exchanges.ts';
import { ask, type GatewayQuestions } from './gateway-questions.ts';

export function gatewayApi(
  owners: OwnerDirectory,
  gateway: GatewayQuestions,
  evaluate: EvaluateRules,
  overlayOf: OverlayOfSession,
  version: string,
): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/v1/gateway',
      access: 'read',
      doc: {
        operationId: 'readGateway',
        tag: 'Gateway',
        summary: 'Read the state and address of the gateway',
        answer: Type.Object({ data: gatewaySchema }),
        untagged: true,
        refusals: [],
      },
      handle(call) {
        const { port = 0, epoch, restarts = 0, isWaiting = false } = gateway.state() ?? {};
        const server = port === 0 ? null : gateway.serverAt(port);
        const ca = gateway.authority()?.facts ?? null;
        const running = isWaiting || epoch !== undefined;
        return void call.later(gateway.home(call.caller.ownerId), (home) => {
          const life =
            home === undefined ? { epoch: epoch ?? null, restarts } : { epoch: null, restarts: 0, ...home.life };
          const { runsCode, readsFiles } = gateway;
          const shown = { running, server, ...life, home: home?.nodeId, ca, runsCode, readsFiles };
          call.succeed(`"data":${JSON.stringify(shown)}`);
        });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/ca.pem',
      access: 'public',
      doc: {
        operationId: 'readGatewayAuthority',
        tag: 'Gateway',
        summary: 'Download the CA certificate that clients must trust for HTTPS; needs no key',
        answer: Type.Object({}),
        contentType: 'application/x-pem-file',
        refusals: ['gatewayNotRunning'],
      },
      handle(call) {
        const authority = gateway.authority();
        if (authority === undefined) return call.refuse('gatewayNotRunning');
        return call.send(200, 'application/x-pem-file', authority.certificate);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/requests',
      access: 'read',
      doc: {
        operationId: 'listExchanges',
        tag: 'Gateway',
        summary: 'List the exchanges of the gateway, newest first',
        query: exchangeQuerySchema,
        answer: exchangePageSchema,
        refusals: ['badRequest', 'gatewayNotRunning'],
      },
      handle: (call) => {
        const query = parseExchangeQuery(call.head.query);
        if (isRefusal(query)) return call.refuse(query);
        return listExchanges(call, gateway, query, version);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/requests/:exchangeId',
      access: 'read',
      doc: {
        operationId: 'readExchange',
        tag: 'Gateway',
        summary: 'Read one exchange: what rules changed, and why others did not act',
        answer: Type.Object({ data: exchangeSchema }),
        untagged: true,
        refusals: ['exchangeNotFound', 'gatewayNotRunning'],
      },
      handle(call) {
        const [id = ''] = call.params;
        if (!/^[1-9]\d{0,14}$/.test(id)) return call.refuse('exchangeNotFound');
        return ask(call, gateway, gateway.exchange(call.caller.ownerId, Number(id)), (record) => {
          if (record === null) return call.refuse('exchangeNotFound');
          return owners.query(storedRules, undefined, call.caller, (stored) => {
            if (isRefusal(stored)) return call.refuse(stored);
            const { session, sessionMadeAt } = record;
            const overlay = session === undefined ? undefined : overlayOf(call.caller.ownerId, session, sessionMadeAt);
            // A session that has ended has left no overlay.
            const rules = overlay === undefined || isRefusal(overlay) ? stored : { ...stored, overlay };
            return void call.later(
              evaluate(call.caller.ownerId, rules, exchangeOf(record), {
                mode: modeOf(rules),
                details: 'applied',
                runCode: false,
              }),
              (dryRun) => {
                const skipped = skippedOf(record, dryRun, gateway.runsCode);
                const shown = { ...representSummary(record), ...detailsOf(record), ...skipped };
                call.succeed(`"data":${JSON.stringify(shown)}`);
              },
            );
          });
        });
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/gateway/requests',
      access: 'write',
      doc: {
        operationId: 'resetExchanges',
        tag: 'Gateway',
        summary: 'Delete the exchanges of the gateway except those of live sessions, and reset the counts of the owner',
        answer: Type.Object({ message: Type.Literal('Exchanges reset successfully') }),
        refusals: ['gatewayNotRunning'],
      },
      handle: (call) =>
        ask(call, gateway, gateway.reset(call.caller.ownerId), () =>
          call.succeed('"message":"Exchanges reset successfully"'),
        ),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/counts',
      access: 'read',
      doc: {
        operationId: 'countExchanges',
        tag: 'Gateway',
        summary: 'Read exact counts of exchanges by outcome, and of the rules that acted',
        answer: Type.Object({ data: exchangeCountsSchema }),
        untagged: true,
        refusals: ['gatewayNotRunning'],
      },
      handle: (call) =>
        ask(call, gateway, gateway.counts(call.caller.ownerId), (counts, epoch) =>
          call.succeed(`"data":${JSON.stringify({ ...counts, epoch })}`),
        ),
    }),
  ];
}

function detailsOf({
  requestHeaders,
  requestBody,
  statusText,
  responseHeaders,
  responseBody,
  ...record
}: ExchangeRecord) {
  const { upstream, reason, location, delayMs, steps, version } = record;
  const console = record.console?.length === 0 ? undefined : record.console;
  return {
    requestHeaders,
    requestBody,
    statusText,
    responseHeaders,
    responseBody,
    upstream,
    reason,
    location,
    delayMs,
    steps,
    console,
    version,
  };
}

/** Rebuilds the exchange from its kept parts. */
function exchangeOf({ method, url, requestHeaders, requestBody, upstream, outcome }: ExchangeRecord): Exchange {
  const request = { method, url, headers: requestHeaders, body: bytesOf(requestBody) };
  if (upstream !== undefined) return { request, response: { ...upstream, body: undefined } };
  return outcome === 'failed' ? { request, response: { failed: true } } : { request };
}

function bytesOf(body: ExchangeRecord['requestBody']): Buffer | undefined {
  if (body === undefined || body.bodyOmitted !== undefined) return undefined;
  return Buffer.from(body.body, body.bodyEncoding ?? 'utf8');
}

const CODE_WITHOUT_EFFECT = { reason: 'noChange', expected: 'another body', actual: 'undefined' } as const;

/** By a dry run of the rules of now. What acted is not in it, though the dry run did not have the body. */
function skippedOf(record: ExchangeRecord, answer: Uint8Array | undefined | Refusal, runsCode: boolean) {
  const own: Skipped[] = record.skipped.map((each) => ({ ...each, reason: each.reason as Skipped['reason'] }));
  const known = new Set([...record.ruleIds, ...own.map(({ ruleId }) => ruleId)]);
  if (answer === undefined || isRefusal(answer)) {
    return { skipped: own, skippedCount: own.length, skippedVersion: record.version };
  }
  const { data } = JSON.parse(Buffer.from(answer).toString('utf8')) as {
    data: { skipped: readonly Skipped[]; skippedCount: number; version: number };
  };
  const others = data.skipped
    .filter(({ ruleId }) => !known.has(ruleId))
    // The dry run does not run code. What the gateway ran is known, unless it changed nothing.
    .map((each) => (runsCode && each.reason === 'codeOff' ? { ...each, ...CODE_WITHOUT_EFFECT } : each));
  const isOut = data.skipped.length - others.length;
  return {
    skipped: [...own, ...others],
    skippedCount: own.length + data.skippedCount - isOut,
    skippedVersion: data.version,
  };
}
