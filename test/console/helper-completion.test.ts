/** What the editor completes is what templates know. */
import { expect, test } from 'vitest';
import { BLOCKS } from '../../src/console/parts/helper-completion.ts';
import { parseTemplate } from '../../src/languages/templates/parse-template.ts';
import { SIGNATURES } from '../../src/languages/templates/signatures.ts';

test.each(Object.entries(SIGNATURES))('%s is completed to a form that renders', (name, { example }) => {
  const { parts, problems } = parseTemplate(`{{${example}}}`);
  expect(problems).toEqual([]);
  expect(parts).toMatchObject([{ kind: 'value', expression: { kind: 'call', helper: name } }]);
});

test.each(BLOCKS)('%s is a whole block', (insert) => {
  const { parts, problems } = parseTemplate(`{{${insert}`);
  expect(problems).toEqual([]);
  expect(parts).toHaveLength(1);
  expect(parts[0]?.kind).not.toBe('text');
});
