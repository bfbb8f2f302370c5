/**
 * The eight forms that nearly all templates of public mocks are made of, in bodies of generated shapes: what they render is JSON, and each
 * value is what its form says.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { templateProblem } from '../../../src/languages/templates/template-checks.ts';
import { compile, compiledAnswer, define, request, response, route } from '../../support/mocks.ts';
import { runs } from '../../support/effort.ts';

interface Form {
  readonly tag: string;
  /** As it stands in the body. */
  readonly quoted: boolean;
  readonly fits: (value: unknown) => boolean;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY = 86_400_000;
const text = (fits: (value: string) => boolean) => (value: unknown) => typeof value === 'string' && fits(value);
const within = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && value >= least && value <= most;

const FORMS: readonly Form[] = [
  {
    tag: "{{faker 'number.int' max=99}}",
    quoted: false,
    fits: (value) => Number.isInteger(value) && within(value, 0, 99),
  },
  { tag: "{{oneOf (array 'a' 'b')}}", quoted: true, fits: (value) => value === 'a' || value === 'b' },
  { tag: "{{faker 'datatype.boolean'}}", quoted: false, fits: (value) => typeof value === 'boolean' },
  { tag: "{{faker 'number.float'}}", quoted: false, fits: (value) => within(value, 0, 1) },
  {
    tag: "{{faker 'date.recent' 365}}",
    quoted: true,
    fits: text((value) => TIME.test(value) && Math.abs(Date.now() - Date.parse(value)) < 366 * DAY),
  },
  { tag: "{{faker 'string.uuid'}}", quoted: true, fits: text((value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){4}/.test(value)) },
  {
    tag: "{{date '2020-01-01' (now) 'yyyy-MM-dd'}}",
    quoted: true,
    fits: text((value) => /^20\d\d-\d\d-\d\d$/.test(value) && Date.parse(value) <= Date.now()),
  },
  { tag: "{{faker 'internet.email'}}", quoted: true, fits: text((value) => /^[^@\s]+@[^@\s]+$/.test(value)) },
];

type Shape = { readonly form: Form } | { readonly items: readonly Shape[] } | { readonly members: [string, Shape][] };

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom(...FORMS).map((form) => ({ form })),
    fc.array(tie('shape'), { maxLength: 4 }).map((items) => ({ items })),
    fc
      .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z_]{1,8}$/), tie('shape')), {
        maxLength: 5,
        selector: ([name]) => name,
      })
      .map((members) => ({ members })),
  ),
}));

/** JSON closes right behind a tag where `space` is "": `{"a":{{x}}}`. */
function written(each: Shape, space: string): string {
  if ('form' in each) return each.form.quoted ? `"${each.form.tag}"` : each.form.tag;
  if ('items' in each) return `[${each.items.map((item) => written(item, space)).join(`,${space}`)}]`;
  const members = each.members.map(([name, value]) => `${space}"${name}":${space}${written(value, space)}`);
  return `{${members.join(',')}${space}}`;
}

function check(each: Shape, value: unknown): void {
  if ('form' in each) expect([each.form.tag, value, each.form.fits(value)]).toEqual([each.form.tag, value, true]);
  else if ('items' in each) {
    expect(value).toHaveLength(each.items.length);
    for (const [index, item] of each.items.entries()) check(item, (value as unknown[])[index]);
  } else {
    expect(Object.keys(value as object).toSorted()).toEqual(each.members.map(([name]) => name).toSorted());
    for (const [name, member] of each.members) check(member, (value as Record<string, unknown>)[name]);
  }
}

test.each(['text', 'json'] as const)('are JSON with the values of their forms, as templates of %s', (mode) => {
  fc.assert(
    fc.property(shape, fc.constantFrom('', '\n  '), (body, space) => {
      const template = written(body, space);
      expect(templateProblem(template, mode)).toBeUndefined();
      const templated = mode === 'json' ? mode : true;
      const answer = compiledAnswer(
        compile(define([route('GET /', [response({ templated, body: template })])])),
        request('GET', '/'),
      );
      expect(answer?.problem).toBeUndefined();
      check(body, JSON.parse(Buffer.from(answer?.body ?? '', 'latin1').toString('utf8')));
    }),
    { numRuns: runs(300) },
  );
});
