/**
 * Rendering a templated response: its body, with text between the tags. Two cases render alone, without a request around: by us and by
 * Handlebars, which is to take four times as long.
 */
import { equal } from 'node:assert/strict';
import Handlebars from 'handlebars';
import { answerRequest } from '../../../src/serving/matching/answer-request.ts';
import type { FoundRoute } from '../../../src/serving/matching/compile/compiled-mock.ts';
import { findRoute } from '../../../src/serving/matching/routing/find-route.ts';
import { RULE_WORK_MAX } from '../../../src/limits.ts';
import { RequestView } from '../../../src/serving/matching/request/request-view.ts';
import { RouteTargets } from '../../../src/serving/matching/request/condition-target.ts';
import { compileTemplate } from '../../../src/serving/matching/templates/compile-template.ts';
import { TemplateRun } from '../../../src/serving/matching/templates/template-run.ts';
import type { MockAnswer } from '../../../src/serving/matching/request/mock-request.ts';
import { always, compile, define, request, response, route } from '../../../test/support/mocks.ts';
import { bodyText, type MicroCase } from '../micro-function.ts';

export const UNIT = 'helpers';

export const SIZES = [1, 2, 10, 100] as const;

export function prepare(size: number): MicroCase[] {
  const render = (name: string, helper: string, value: string, templated: true | 'json' = true): MicroCase => {
    const lines = (text: string) =>
      `{${Array.from({ length: size }, (_, index) => `"field${index}":"${text}"`).join(',')}}`;
    const mock = compile(define([route('POST /users/:id', [response({ templated, body: lines(helper) })])]));
    const body = '{"user":{"name":"Ada"}}';
    const asked = request('POST', '/users/42?page=7', { headers: { host: 'x', 'x-plan': 'gold' }, body });
    const found = findRoute(mock, asked.method, asked.path) as FoundRoute;
    const counter = always(1);
    return {
      name,
      run: () => answerRequest(found, asked, counter),
      check: (answer) => equal(bodyText(answer as MockAnswer), lines(value)),
    };
  };
  // Ten different values, each in its own place of the request's body.
  const user = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`name${index}`, `Ada ${index}`]));
  const body = { user };
  const texts = (tag: (name: string) => string) =>
    Array.from({ length: size }, (_, index) => `"field${index}":"${tag(`name${index % 10}`)}"`).join(',');
  const source = texts((name) => `{{body 'user.${name}'}}`);
  const template = compileTemplate(source, { targets: new RouteTargets(), variables: {} }, 0);
  const view = new RequestView(request('POST', '/', { body: JSON.stringify(body) }), [], { params: [] }, 1);
  const byHandlebars = Handlebars.compile(
    texts((name) => `{{body.user.${name}}}`),
    { noEscape: true },
  );
  const check = (text: unknown): void =>
    equal(
      text,
      texts((name) => user[name] as string),
    );
  return [
    {
      name: 'a template alone',
      run: () => {
        view.work = RULE_WORK_MAX;
        return template.render(new TemplateRun(view));
      },
      check,
    },
    { name: 'the same by Handlebars', run: () => byHandlebars({ body }), check },
    render('JSON mode', "{{body 'user.name'}}", 'Ada', 'json'),
    render('path parameter', "{{urlParam 'id'}}", '42'),
    render('query parameter', "{{queryParam 'page'}}", '7'),
    render('header', "{{header 'X-Plan'}}", 'gold'),
    render('JSON body', "{{body 'user.name'}}", 'Ada'),
  ];
}
