/**
 * Has an upstream answer a request to a mock: hands it to the egress process, and writes the answer as it comes.
 *
 * Such a request is counted and recorded when the head of its answer is there, or it is certain that there is none: its reply is
 * chosen then. Only mocks that send requests on come here.
 */
import type { AnswerSink } from '../../forward/forwarding.ts';
import type { ReplyHeadSent, RulesActed } from '../../forward/envelope.ts';
import type { Flow } from '../../forward/send.ts';
import {
  upstreamUrl,
  type CallRecording,
  type UpstreamCall,
  type UpstreamFailure,
} from '../../forward/upstream-call.ts';
import { PROXY_DEFAULTS } from '../../model/mocks/upstream/proxy-schema.ts';
import { PROXIED_CODE } from '../../model/mocks/behaviour/fault-codes.ts';
import type { HeaderLine, ProxySettings } from '../../model/mocks/definition/definition.ts';
import { headerValueCheck, type HeaderValueCheck } from '../../model/mocks/definition/header-value.ts';
import { withCors } from '../matching/compile/cors.ts';
import { NO_PLACE, type MockAnswer, type Outcome } from '../matching/request/mock-request.ts';
import { withUpstream } from '../shared/packed-records.ts';
import { addressText } from './address-text.ts';
import type { ToMock } from './addresses.ts';
import { answerItself, type Replies } from './answer-itself.ts';
import type { ConnectToEgress } from './egress-connector.ts';
import type { MockCache } from './mock-cache.ts';
import type { Exchange } from './reply/exchange.ts';
import { ForwardedReply } from './reply/forwarded-reply.ts';
import { missed, sendTooManyHeld, sendTooMuch, sendUnavailable, sendUpstreamFailure } from './reply/own-replies.ts';
import type { CollectedBody, RequestBodies } from './request-bodies.ts';
import type { ServedMock } from './served-mock.ts';
import type { RequestRecord } from './traffic/request-record.ts';

export interface UpstreamRequestsOptions extends Replies {
  readonly connect: ConnectToEgress;
  /** Domains that no answer may set a cookie for. */
  readonly sharedDomains: readonly string[];
  readonly cache: MockCache;
  readonly bodies: RequestBodies;
  readonly record: RequestRecord;
  readonly onBug: (error: unknown) => void;
}

/** A request on its way to an upstream. */
interface ProxiedRequest extends ToMock {
  readonly exchange: Exchange;
  readonly body: CollectedBody;
  readonly answer: MockAnswer;
  /** Name of the upstream in answers. */
  readonly upstream: string;
  /** `Date.now()`. */
  sentAt: number;
  /** Effects of rules, once they are known. */
  rules: RulesActed | undefined;
}

export class UpstreamRequests {
  readonly #options: UpstreamRequestsOptions;
  readonly #cookieProblem: HeaderValueCheck;

  constructor(options: UpstreamRequestsOptions) {
    this.#options = options;
    this.#cookieProblem = headerValueCheck('set-cookie', options.sharedDomains);
  }

