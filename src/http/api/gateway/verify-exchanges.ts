/** Verification: whether exchanges were made as often, or in the order, that a test expects; docs/gateway.md, "Verify". */
import type { Static } from 'typebox';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import type {
  ExchangeFilter,
  ExchangePage,
  ExchangeRecord,
  ExchangeSelection,
} from '../../../model/gateway/exchange.ts';
import { exchangeExpectationSchema, exchangeVerificationSchema } from '../../../model/gateway/exchange-query.ts';
import { exchangesOf, type GatewayBook } from '../../../sessions/gateway-book.ts';
import type { Call } from '../../call.ts';
import { checkedBody } from '../../checked-reader.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operationsOf, type Subject } from '../operation.ts';
import { closestIn, differencesIn, type Actual } from '../journal/closest.ts';
import { contradictionsIn, verify } from '../journal/verify.ts';
import { inLowerCase } from '../mocks/traffic/criteria.ts';
import { recordOf } from '../journal/cursor.ts';
import { readOptionalHost } from './exchange-query.ts';
import { representSummary } from './exchanges.ts';
import { ofGateway, ofGatewaySession, pollExchanges, type GatewayQuestions } from './gateway-questions.ts';

type Expectation = Static<typeof exchangeExpectationSchema>;
type Match = NonNullable<Expectation['match']>;

/** @param isDraining Whether the service is stopping: a verification then ends with the current result. */
export function gatewayVerifyApi(
  gateway: GatewayQuestions,
  book: Pick<GatewayBook, 'find'>,
  bodyBytesMax: number,
  isDraining: () => boolean,
): Endpoint[] {
  const body = checkedBody(exchangeExpectationSchema, 'gatewayPayloadInvalid', bodyBytesMax, {
    Verify: { match: { host: 'pay.example.com', method: 'POST' }, exactly: 1, withinMs: 1_000 },
    Rule: { match: { url: 'https://api.example.com/*', ruleId: 'Delay_x3k8q' }, atLeast: 1 },
    Order: {
      inOrder: [
        { url: '*/cart', method: 'POST' },
        { url: '*/checkout', method: 'POST' },
      ],
    },
  });
  const declare = <Found>(subject: Subject<Found>, summary: string, scopeOf: (found: Found) => Scope): Endpoint =>
    operationsOf('Gateway', subject)('verifyExchanges', 'POST /verify', {
      access: 'read',
      summary,
      data: exchangeVerificationSchema,
      body,
      async run(call, { found, body: expectation }) {
        call.releaseBody();
        return verifyExchanges(call, gateway, expectation, scopeOf(found), isDraining);
      },
    });
  return [
    declare(ofGateway(gateway), 'Verify the count or order of exchanges, waiting up to withinMs', () => ({})),
    declare(
      { ...ofGatewaySession(gateway, book), suffix: 'InSession' },
      'Verify the count or order of exchanges of a gateway session',
      exchangesOf,
    ),
  ];
}

type Scope = Pick<ExchangeSelection, 'session' | 'sessionMadeAt'>;

/** A `match`, and where it is in the expectation: "/match" or "/inOrder/2". */
interface Step {
  readonly at: string;
  readonly match: Match;
  readonly selection: ExchangeSelection;
}

/** @param scope What exchanges have to fit besides. */
async function verifyExchanges(
  call: Call,
  gateway: GatewayQuestions,
  expectation: Expectation,
  scope: Scope,
  isDraining: () => boolean,
): Promise<object> {
  const contradictions = contradictionsIn(expectation);
  if (contradictions.length > 0) return refuse('gatewayPayloadInvalid', contradictions);
  const { match, inOrder = [] } = expectation;
  const steps: Step[] = [];
  for (const [index, each] of (match === undefined ? inOrder : [match]).entries()) {
    const step = stepOf(each, match === undefined ? `/inOrder/${index}` : '/match');
    if (isRefusal(step)) return step;
    steps.push(step);
  }
  const ask = async (selection: ExchangeSelection, range: Omit<ExchangeFilter, 'selection'>) => {
    const asked = { ...range, selection: { ...selection, ...scope } };
    const page = await pollExchanges(gateway, call.caller.ownerId, asked);
    return page && { ...page, life: recordOf(page) };
  };
  return verify<Step, ExchangeRecord>(call, expectation, isDraining, {
    steps,
    mayBeUnjudged: steps.some((step) => step.match.bodyContains !== undefined),
    look: ({ selection }, range) => ask(selection, range),
    closest: async (step, after) => ({ closest: await closestTo(step, after, ask) }),
    represent: representSummary,
  });
}

function stepOf(match: Match, at: string): Step | Refusal {
  const { host, header, ...more } = match;
  const named = readOptionalHost(host, `${at}/host`);
  if (isRefusal(named)) return named;
  const selection = { ...named, ...more, ...(header === undefined ? {} : { header: inLowerCase(header) }) };
  return { at, match, selection };
}

async function closestTo(
  { at, match, selection }: Step,
  after: number,
  ask: (selection: ExchangeSelection, range: Omit<ExchangeFilter, 'selection'>) => Promise<ExchangePage | undefined>,
) {
  const single = Object.entries(selection).map(([member, value]) => ({
    member,
    criterion: { [member]: value } as ExchangeSelection,
  }));
  const closest = await closestIn(single, selection, after, ask);
  return closest?.map(({ record, differs }) => {
    const differences = differs.flatMap((member) =>
      differencesIn(at, member, match[member as keyof Match], actualOf(record, member)),
    );
    return { ...representSummary(record), differs, differences };
  });
}

function actualOf(record: ExchangeRecord, member: string): Actual {
  switch (member) {
    case 'header':
      return (name) =>
        record.requestHeaders
          .filter((line) => line.name.toLowerCase() === name.toLowerCase())
          .map(({ value }) => value);
    case 'ruleId':
      return record.ruleIds;
    case 'bodyContains':
      return '';
    case 'host':
      return URL.canParse(record.url) ? new URL(record.url).host : '';
    default:
      return String(record[member as 'url' | 'method' | 'outcome' | 'status' | 'session'] ?? '');
  }
}
