/** The live stream of the exchanges of an owner, as server-sent events: as that of a mock's requests. */
import { isRefusal } from '../../../errors.ts';
import { recordingOfGateway, type ExchangeRecord, type ExchangeSelection } from '../../../model/gateway/exchange.ts';
import { exchangeStreamQuerySchema } from '../../../model/gateway/exchange-query.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Call } from '../../call.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { EVENT_STREAM, hasRoom } from '../../event-stream.ts';
import { follow } from '../mocks/traffic/stream.ts';
import type { RecordSelection } from '../mocks/traffic/traffic-cursor.ts';
import type { Followed } from '../mocks/traffic/traffic-feed.ts';
import { parseExchangeStreamQuery } from './exchange-query.ts';
import { representSummary } from './exchanges.ts';
import type { GatewayQuestions } from './gateway-questions.ts';

/** The exchanges to follow; without members all. */
interface FollowedSelection extends RecordSelection {
  readonly selection?: ExchangeSelection;
}

/** @param mayContinue Whether the call's key is still valid, and the service is not stopping. */
export function gatewayStreamApi(gateway: GatewayQuestions, mayContinue: (call: Call) => boolean): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/v1/gateway/requests/stream',
      access: 'read',
      doc: {
        operationId: 'streamExchanges',
        tag: 'Gateway',
        summary:
          'Follow exchanges as server-sent events: `request`, `dropped` with a count, `reset`, and `counts` once a second',
        query: exchangeStreamQuerySchema,
        answer: Type.Object({}),
        contentType: 'text/event-stream',
        headers: ['Last-Event-ID'],
        refusals: ['badRequest', 'gatewayNotRunning', 'overloaded'],
      },
      handle(call) {
        const asked = parseExchangeStreamQuery(call.head.query, call.head.lastEventId);
        if (isRefusal(asked)) return call.refuse(asked);
        if (gateway.state() === undefined) return call.refuse('gatewayNotRunning');
        if (call.head.method === 'HEAD') return call.send(200, EVENT_STREAM, '');
        if (!hasRoom(call.caller.ownerId)) return call.refuse('overloaded');
        if (!mayContinue(call)) return call.refuse('draining');
        const { selection, after } = asked;
        const { ownerId } = call.caller;
        const isFiltered = Object.keys(selection).length > 0;
        const query: { selection: FollowedSelection; after: typeof after } = {
          selection: isFiltered ? { selection } : {},
          after,
        };
        return void call.later(
          follow(call, recordingOfGateway(ownerId), query, followedOf(gateway, ownerId), async () => mayContinue(call)),
          () => undefined,
        );
      },
    }),
  ];
}

function followedOf(gateway: GatewayQuestions, ownerId: string): Followed<ExchangeRecord, FollowedSelection> {
  return {
    async requests(_id, asked) {
      const page = await gateway.exchanges(ownerId, asked).catch(() => undefined);
      const epoch = gateway.state()?.epoch;
      return page && epoch !== undefined ? { ...page, epoch } : undefined;
    },
    represent: representSummary,
  };
}