  /** @param answer Its plan says what is asked for. */
  begin(exchange: Exchange, to: ToMock, body: CollectedBody, answer: MockAnswer): void {
    const { served, path } = to;
    const { held, bodies, record } = this.#options;
    const refuse = (): void => record.miss(exchange, to, body, 503);
    if (held.admit(exchange, answer, served) === undefined) {
      refuse();
      return sendTooManyHeld(exchange, served);
    }
    const kept = bodies.keep(exchange, body);
    if (kept === undefined) {
      refuse();
      return sendTooMuch(exchange, 'MOCK_REQUESTS_BYTES_MAX', served);
    }
    exchange.wait();
    const named = answer.plan?.kind === 'proxy' ? answer.plan.own.upstream : undefined;
    const upstream = served.proxy === null ? undefined : (named ?? served.proxy?.upstream);
    const sent: ProxiedRequest = {
      exchange,
      served,
      path,
      body: kept,
      answer,
      upstream: upstream ?? '',
      sentAt: 0,
      rules: undefined,
    };
    exchange.whenFinished(() => {
      if (exchange.isAborted && !exchange.isCounted)
        this.#count(sent, missed(0, 'the client disconnected before the upstream answered'), 0, 'gone');
    });
    if (upstream === undefined) {
      const off =
        served.proxy === null ? 'proxying is off: proxy is null' : 'neither the response nor the settings set one';
      return this.#fail(sent, 'noUpstream', off);
    }
    if (answer.latencyMs <= 0) return this.#send(sent);
    const timer = setTimeout(() => this.#send(sent), answer.latencyMs);
    return exchange.whenFinished(() => clearTimeout(timer));
  }

  #send(sent: ProxiedRequest): void {
    const { exchange } = sent;
    this.#options
      .connect()
      .then((client) => {
        if (!exchange.open) return;
        sent.sentAt = Date.now();
        const cancel = client.send(this.#callOf(sent), sent.body.bytes, this.#replyOf(sent));
        exchange.whenFinished(cancel);
      })
      .catch((error: unknown) => {
        this.#options.onBug(error);
        this.#fail(sent, 'egressDown', 'this server cannot reach upstreams');
      });
  }

  #callOf({ exchange, served, path, body, answer, upstream }: ProxiedRequest): UpstreamCall {
    const { head, res } = exchange;
    const { own, path: target } = answer.plan?.kind === 'proxy' ? answer.plan : NOTHING_OWN;
    const [asked = '', query = ''] = target === undefined ? [path, head.query] : target.split(/\?(.*)/s);
    const settings: Partial<ProxySettings> = { ...served.proxy, ...own };
    const {
      timeoutMs = PROXY_DEFAULTS.timeoutMs,
      host = PROXY_DEFAULTS.host,
      rewrite = PROXY_DEFAULTS.rewrite,
    } = settings;
    const client = head.forwardedIp ?? addressText(res.getRemoteAddress());
    return {
      ownerId: served.ownerId,
      upstream,
      client,
      method: head.method,
      path: asked,
      query,
      headers: head.headers,
      bodyBytes: body.bytes?.length ?? 0,
      timeoutMs,
      host: head.host,
      keepsHost: host === 'keep',
      scheme: head.isSecure ? 'https' : 'http',
      requestHeaders: settings.requestHeaders ?? [],
      responseHeaders: settings.responseHeaders ?? [],
      rewrites: rewrite,
      root: head.path.endsWith(path) ? head.path.slice(0, head.path.length - path.length) : '',
      ...(settings.rules === true ? { rules: { session: served.sessionId } } : {}),
      ...(settings.record === true ? { recording: recordingOf(served, path, head.query) } : {}),
    };
  }

