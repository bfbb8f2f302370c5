/** The endpoints of the gateway: whether it runs, its exchanges, and their counts; docs/gateway.md. */
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { modeOf, storedRules } from '../../../model/evaluated-rules.ts';
import {
  exchangeCountsSchema,
  exchangeSchema,
  gatewaySchema,
  type ExchangeRecord,
} from '../../../model/gateway/exchange.ts';
import { exchangeQuerySchema } from '../../../model/gateway/exchange-query.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Exchange } from '../../../rules-table/evaluate.ts';
import type { Skipped } from '../../../rules-table/outcome.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ofCaller, operations, operationsOf } from '../operation.ts';
import type { EvaluateRules, OverlayOfSession } from '../evaluate.ts';
import { parseExchangeQuery } from './exchange-query.ts';
import { exchangePageSchema, listExchanges, representSummary } from './exchanges.ts';
import { ask, type GatewayQuestions } from './gateway-questions.ts';

const operation = operationsOf('Gateway', ofCaller('/v1/gateway'));

export function gatewayApi(
  owners: OwnerDirectory,
  gateway: GatewayQuestions,
  evaluate: EvaluateRules,
  overlayOf: OverlayOfSession,
  version: string,
): Endpoint[] {
  return [
    operation('readGateway', 'GET', {
      summary: 'Read the state and address of the gateway',
      data: gatewaySchema,
      async run(call) {
        const { port = 0, epoch, restarts = 0, isWaiting = false } = gateway.state() ?? {};
        const server = port === 0 ? null : gateway.serverAt(port);
        const ca = gateway.authority()?.facts ?? null;
        const running = isWaiting || epoch !== undefined;
        const home = await gateway.home(call.caller.ownerId);
        const life =
          home === undefined ? { epoch: epoch ?? null, restarts } : { epoch: null, restarts: 0, ...home.life };
        const { runsCode, readsFiles } = gateway;
        return { running, server, ...life, home: home?.nodeId, ca, runsCode, readsFiles };
      },
    }),
    operations('Gateway')('readGatewayAuthority', 'GET /v1/gateway/ca.pem', {
      access: 'public',
      summary: 'Download the CA certificate that clients must trust for HTTPS; needs no key',
      file: 'application/x-pem-file',
      refuses: ['gatewayNotRunning'],
      handle(call) {
        const authority = gateway.authority();
        if (authority === undefined) return call.refuse('gatewayNotRunning');
        return call.send(200, 'application/x-pem-file', authority.certificate);
      },
    }),
    operation('listExchanges', 'GET /requests', {
      summary: 'List the exchanges of the gateway, newest first',
      query: exchangeQuerySchema,
      answer: exchangePageSchema,
      readQuery: parseExchangeQuery,
      run: (call, { query }) => listExchanges(call, gateway, query, version),
    }),
    operation('readExchange', 'GET /requests/:exchangeId', {
      summary: 'Read one exchange: what rules changed, and why others did not act',
      data: exchangeSchema,
      async run({ caller, params: [id = ''] }) {
        if (!/^[1-9]\d{0,14}$/.test(id)) return refuse('exchangeNotFound');
        const found = await ask(gateway, gateway.exchange(caller.ownerId, Number(id)));
        if (isRefusal(found)) return found;
        const record = found.answer;
        if (record === null) return refuse('exchangeNotFound');
        const stored = await owners.ask(storedRules, undefined, caller);
        if (isRefusal(stored)) return stored;
        const { session, sessionMadeAt, recording: _number, ...kept } = record;
        const overlay = session === undefined ? undefined : overlayOf(caller.ownerId, session, sessionMadeAt);
        // A session that has ended has left no overlay.
        const rules = overlay === undefined || isRefusal(overlay) ? stored : { ...stored, overlay };
        const dryRun = await evaluate(caller.ownerId, rules, exchangeOf(record), {
          mode: modeOf(rules),
          details: 'applied',
          runCode: false,
        });
        return { ...kept, ...representSummary(record), ...skippedOf(record, dryRun, gateway.runsCode) };
      },
    }),
    operation('resetExchanges', 'DELETE /requests', {
      summary: 'Delete the exchanges of the gateway except those of live sessions, and reset the counts of the owner',
      message: 'Exchanges reset successfully',
      async run(call) {
        const reset = await ask(gateway, gateway.reset(call.caller.ownerId));
        return isRefusal(reset) ? reset : undefined;
      },
    }),
    operation('countExchanges', 'GET /counts', {
      summary: 'Read exact counts of exchanges by outcome, and of the rules that acted',
      data: exchangeCountsSchema,
      async run(call) {
        const counts = await ask(gateway, gateway.counts(call.caller.ownerId));
        return isRefusal(counts) ? counts : { ...counts.answer, epoch: counts.epoch };
      },
    }),
  ];
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
