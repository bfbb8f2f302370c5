/** Streams whose events are made to take long: what the first turn of one takes, with a list, a helper, or a client that goes on behind an event. */
import { templateProblem } from '../../../src/languages/templates/template-checks.ts';
import { MOCK_REQUEST_BYTES_MAX } from '../../../src/limits.ts';
import type { StreamEvent } from '../../../src/model/mocks/definition/definition.ts';
import { define, response, route } from '../../support/mocks.ts';
import { BODIES, bodyOf, typeOf } from './bodies.ts';
import { chosenOf, radixesOf, type CaseFamily, type StallCase } from './case-family.ts';
import { HELPERS, TEMPLATES } from './rule-cases.ts';

const LISTS = [
  undefined,
  '{{json (range 1 1000)}}',
  "{{body '$'}}",
  "{{json (body '$..a')}}",
  '{{tokens (body)}}',
  '{{tokens (body) 1}}',
  `[${Array(1_000).fill('{}').join()}]`,
];
const DELAYS = [undefined, { median: 1, sigma: 1 }, { mean: 1, deviation: 1 }];
const LAST_IDS = ['', 'none', '99999', '1'];

const CHOICES = {
  helper: [...HELPERS.keys()],
  template: [...TEMPLATES.keys()],
  list: [...LISTS.keys()],
  events: [1, 64, 900],
  repeat: [1, 1_000_000],
  delay: [...DELAYS.keys()],
  lastId: LAST_IDS,
  bodyShape: Object.keys(BODIES) as (keyof typeof BODIES)[],
  bodyBytes: [26_000, 26_000, 90_000, 300_000, MOCK_REQUEST_BYTES_MAX],
} as const;

function caseOf(digits: readonly number[]): StallCase {
  const { helper, template, list, events, repeat, delay, lastId, bodyShape, bodyBytes } = chosenOf(CHOICES, digits);
  const data = (TEMPLATES[template] as (helper: string) => string)(HELPERS[helper] as string);
  const scope = LISTS[list] === undefined ? 'run' : 'item';
  const forEach = LISTS[list];
  const event: StreamEvent = {
    data: templateProblem(data, 'text', scope) === undefined ? data : '',
    ...(forEach === undefined || templateProblem(forEach, 'text') !== undefined ? {} : { forEach }),
    ...(DELAYS[delay] === undefined ? {} : { delay: DELAYS[delay] }),
  };
  const count = Math.max(1, Math.min(events, Math.floor(DEFINITION_CHARS_MAX / (data.length + 1))));
  return {
    words: `${count} events, ${repeat} times: ${JSON.stringify(event).slice(0, 3_000)}; behind ${lastId}; body ${bodyShape} of ${bodyBytes} bytes`,
    definition: define(
      [
        route(
          'POST /p/:id',
          [
            response({
              id: 'a',
              templated: true,
              stream: { ids: 'auto', repeat, events: Array.from({ length: count }, () => event) },
            }),
          ],
          { id: 'route' },
        ),
      ],
      { seed: 1 },
    ),
    request: {
      method: 'POST',
      path: '/p/7',
      query: '',
      headers: ['content-type', typeOf(bodyShape), ...(lastId === '' ? [] : ['last-event-id', lastId])],
      body: bodyOf(bodyShape, bodyBytes),
    },
    isSmall: false,
    isStream: true,
  };
}

/** Compiled for each case: of more a search would see nothing else. */
const DEFINITION_CHARS_MAX = 200_000;

export const EVENT_CASES: CaseFamily = {
  radixes: radixesOf(CHOICES),
  first: [],
  sureCount: 0,
  caseOf,
  kindOf: (digits) => `event ${HELPERS[chosenOf(CHOICES, digits).helper] as string}`,
};
