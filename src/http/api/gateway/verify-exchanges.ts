/** Verification: whether exchanges were as often as a test expects; docs/gateway.md, "Verify". */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import { excerpt } from '../../../base/excerpt.ts';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import type { ExchangePage, ExchangeRecord, ExchangeSelection } from '../../../model/gateway/exchange.ts';
import { exchangeExpectationSchema, exchangeVerificationSchema } from '../../../model/gateway/exchange-query.ts';
import type { Difference } from '../../../model/mocks/verification.ts';
import { Type } from '../../../model/schema-type.ts';
import { exchangesOf, type GatewayBook } from '../../../sessions/gateway-book.ts';
import type { Call } from '../../call.ts';
import { checkedReader } from '../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../endpoint.ts';
import { CLOSEST_SEEN, closestIn, namedDifferences, wholeDifference } from '../mocks/traffic/closest-requests.ts';
import { boundsOf, judged } from '../mocks/traffic/count-bounds.ts';
import { inLowerCase } from '../mocks/traffic/criteria.ts';
import { contradictionsInCount } from '../mocks/traffic/expectation.ts';
import { VERIFY_EVERY_MS } from '../mocks/traffic/verifying.ts';
import { readOptionalHost } from './exchange-query.ts';
import { representSummary } from './exchanges.ts';
import type { GatewayQuestions } from './gateway-questions.ts';

type Expectation = Static<typeof exchangeExpectationSchema>;

/** @param isDraining Whether the service is stopping: a verification then ends with the current result. */
export function gatewayVerifyApi(
  gateway: GatewayQuestions,
  book: Pick<GatewayBook, 'find'>,
  bodyBytesMax: number,
  isDraining: () => boolean,
): Endpoint[] {
  const body: EndpointBody<Expectation> = {
    schema: exchangeExpectationSchema,
    examples: {
      Verify: { match: { host: 'pay.example.com', method: 'POST' }, exactly: 1, withinMs: 1_000 },
      Rule: { match: { url: 'https://api.example.com/*', ruleId: 'Delay_x3k8q' }, atLeast: 1 },
    },
    bytesMax: bodyBytesMax,
    invalid: 'gatewayPayloadInvalid',
    read: checkedReader(exchangeExpectationSchema, 'gatewayPayloadInvalid'),
  };
  const answer = Type.Object({ data: exchangeVerificationSchema });
  const reply = (
    call: Call,
    expectation: Expectation | Refusal,
    scope: Pick<ExchangeSelection, 'session' | 'sessionMadeAt'>,
  ): void => {
    if (isRefusal(expectation)) return call.refuse(expectation);
    call.releaseBody();
    return void call.later(verifyExchanges(call, gateway, expectation, scope, isDraining), (data) => {
      if (data === undefined) return call.refuse('overloaded');
      return isRefusal(data) ? call.refuse(data) : call.succeed(`"data":${JSON.stringify(data)}`);
    });
  };
  return [
    endpoint<Expectation>({
      method: 'POST',
      path: '/v1/gateway/verify',
      access: 'read',
      doc: {
        operationId: 'verifyExchanges',
        tag: 'Gateway',
        summary: 'Verify how often exchanges were made, waiting up to withinMs',
        answer,
        untagged: true,
        refusals: ['gatewayPayloadInvalid', 'gatewayNotRunning'],
      },
      body,
      handle(call, expectation) {
        if (gateway.state() === undefined) return call.refuse('gatewayNotRunning');
        return reply(call, expectation, {});
      },
    }),
    endpoint<Expectation>({
      method: 'POST',
      path: '/v1/gateway/sessions/:sid/verify',
      access: 'read',
      doc: {
        operationId: 'verifyExchangesInSession',
        tag: 'Gateway',
        summary: 'Verify how often exchanges of a gateway session were made',
        answer,
        untagged: true,
        refusals: ['gatewayPayloadInvalid', 'gatewayNotRunning', 'sessionNotFound'],
      },
      body,
      handle(call, expectation) {
        if (gateway.state() === undefined) return call.refuse('gatewayNotRunning');
        const live = book.find(call.caller.ownerId, call.params[0] ?? '');
        if (isRefusal(live)) return call.refuse(live);
        return reply(call, expectation, exchangesOf(live));
      },
    }),
  ];
}

