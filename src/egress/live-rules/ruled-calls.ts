/**
 * Requests of mocks to their upstreams on which the rules of the mock's owner act: `settings.proxy.rules`. What the mock's settings edit is
 * edited before rules, both of the request and of the answer.
 *
 * A rule that changes the URL changes where the request goes: the client of a mock is not sent elsewhere.
 */
import { STATUS_CODES } from 'node:http';
import type { RulesActed } from '../../forward/envelope.ts';
import type { Flow } from '../../forward/send.ts';
import { upstreamUrl, type UpstreamCall, type UpstreamFailure } from '../../forward/upstream-call.ts';
import type { CompiledRule } from '../../rules-table/compile-rule.ts';
import type { RequestHalf } from '../../rules-table/evaluate.ts';
import { headerValue, type HeaderLines } from '../../rules-table/header-list.ts';
import { bodyBytesMax, readsPayload } from '../../rules-table/needs-body.ts';
import type { Step } from '../../rules-table/outcome.ts';
import { answerLines, leavesBase, oneByteEach, passesOf, passOn, requestLines, targetPath } from '../forward/lines.ts';
import type { UpstreamSink } from '../forward/upstreams.ts';
import type { Recorder } from '../recording/recorder.ts';
import { COLLECTED_BYTES_MAX, readBody } from './collected-body.ts';
import { rawLines, textOfBytes, toClientLines } from './message-lines.ts';
import { redactConsole, redactProblems } from './redact-exchange.ts';
import {
  RuleExchange,
  type GivenAnswer,
  type ReadRequestBody,
  type RuledAnswer,
  type RulingParts,
} from './rule-exchange.ts';
import { isBodyless, ruledRequest } from './ruled-messages.ts';

/** More that acted are not named. */
const NAMED_MAX = 20;
const NONE: ReadonlySet<string> = new Set();
const NO_BODY: Buffer = Buffer.alloc(0);

export class RuledCall extends RuleExchange implements Pick<Flow, 'pause' | 'resume' | 'cancel'> {
  readonly #recorder: Pick<Recorder, 'begin'>;
  readonly #call: UpstreamCall;
  readonly #body: Buffer;
  readonly #sink: UpstreamSink;
  readonly #upstream: URL;
  /** URL for rules, and its path byte by byte. */
  readonly #url: string;
  readonly #path: string;
  #collected: ReadRequestBody | undefined;
  #upstreamStatus = 0;
  /** The header lines of the request, and of the answer: as rules got them. */
  #requestHeaders: HeaderLines = [];
  #responseHeaders: HeaderLines = [];
  /** Rules that could not read the body. */
  #tooLarge: readonly CompiledRule[] = [];

  constructor(
    parts: RulingParts,
    recorder: Pick<Recorder, 'begin'>,
    call: UpstreamCall,
    body: Buffer,
    sink: UpstreamSink,
  ) {
    super(parts, call.ownerId);
    this.#recorder = recorder;
    this.#call = call;
    this.#body = body;
    this.#sink = sink;
    this.#upstream = upstreamUrl(call.upstream);
    this.host = this.#upstream.host;
    this.#path = targetPath(this.#upstream, call.path, call.query);
    this.#url = textOfBytes(`${this.#upstream.origin}${this.#path}`);
  }

