/** The live stream of the exchanges of an owner, as server-sent events: as that of a mock's requests. */
import { refuse } from '../../../errors.ts';
import { recordingOfGateway, type ExchangeRecord, type ExchangeSelection } from '../../../model/gateway/exchange.ts';
import { exchangeStreamQuerySchema } from '../../../model/gateway/exchange-query.ts';
import type { Call } from '../../call.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ofCaller, operationsOf } from '../operation.ts';
import { admitStream } from '../../event-stream.ts';
import type { RecordSelection } from '../journal/cursor.ts';
import { follow, type FollowedRecords } from '../journal/feed.ts';
import { parseExchangeStreamQuery } from './exchange-query.ts';
import { representSummary } from './exchanges.ts';
import { pollExchanges, type GatewayQuestions } from './gateway-questions.ts';

const operation = operationsOf('Gateway', ofCaller('/v1/gateway'));

/** The exchanges to follow; without members all. */
interface FollowedSelection extends RecordSelection {
  readonly selection?: ExchangeSelection;
}

/** @param mayContinue Whether the call's key is still valid, and the service is not stopping. */
export function gatewayStreamApi(gateway: GatewayQuestions, mayContinue: (call: Call) => boolean): Endpoint[] {
  return [
    operation('streamExchanges', 'GET /requests/stream', {
      summary:
        'Follow exchanges as server-sent events: `request`, `dropped` with a count, `reset`, and `counts` once a second',
      query: exchangeStreamQuerySchema,
      events: true,
      refuses: ['overloaded'],
      readQuery: (query, { head }) => parseExchangeStreamQuery(query, head.lastEventId),
      async run(call, { query: { selection, after } }) {
        if (gateway.state() === undefined) return refuse('gatewayNotRunning');
        if (!admitStream(call, mayContinue)) return undefined;
        const { ownerId } = call.caller;
        const query = { selection: Object.keys(selection).length > 0 ? { selection } : {}, after };
        const followed: FollowedRecords<ExchangeRecord, FollowedSelection> = {
          requests: (_id, asked) => pollExchanges(gateway, ownerId, asked),
          represent: representSummary,
        };
        return follow(call, recordingOfGateway(ownerId), query, followed, () => mayContinue(call));
      },
    }),
  ];
}
