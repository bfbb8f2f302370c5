/** The search for requests that hold a serving thread: what it tries however little time it has. */
import { expect, test } from 'vitest';
import { caseOf, kindOf } from './cases.ts';
import { hunt } from './hunt.ts';

test.each(['{{len (json request.query)}}', '{{#each request.query}}{{@key}}{{/each}}'])(
  'the query as a whole, which is long: %s',
  (tag) => {
    const { worst } = hunt(1, 0);
    const found = worst.find(({ seed }) => kindOf(seed) === tag);
    expect(found).toBeDefined();
    const { definition, request } = caseOf(found?.seed as number);
    expect(definition.routes[0]?.responses[0]?.body).toContain(tag);
    expect(request.query.length).toBeGreaterThan(1_000);
  },
);