  async begin(): Promise<void> {
    const { method, path, headers, rules } = this.#call;
    if (leavesBase(this.#upstream, path)) {
      return this.fail('outsideBase', `${path} is outside ${this.#upstream.pathname}`);
    }
    const found = this.parts.rules.effectivePolicy(this.ownerId);
    const base = found instanceof Promise ? await found : found;
    if (typeof base === 'string') return this.fail('rules', base);
    // A session of the mock may be one of the gateway, too.
    const named = rules?.session ?? '';
    const session = named === '' ? undefined : await this.parts.sessions.find(this.ownerId, named);
    if (this.isOver) return undefined;
    // What this server adds at the end is added behind rules.
    this.#requestHeaders = toClientLines(requestLines(this.#call, headers, this.#upstream, undefined));
    const request = { method, url: this.#url, headers: this.#requestHeaders, hasBody: this.#body.length > 0 };
    return this.run(session?.effectivePolicy(base) ?? base, request, 'rewrite');
  }

  cancel(): void {
    this.leave();
  }

  protected override async collect(reading: readonly CompiledRule[]): Promise<ReadRequestBody> {
    const coding = headerValue(this.#requestHeaders, 'content-encoding');
    const bytesMax = bodyBytesMax(reading, COLLECTED_BYTES_MAX);
    const { body: read, unread } = await readBody(this.#body, coding, this.parts.bodies, this.ownerId, bytesMax);
    if (read === undefined) this.#tooLarge = reading.filter(readsPayload);
    const isDecoded = read !== undefined && read !== this.#body;
    this.#collected = { read, unread, heldBytes: isDecoded ? read.length : 0 };
    return this.#collected;
  }

  protected override send(half: RequestHalf): void {
    const { upstreams, isForMock } = this.parts;
    const { kind = 'mock', timeoutMs, headers } = this.#call;
    const given = { url: this.#url, target: this.#upstream, path: this.#path, lines: this.#requestHeaders };
    const sent = ruledRequest(half, { ...given, via: upstreams.via });
    const ruledBody = half.request.body;
    const body = ruledBody === this.#collected?.read ? this.#body : (ruledBody ?? NO_BODY);
    const request = {
      ...sent,
      kind,
      ownerId: this.ownerId,
      body: body.length === 0 ? null : body,
      timeoutMs,
      passes: passesOf(headers, upstreams.via),
      isForMock: isForMock(sent.target),
      answerLines: (received: readonly string[]) => answerLines(this.#call, received, this.#upstream, upstreams.via),
    };
    this.ask(request, sent.target.host, (sink) =>
      this.#recorder.begin(this.#callAt(sent.target, sent.path), body, sink),
    );
  }

  /** Makes the call that is recorded. */
  #callAt(target: URL, path: string): UpstreamCall {
    if (target === this.#upstream) return this.#call;
    const [asked = '', query = ''] = path.split(/\?(.*)/s);
    return { ...this.#call, upstream: target.origin, path: asked, query };
  }

  protected override onGiven({ head, headers }: GivenAnswer): void {
    this.#upstreamStatus = head.status;
    this.#responseHeaders = headers;
  }

  /** In the mode `rewrite` there are no redirects. */
  protected override answer({ evaluation, response, given, isPassedOn, problem }: RuledAnswer): boolean {
    const { outcome, steps } = evaluation;
    const { status, statusText = STATUS_CODES[status] ?? '', headers: lines, body = NO_BODY } = response;
    const headers: string[] = [];
    passOn(rawLines(lines, given?.headers), NONE, (name, value) => headers.push(name, value));
    const reason = oneByteEach(statusText);
    if (/[\r\n\0]/.test(reason) || headers.some((each) => /[\r\n\0]/.test(each))) return false;
    const rules = this.#acted(outcome as RulesActed['outcome'], steps, problem?.kind as UpstreamFailure);
    const ownBytes = isBodyless(status) ? 0 : body.length;
    const bodyBytes = isPassedOn ? given?.head.bodyBytes : ownBytes;
    this.#sink.onHead({ status, reason, headers, bodyBytes, rules });
    if (isPassedOn) return true;
    if (body.length > 0 && !isBodyless(status, this.#call.method)) this.#sink.onData(body);
    this.onBodyEnd();
    return true;
  }

  protected override onBody(chunk: Buffer): void {
    this.#sink.onData(chunk);
  }

  protected override onBodyEnd(): void {
    this.#finish(() => this.#sink.onEnd());
  }

  protected override onBodyCut(): void {
    this.#finish(() => this.#sink.onCut());
  }

  protected override onFault(): void {
    this.fail('lost', 'the rules could not be applied');
  }

  protected override refuse(problem: string): void {
    this.fail('tooMuchWork', problem);
  }

  protected override fail(kind: UpstreamFailure, reason: string): void {
    this.#finish(() => this.#sink.onFailure(kind, reason, this.#acted('failed', this.half?.run.steps ?? [])));
  }

  #finish(report: () => void): void {
    if (this.isOver) return;
    this.end();
    report();
  }

  #acted(outcome: RulesActed['outcome'], steps: readonly Step[], problem?: UpstreamFailure): RulesActed {
    const ruleIds = [...new Set(steps.map(({ ruleId }) => ruleId))].slice(0, NAMED_MAX);
    const acted = { outcome, ruleIds, host: this.host ?? '', status: this.#upstreamStatus, problem };
    const { console = [], problems = [] } = this.half?.run ?? {};
    const tooLarge = this.#tooLarge.map(({ id }) => ({ ruleId: id, reason: 'bodyTooLarge' }));
    if (tooLarge.length + console.length + problems.length === 0) return acted;
    const lines = { requestHeaders: this.#requestHeaders, responseHeaders: this.#responseHeaders };
    const secrets = this.parts.key.of(this.#call.recording?.redact ?? {});
    const skipped = [...tooLarge, ...redactProblems(lines, problems, secrets)].slice(0, NAMED_MAX);
    return {
      ...acted,
      ...(skipped.length > 0 && { skipped }),
      ...(console.length > 0 && { console: redactConsole(lines, console, secrets) }),
    };
  }
}
