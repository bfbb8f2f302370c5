/** Compiles the stream of a response with its mock: templates, delays, and what each of them draws from. */
import { MOCK_SOCKET_MESSAGE_BYTES_MAX, MOCK_STREAM_EVENT_CHARS_MAX, MOCK_STREAM_ITEMS_MAX } from '../../../limits.ts';
import type { MockResponse, MockRoute, StreamEvent } from '../../../model/mocks/definition/definition.ts';
import { eventTexts } from '../../../model/mocks/streams/stream.ts';
import { streamOf } from '../../../base/seeded-draw.ts';
import { drawStream } from '../compile/draw-streams.ts';
import { drawOf } from '../compile/latency.ts';
import type { PlacedResponse } from '../compile/placed-response.ts';
import { parseJson } from '../../../languages/json-text.ts';
import { compileTemplate, fixedTemplate, type Template } from '../templates/compile-template.ts';
import type { TemplateRun } from '../templates/template-run.ts';
import type { CompiledEvent, CompiledStream, Occurrence } from './compiled-stream.ts';
import { STREAM_DEFAULTS } from '../../../model/mocks/streams/stream-schema.ts';

/** Parts of a route that its streams need. */
interface StreamUses {
  readonly readsBody: boolean;
  readonly readsNumber: boolean;
  readonly readsIp: boolean;
  readonly draws: boolean;
}

interface StreamingResponse extends Omit<PlacedResponse, 'route'> {
  readonly route: Pick<MockRoute, 'kind' | 'method' | 'path'>;
}

/** @returns undefined without a stream. */
export function compileStream(
  placed: StreamingResponse,
): { readonly stream: CompiledStream; readonly uses: StreamUses } | undefined {
  const { stream: defined, fault, label } = placed.response;
  if (defined === undefined) return undefined;
  const compiler = new EventCompiler(placed);
  const { format = STREAM_DEFAULTS.format, events, repeat = STREAM_DEFAULTS.repeat, ids } = defined;
  const { end = STREAM_DEFAULTS.end, keepAliveMs = STREAM_DEFAULTS.keepAliveMs, channel = label } = defined;
  const stream: CompiledStream = {
    format,
    events: events.map((event, index) => compiler.event(event, 'event', index)),
    repeat: events.length === 0 ? 0 : repeat === 'forever' ? Infinity : repeat,
    staysOpen: end === 'open',
    keepAliveMs: format === 'sse' ? keepAliveMs : 0,
    numbersEvents: ids === 'auto',
    resumes: format === 'sse' && (defined.resume ?? STREAM_DEFAULTS.resume),
    channel,
    faultEvents: (fault?.events ?? []).map((event, index) => compiler.event(event, 'faultEvent', index)),
  };
  return { stream, uses: compiler.uses };
}

class EventCompiler {
  readonly uses = { readsBody: false, readsNumber: false, readsIp: false, draws: false };
  readonly #templated: MockResponse['templated'];
  readonly #context: Parameters<typeof compileTemplate>[1];
  readonly #streamFor: (...which: readonly (string | number)[]) => number;
  readonly #charsMax: number;

  constructor({ response: { templated }, settings, route, index, targets }: StreamingResponse) {
    this.#templated = templated;
    this.#charsMax = route.kind === 'ws' ? MOCK_SOCKET_MESSAGE_BYTES_MAX : MOCK_STREAM_EVENT_CHARS_MAX;
    this.#context = { targets, variables: settings.variables ?? {} };
    this.#streamFor = (...which) => drawStream(route, 'event', index, ...which);
  }

  event(event: StreamEvent, ...which: readonly (string | number)[]): CompiledEvent {
    const templates = this.#templates(event, which);
    const { forEach, data, event: name, id, comment } = templates;
    const { retry, encoding } = event;
    const delays = this.#streamFor(...which, 'delay');
    const delay = drawOf(event.delay ?? 0);
    this.uses.draws ||= typeof delay !== 'number';
    return {
      delay: (view, occurrence) =>
        typeof delay === 'number' ? delay : Math.round(delay(view.random(streamOf(delays, nameOf(occurrence))))),
      list: forEach && ((run, occurrence) => itemsOf(this.#rendered(forEach, run, occurrence), run)),
      fixedId: id?.fixed,
      hasId: id !== undefined,
      bytes: encoding === 'base64' ? Buffer.from(event.data ?? '', 'base64') : undefined,
      parts: (run, occurrence) => ({
        ...(data === undefined ? {} : { data: this.#rendered(data, run, occurrence) }),
        ...(name === undefined ? {} : { event: this.#rendered(name, run, occurrence) }),
        ...(id === undefined ? {} : { id: this.#rendered(id, run, occurrence) }),
        ...(comment === undefined ? {} : { comment: this.#rendered(comment, run, occurrence) }),
        ...(retry === undefined ? {} : { retry }),
      }),
    };
  }

  #templates(
    event: StreamEvent,
    which: readonly (string | number)[],
  ): Partial<Record<ReturnType<typeof eventTexts>[number]['name'], Template>> {
    const isTemplated = this.#templated !== false;
    const compiled = eventTexts(event).map(({ name, text, scope, isData }) => {
      const mode = isData && this.#templated === 'json' ? 'json' : 'text';
      const template = isTemplated
        ? compileTemplate(text, this.#context, this.#streamFor(...which, name), mode, scope)
        : fixedTemplate(text);
      this.uses.readsBody ||= template.readsBody;
      this.uses.readsNumber ||= template.readsNumber;
      this.uses.readsIp ||= template.readsIp;
      this.uses.draws ||= template.draws;
      return [name, template] as const;
    });
    return Object.fromEntries(compiled);
  }

  #rendered(template: Template, run: TemplateRun, occurrence: Occurrence): string {
    if (template.fixed !== undefined) return template.fixed;
    run.occurrence = nameOf(occurrence);
    return template.render(run, this.#charsMax);
  }
}

function nameOf({ run, item }: Occurrence): string {
  return `${run} ${item}`;
}

/** Anything but a list has no items. */
function itemsOf(text: string, run: TemplateRun): readonly unknown[] {
  const items = parseJson(text, run.view)?.value;
  run.checkWork();
  return Array.isArray(items) ? items.slice(0, MOCK_STREAM_ITEMS_MAX) : [];
}
