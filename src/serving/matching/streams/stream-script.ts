/**
 * The events of one stream, one after the other: which is due when, and what it renders to. Pure but for the clock of the mock: who
 * sends them, and when that is, is thread/streams/carry-stream.ts.
 */
import { MOCK_STREAM_EVENT_WORK_MAX } from '../../../limits.ts';
import type { RequestView } from '../request/request-view.ts';
import { TemplateRun } from '../templates/template-run.ts';
import { STREAM_BEGIN, type CompiledEvent, type CompiledStream, type StreamPlace } from './compiled-stream.ts';
import type { EventScript } from './stream-plan.ts';
import { eventText } from '../../../model/mocks/streams/event-text.ts';

/** Events that are gone through to find the one that a client has got last, where lists decide how many there are. */
const RESUMED_EVENTS_MAX = 100_000;
/** Work of a list that is gone through, beside that of rendering it: some 20 µs for one without items. */
const LIST_WORK = 2_000;

type Script = Pick<CompiledStream, 'format' | 'events' | 'repeat' | 'numbersEvents'>;

export class StreamScript implements EventScript {
  readonly #script: Script;
  readonly #view: RequestView;
  #run: number;
  #index: number;
  #item: number;
  /** Those of the event that is due, once they are rendered. */
  #items: readonly unknown[] | undefined;
  /** Events sent, also on other connections. */
  sent: number;
  dueMs: number | undefined = 0;
  problem: string | undefined;

  /** @param since When the first event counts its delay from, in milliseconds since the head. */
  constructor(script: Script, view: RequestView, from: StreamPlace = STREAM_BEGIN, since = 0) {
    this.#script = script;
    this.#view = view;
    this.#run = from.run;
    this.#index = from.index;
    this.#item = from.item;
    this.sent = from.sent;
    this.dueMs = since;
    this.#schedule();
  }

  get place(): StreamPlace {
    return { run: this.#run, index: this.#index, item: this.#item, sent: this.sent };
  }

  get work(): number {
    return MOCK_STREAM_EVENT_WORK_MAX - this.#view.work;
  }

  next(): string | Buffer | undefined {
    this.#view.work = MOCK_STREAM_EVENT_WORK_MAX;
    const event = this.#script.events[this.#index] as CompiledEvent;
    const items = this.#itemsOf(event);
    let text: string | Buffer | undefined;
    if (this.problem === undefined && (items === undefined || this.#item < items.length))
      text = this.#textOf(event, items);
    if (this.problem !== undefined) {
      this.dueMs = undefined;
      return undefined;
    }
    this.#advance(items);
    this.#schedule();
    return text;
  }

  takeNumber(): string | undefined {
    this.sent++;
    return this.#script.numbersEvents ? String(this.sent) : undefined;
  }

  /** Goes on without rendering more than lists, and without times. @returns The id that the event has as it is defined, or its number. */
  skip(): string | undefined {
    const event = this.#script.events[this.#index] as CompiledEvent;
    if (event.list !== undefined && this.#items === undefined) this.#view.work -= LIST_WORK;
    const items = this.#itemsOf(event);
    const isSent = items === undefined || this.#item < items.length;
    if (isSent) this.sent++;
    const id = event.fixedId ?? (this.#script.numbersEvents && !event.hasId ? String(this.sent) : undefined);
    this.#advance(items);
    if (this.#run >= this.#script.repeat) this.dueMs = undefined;
    return isSent ? id : undefined;
  }

  #itemsOf({ list }: CompiledEvent): readonly unknown[] | undefined {
    if (list === undefined) return undefined;
    this.#items ??= this.#rendering((run) => list(run, { run: this.#run, item: 0 }));
    return this.#items ?? [];
  }

  #textOf(event: CompiledEvent, items: readonly unknown[] | undefined): string | Buffer | undefined {
    const { format, repeat, numbersEvents } = this.#script;
    this.sent++;
    if (event.bytes !== undefined) return event.bytes;
    const [index, count] = items === undefined ? [this.#run, repeat] : [this.#item, items.length];
    return this.#rendering((run) => {
      run.locals.push(items?.[this.#item], index, index, index === 0, index === count - 1);
      const parts = event.parts(run, { run: this.#run, item: this.#item });
      const isNumbered = numbersEvents && !event.hasId;
      return eventText(format, isNumbered ? { ...parts, id: String(this.sent) } : parts);
    });
  }

  #rendering<Rendered>(render: (run: TemplateRun) => Rendered): Rendered | undefined {
    const run = new TemplateRun(this.#view);
    const rendered = render(run);
    this.problem = run.problem;
    return this.problem === undefined ? rendered : undefined;
  }

  #advance(items: readonly unknown[] | undefined): void {
    if (items !== undefined && this.#item + 1 < items.length) {
      this.#item++;
      return;
    }
    this.#item = 0;
    this.#items = undefined;
    this.#index++;
    if (this.#index < this.#script.events.length) return;
    this.#index = 0;
    this.#run++;
  }

  #schedule(): void {
    const { events, repeat } = this.#script;
    if (this.#run >= repeat) {
      this.dueMs = undefined;
      return;
    }
    const event = events[this.#index] as CompiledEvent;
    this.dueMs = (this.dueMs ?? 0) + event.delay(this.#view, { run: this.#run, item: this.#item });
  }
}

/**
 * Where a stream goes on behind the last event that a client has got.
 *
 * @returns 'over' when that was the last one; the beginning for an id that is not known.
 */
export function resumedAt(stream: CompiledStream, view: RequestView, lastId: string): StreamPlace | 'over' {
  const { events, repeat, numbersEvents } = stream;
  const isPlain = events.every(({ list }) => list === undefined);
  const named = events.findIndex(({ fixedId }) => fixedId === lastId);
  if (isPlain) {
    const isNumber = numbersEvents && /^[1-9]\d{0,14}$/.test(lastId) && named === -1;
    const sent = isNumber ? Number(lastId) : named + 1;
    if (sent === 0 || sent > events.length * repeat) return STREAM_BEGIN;
    const isNumbered = isNumber && events[(sent - 1) % events.length]?.hasId !== false;
    if (isNumbered) return STREAM_BEGIN;
    const run = Math.floor(sent / events.length);
    return run >= repeat ? 'over' : { run, index: sent % events.length, item: 0, sent };
  }
  if (named === -1 && !numbersEvents) return STREAM_BEGIN;
  const script = new StreamScript(stream, view);
  for (let count = 0; count < RESUMED_EVENTS_MAX && script.dueMs !== undefined; count++) {
    const isIt = script.skip() === lastId;
    if (script.problem !== undefined) return STREAM_BEGIN;
    if (isIt) return script.dueMs === undefined ? 'over' : script.place;
  }
  return STREAM_BEGIN;
}