/**
 * Polls until the expectation is met, cannot be met any more, or the time is over.
 *
 * @param scope What exchanges have to fit besides.
 * @returns Undefined while the gateway restarts.
 */
async function verifyExchanges(
  call: Call,
  gateway: GatewayQuestions,
  { match, withinMs = 0, ...asked }: Expectation,
  scope: Pick<ExchangeSelection, 'session' | 'sessionMadeAt'>,
  isDraining: () => boolean,
): Promise<object | Refusal | undefined> {
  const contradictions = contradictionsInCount(asked);
  if (contradictions.length > 0) return refuse('gatewayPayloadInvalid', contradictions);
  const selection = selectionOf(match);
  if (isRefusal(selection)) return selection;
  const { ownerId } = call.caller;
  const bounds = boundsOf(asked);
  const deadline = performance.now() + withinMs;
  const ask = async (given: ExchangeSelection & { readonly afterNumber?: number }, limit: number) => {
    const { afterNumber = 0, ...more } = given;
    const filter = { selection: { ...more, ...scope }, afterNumber, limit };
    return gateway.exchanges(ownerId, filter).catch(() => undefined);
  };
  for (;;) {
    const isLast = performance.now() >= deadline || !call.open || isDraining();
    const page = await ask(selection, 0);
    const epoch = gateway.state()?.epoch;
    if (page !== undefined && epoch !== undefined) {
      const { verified, isAbove } = judged(bounds, page);
      const answer = answerOf(page, verified, epoch, match);
      if (verified) return answer;
      if (isAbove || isLast) {
        const single = Object.entries(selection).map(([member, value]) => ({
          member: member === 'headers' ? 'header' : member,
          criterion: { [member]: value } as ExchangeSelection,
        }));
        const closest = await closestIn(single, selection, (given) => ask(given, CLOSEST_SEEN));
        return { ...answer, closest: closest?.map(({ record, differs }) => shownClose(record, differs, match)) };
      }
    } else if (isLast) return undefined;
    await sleep(VERIFY_EVERY_MS);
  }
}

function answerOf(
  { count, truncated, unjudged }: ExchangePage,
  verified: boolean,
  epoch: string,
  { bodyContains }: Expectation['match'],
): object {
  return { verified, count, truncated, ...(bodyContains === undefined ? {} : { unjudged }), epoch };
}

function selectionOf({ host, header, ...match }: Expectation['match']): ExchangeSelection | Refusal {
  const named = readOptionalHost(host, '/match/host');
  if (isRefusal(named)) return named;
  return { ...named, ...match, ...(header === undefined ? {} : { headers: inLowerCase(header) }) };
}

function shownClose(record: ExchangeRecord, differs: readonly string[], match: Expectation['match']): object {
  const differences = differs.flatMap((member) => differencesIn(member as keyof typeof match, match, record));
  return { ...representSummary(record), differs, differences };
}

function differencesIn(
  member: keyof Expectation['match'],
  match: Expectation['match'],
  record: ExchangeRecord,
): readonly Difference[] {
  const path = `/match/${member}`;
  switch (member) {
    case 'header':
      return namedDifferences(match.header ?? {}, path, (name) =>
        record.requestHeaders
          .filter((line) => line.name.toLowerCase() === name.toLowerCase())
          .map(({ value }) => value),
      );
    case 'ruleId':
      return [{ path, expected: excerpt(match.ruleId ?? ''), actual: record.ruleIds.slice(0, RULES_SHOWN) }];
    case 'bodyContains':
      return [{ path, expected: excerpt(match.bodyContains ?? ''), actual: [] }];
    case 'host':
      return wholeDifference(path, match.host, URL.canParse(record.url) ? new URL(record.url).host : '');
    default:
      return wholeDifference(path, `${match[member] ?? ''}`, `${record[member] ?? ''}`);
  }
}

const RULES_SHOWN = 10;
