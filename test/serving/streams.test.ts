/** The events of streams as texts and in order, for any events: what a reader gets is what was defined, and resuming gives the rest. */
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MockResponse, StreamEvent } from '../../src/model/mocks/definition/definition.ts';
import { eventText } from '../../src/model/mocks/streams/event-text.ts';
import { readEvents } from '../../src/model/mocks/streams/read-events.ts';
import { RouteTargets } from '../../src/serving/matching/request/condition-target.ts';
import { RequestView } from '../../src/serving/matching/request/request-view.ts';
import { compileStream } from '../../src/serving/matching/streams/compile-stream.ts';
import { STREAM_BEGIN } from '../../src/serving/matching/streams/compiled-stream.ts';
import { resumedAt, StreamScript } from '../../src/serving/matching/streams/stream-script.ts';
import { response as plainResponse } from '../support/mocks.ts';

const ROUTE = { method: 'GET', path: '/' };

function view(seed: number | null = null, number = 1): RequestView {
  return new RequestView(
    { method: 'GET', path: '/', query: '', headers: [], body: undefined },
    [],
    { params: [] },
    number,
    seed,
  );
}

function compiled(given: Partial<MockResponse>) {
  const response = plainResponse(given);
  const made = compileStream({ response, settings: {} as never, route: ROUTE, index: 0, targets: new RouteTargets() });
  if (made === undefined) throw new Error('no stream');
  return made.stream;
}

/** All that is sent, with the time of each. */
function sent(script: StreamScript): { at: number | undefined; text: string }[] {
  const all = [];
  while (script.dueMs !== undefined) {
    const at = script.dueMs;
    const event = script.next();
    if (event !== undefined) all.push({ at, text: event.toString() });
  }
  return all;
}

const anyText = fc.string({
  unit: fc.constantFrom('a', ' ', ':', '\n', '\r', '\u{1f600}', '\ud83d', '\0', '{', 'data: '),
});
const anyLine = anyText.map((text) => text.replaceAll(/[\r\n\0]/g, ''));
const anyEvent = fc.record(
  { data: anyText, event: anyLine, id: anyLine, comment: anyLine },
  { requiredKeys: ['data'] },
) as fc.Arbitrary<StreamEvent>;

test('any events are read as they were written', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 10 }), (events) => {
      const read: { data: string; event: string | undefined; id: string | undefined }[] = [];
      const parser = createParser({ onEvent: ({ data, event, id }) => read.push({ data, event, id }) });
      for (const each of events) parser.feed(eventText('sse', each));
      const expected = events.map(({ data = '', event, id }) => ({
        data: data.replaceAll(/\r\n|\r/g, '\n'),
        // An empty name is no name.
        event: event === '' ? undefined : event,
        id,
      }));
      expect(read).toEqual(expected);
    }),
  );
});

test('any text of events is read as events that have the same text', () => {
  const plain = anyEvent.map(({ data = '', ...event }) => ({ ...event, data: data.replaceAll(/\r\n?/g, '\n') }));
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 10 }), (events) => {
      // An empty comment says nothing.
      const said = events.map(({ comment, ...event }) =>
        comment === '' ? event : { ...event, ...(comment === undefined ? {} : { comment }) },
      );
      const text = events.map((event) => eventText('sse', event)).join('');
      expect(readEvents(text)).toEqual({ events: said, isPartial: false, rest: '' });
    }),
  );
});

test('a stream that goes on behind any event sends the rest', () => {
  const list = fc.constantFrom(undefined, '[]', '["x"]', '["x","y","z"]', 'nothing');
  const events = fc.array(fc.record({ data: fc.constant('{{randomInt 1 1000000}}'), forEach: list }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(events, fc.integer({ min: 1, max: 3 }), fc.nat(40), (given, repeat, after) => {
      const defined = given.map(({ data, forEach }) => (forEach === undefined ? { data } : { data, forEach }));
      const stream = compiled({ templated: true, stream: { events: defined, repeat, ids: 'auto' } });
      const all = sent(new StreamScript(stream, view(7))).map(({ text }) => text);
      const place = resumedAt(stream, view(7), String(after));
      const isKnown = after >= 1 && after <= all.length;
      const rest = place === 'over' ? [] : sent(new StreamScript(stream, view(7), place)).map(({ text }) => text);
      expect(rest).toEqual(isKnown ? all.slice(after) : all);
    }),
  );
});

test('lists that take much work are not gone through behind a far event: the stream begins anew', () => {
  const items = JSON.stringify([Array.from({ length: 5_000 }, (_, index) => `text ${index}`)]);
  const stream = compiled({
    templated: true,
    stream: { events: [{ forEach: items, data: '{{item}}' }], repeat: 90_000, ids: 'auto' },
  });
  expect(resumedAt(stream, view(), '3')).toMatchObject({ run: 3 });
  const [asked, begun] = [view(), STREAM_BEGIN];
  expect(resumedAt(stream, asked, '80000')).toEqual(begun);
  expect(asked.work).toBeLessThan(0);
});

test('one seed and number give the same delays and values, another number others', () => {
  const events = [{ delay: { min: 0, max: 1_000 }, data: '{{uuid}}' }];
  const stream = compiled({ templated: true, stream: { events, repeat: 20 } });
  const run = (number: number) => sent(new StreamScript(stream, view(3, number)));
  expect(run(1)).toEqual(run(1));
  expect(run(2)).not.toEqual(run(1));
  expect(new Set(run(1).map(({ text }) => text)).size).toBe(20);
  const times = run(1).map(({ at = 0 }) => at);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
});
