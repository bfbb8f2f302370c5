/** The templates of conditions of one route: the value of such a condition is what its template renders. */
import type { RequestView } from '../request/request-view.ts';
import type { RouteTargets, TargetValues } from '../request/condition-target.ts';
import { compileTemplate } from './compile-template.ts';
import type { HelperContext } from './helper.ts';
import { TemplateRun } from './template-run.ts';

const NONE: readonly string[] = [];

/** @param stream What random values are drawn from: draw-streams.ts. */
export function conditionTemplates(variables: HelperContext['variables'] = {}, stream: number) {
  return (text: string, targets: RouteTargets): TargetValues => {
    const template = compileTemplate(text, { targets, variables }, stream);
    return (view: RequestView) => {
      const run = new TemplateRun(view);
      const rendered = template.render(run);
      if (run.problem !== undefined) view.fail(`the template of a condition: ${run.problem}`);
      return rendered === '' ? NONE : [rendered];
    };
  };
}
