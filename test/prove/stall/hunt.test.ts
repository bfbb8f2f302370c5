/** The search for requests that hold a serving thread: what it tries however little time it has. */
import { expect, test } from 'vitest';
import { isFullEffort } from '../../support/effort.ts';
import { caseOf, kindOf } from './cases.ts';
import { hunt } from './hunt.ts';

test.runIf(isFullEffort)('the query as a whole, which is long', () => {
  const { worst } = hunt(1, 0);
  for (const tag of ['{{len (json request.query)}}', '{{#each request.query}}{{@key}}{{/each}}']) {
    const found = worst.find(({ seed }) => kindOf(seed) === tag);
    expect(found, tag).toBeDefined();
    const { definition, request } = caseOf(found?.seed as number);
    expect(definition.routes[0]?.responses[0]?.body).toContain(tag);
    expect(request.query.length).toBeGreaterThan(1_000);
  }
});