  #replyOf(sent: ProxiedRequest): AnswerSink<UpstreamFailure> {
    const reply = new ForwardedReply<UpstreamFailure>(
      sent.exchange,
      (why, reason = '') => this.#protect(sent, () => this.#fail(sent, why as UpstreamFailure, reason)),
      'latin1',
    );
    return {
      onHead: (head, flow) => this.#protect(sent, () => this.#begin(sent, head, flow, reply)),
      onData: (chunk) => reply.onData(chunk),
      onEnd: () => reply.onEnd(),
      onCut: () => reply.onCut(),
      onUnanswered(why, reason, rules) {
        sent.rules = rules;
        reply.onUnanswered(why, reason);
      },
    };
  }

  #begin(sent: ProxiedRequest, head: ReplyHeadSent, flow: Pick<Flow, 'pause' | 'resume'>, reply: AnswerSink): void {
    const { exchange, served, upstream } = sent;
    if (!exchange.open) return;
    sent.rules = head.rules;
    const {
      host,
      status: answered,
      problem = '',
    } = head.rules ?? {
      host: upstreamUrl(upstream).host,
      status: head.status,
    };
    if (!this.#count(sent, { ...sent.answer, status: head.status }, answered, problem))
      return sendUnavailable(exchange, served);
    const own: HeaderLine[] = [];
    for (let index = 0; index < head.headers.length; index += 2) {
      const [name = '', value = ''] = [head.headers[index], head.headers[index + 1]];
      // No cookie of a domain that other mocks share.
      if (name.toLowerCase() === 'set-cookie' && this.#cookieProblem(value) !== undefined) continue;
      own.push({ name, value });
    }
    const lines = withCors(own, served.cors).flatMap(({ name, value }) => [name, value]);
    if (answered !== 0 && served.proxy?.mark !== false) lines.push('x-switchyard-proxied', host);
    return reply.onHead({ ...head, headers: lines }, flow);
  }

  #fail(sent: ProxiedRequest, kind: UpstreamFailure | 'noUpstream', reason: string): void {
    const { exchange, served, upstream } = sent;
    if (!exchange.open) return undefined;
    const problem = `upstream ${kind}: ${reason}`;
    if (served.proxy?.onFailure === 'mock') {
      const count = (outcome: Outcome): boolean =>
        this.#count(sent, { ...outcome, problem }, 0, kind, outcome.place !== NO_PLACE);
      if (answerItself(this.#options, exchange, sent, sent.body, count)) return undefined;
    }
    return sendUpstreamFailure(exchange, kind, { upstream, reason }, served, (status) =>
      this.#count(sent, { ...sent.answer, status, problem }, 0, kind),
    );
  }

  /**
   * @param outcome What the client gets. @param status What the upstream has answered, or 0. @param kind Of its failure, or "".
   * @param answersItself Whether a response of the mock answers.
   * @returns Whether it is counted and recorded; false where a save has ended all sending on in the meantime.
   */
  #count(sent: ProxiedRequest, outcome: Outcome, status: number, kind: string, answersItself = false): boolean {
    const { cache, record } = this.#options;
    const { exchange, served, body, upstream, sentAt, rules } = sent;
    // A mock that had to leave the cache still has its counters.
    const newest = cache.newest(served) ?? served;
    const to: ToMock = newest === served ? sent : { served: newest, path: sent.path };
    if (!newest.mayProxy) {
      record.miss(exchange, to, body, 503);
      return false;
    }
    const { routeId, responseId, problem = '' } = outcome;
    // The places of another version are others.
    const place = newest === served ? outcome.place : NO_PLACE;
    const oneLine = problem === '' ? '' : problem.replaceAll(/[\r\n\0]/g, ' ');
    const ms = sentAt === 0 ? 0 : Math.max(0, Date.now() - sentAt);
    const host = rules?.host ?? (upstream === '' ? '' : upstreamUrl(upstream).host);
    // A response that is none of an upstream has the place of its own counter.
    const isItself = answersItself && newest === served;
    record[isItself ? 'answeredItself' : 'proxied'](exchange, to, body, {
      routeId,
      responseId,
      place,
      status: outcome.status,
      faultCode: PROXIED_CODE,
      latencyMs: 0,
      problem: withUpstream(oneLine, {
        host,
        status,
        ms,
        problem: kind,
        outcome: rules?.outcome,
        ruleIds: rules?.ruleIds ?? [],
        skipped: rules?.skipped,
        console: rules?.console,
      }),
    });
    return true;
  }

  #protect({ exchange, served }: ProxiedRequest, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#options.onBug(error);
      sendUnavailable(exchange, served);
    }
  }
}

const NOTHING_OWN = { own: {}, path: undefined };

function recordingOf({ mockId, sessionId, proxy }: ServedMock, path: string, query: string): CallRecording {
  return { mockId, session: sessionId, path, query, redact: proxy?.redact ?? {} };
}
