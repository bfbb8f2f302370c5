/** Answers of this process to the API process: about exchanges, recordings and callbacks, and to changes of rules and sessions. */
import type { Answers } from '../../children/questions.ts';
import type { Callbacks } from '../callbacks/callbacks.ts';
import type { Upstreams } from '../forward/upstreams.ts';
import type { ExchangeLog } from '../live-rules/exchange-log.ts';
import type { Recorder } from '../recording/recorder.ts';
import { askUpstream } from './ask-upstream.ts';
import type { Gateway } from './gateway.ts';
import type { GatewayQuestions } from './gateway-messages.ts';
import type { EgressQuestions } from './questions.ts';
import type { Ruling } from './ruling.ts';

interface AnswerParts {
  readonly upstreams: Upstreams;
  readonly recorder: Recorder;
  readonly callbacks: Callbacks;
  /** Undefined where no gateway listens. */
  readonly gateway: Gateway | undefined;
  /** Serving threads that are connected. */
  readonly threadCount: () => number;
}

export function egressAnswers({
  upstreams,
  recorder,
  callbacks,
  gateway,
  threadCount,
}: AnswerParts): Answers<EgressQuestions> {
  return {
    async figures() {
      const { counts, waiting } = callbacks.figures;
      return {
        ...upstreams.figures.counts,
        threads: threadCount(),
        callbacks: counts,
        callbacksWaiting: waiting,
        ...recorder.figures,
        gateway: await gateway?.figures(),
      };
    },
    recording: (question) => recorder.read(question),
    clearRecording: (scope) => recorder.clear(scope),
    callbacks: (question) => callbacks.page(question),
    cancelCallbacks: ({ why, ...of }) => callbacks.cancel(of, why),
    forgetCallbacks(of) {
      callbacks.forget(of);
      return null;
    },
    endMock({ mockId, how }) {
      callbacks.cancel({ mockId }, `its mock was ${how}`);
      if (how === 'stopped') return null;
      callbacks.forgetAll(mockId);
      return recorder.remove(mockId);
    },
    upstream: (question) => askUpstream(upstreams, question),
    ...exchangeAnswers(gateway),
  };
}

type ExchangeQuestion =
  | 'exchanges'
  | 'exchange'
  | 'exchangeCounts'
  | 'resetExchanges'
  | 'resetSession'
  | 'sessionCounts'
  | 'gatewaySessions';

function exchangeAnswers(found: Gateway | undefined): Pick<Answers<EgressQuestions>, ExchangeQuestion> {
  const gateway = (): Gateway => {
    if (found === undefined) throw new Error('the gateway is not listening');
    return found;
  };
  const log = (): ExchangeLog => gateway().log;
  return {
    exchanges: ({ ownerId, filter }) => log().read(ownerId, filter),
    exchange: async ({ ownerId, number }) => (await log().find(ownerId, number)) ?? null,
    exchangeCounts: ({ ownerId }) => log().counts(ownerId),
    sessionCounts: ({ ownerId, session }) => gateway().sessions.counts(ownerId, session) ?? null,
    gatewaySessions: ({ ownerId }) => gateway().sessions.uses(ownerId),
    resetExchanges: async ({ ownerId }) => {
      const { log: kept, sessions } = gateway();
      await kept.reset(ownerId, (exchange) => sessions.isOfLive(ownerId, exchange));
      return true as const;
    },
    resetSession: async ({ ownerId, session }) => {
      const { log: kept, sessions } = gateway();
      const live = await sessions.find(ownerId, session);
      if (live === undefined) return false;
      live.reset();
      await kept.clear(
        ownerId,
        (exchange) => exchange.session === live.id && exchange.sessionMadeAt === live.createdAt,
      );
      return true;
    },
  };
}

export function gatewayAnswers({ rules, sessions }: Ruling, gateway: Gateway | undefined): Answers<GatewayQuestions> {
  return {
    put: (part) => rules.put(part),
    commit: (edit) => rules.commit(edit),
    putSession({ ownerId, session }) {
      sessions.put(ownerId, session);
      return true;
    },
    endSession: ({ ownerId, sessionId }) => sessions.end(ownerId, sessionId),
    release() {
      gateway?.release();
      return true;
    },
  };
}
