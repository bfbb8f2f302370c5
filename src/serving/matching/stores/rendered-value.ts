/** The value that a templated store begins with: rendered once, with the seed, so that the same seed gives the same data. */
import { parseJson } from '../../../languages/json-text.ts';
import type { MockSettings } from '../../../model/mocks/definition/definition.ts';
import type { StoreDefinition } from '../../../model/mocks/stores/store-schema.ts';
import { numberProblem } from '../../../base/strict-json.ts';
import { streamOf } from '../../../base/seeded-draw.ts';
import { compileClock } from '../compile/clock.ts';
import { RouteTargets } from '../request/condition-target.ts';
import { RequestView } from '../request/request-view.ts';
import { compileTemplate } from '../templates/compile-template.ts';
import { TemplateRun } from '../templates/template-run.ts';

const NO_REQUEST = { method: 'GET', path: '/', query: '', headers: [], body: undefined };

/** @returns null for what cannot be rendered, or has a number that no double holds. */
export function renderedValue(
  { name, value, templated }: StoreDefinition,
  { variables = {}, clock }: Pick<MockSettings, 'variables' | 'clock'>,
  seed: number | null,
): unknown {
  const context = { targets: new RouteTargets(), variables };
  const template = compileTemplate(
    String(value),
    context,
    streamOf('store', name, 'value'),
    templated === 'json' ? 'json' : 'text',
  );
  const view = new RequestView(NO_REQUEST, [], { params: [] }, 0, seed);
  view.now = compileClock(clock);
  const run = new TemplateRun(view);
  const text = template.render(run);
  if (run.problem !== undefined) return null;
  const read = parseJson(text, view);
  if (read === undefined) return templated === 'json' ? null : text;
  return numberProblem(text, view) === undefined ? read.value : null;
}
