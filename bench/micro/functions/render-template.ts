/** Rendering a templated response: its body, with text between the helpers. */
import { equal } from 'node:assert/strict';
import { answerRequest } from '../../../src/serving/matching/answer-request.ts';
import type { FoundRoute } from '../../../src/serving/matching/compiled-mock.ts';
import { findRoute } from '../../../src/serving/matching/routing/find-route.ts';
import type { MockAnswer } from '../../../src/serving/matching/mock-request.ts';
import { always, compile, define, request, response, route } from '../../../test/support/mocks.ts';
import { bodyText, type MicroCase } from '../micro-function.ts';

export const UNIT = 'helpers';

export const SIZES = [1, 10, 100] as const;

export function prepare(size: number): MicroCase[] {
  const render = (name: string, helper: string, value: string): MicroCase => {
    const lines = (text: string) => Array.from({ length: size }, (_, index) => `"field${index}":"${text}"`).join(',');
    const mock = compile(define([route('POST /users/:id', [response({ templated: true, body: lines(helper) })])]));
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
  return [
    render('path parameter', "{{urlParam 'id'}}", '42'),
    render('query parameter', "{{queryParam 'page'}}", '7'),
    render('header', "{{header 'X-Plan'}}", 'gold'),
    render('JSON body', "{{body 'user.name'}}", 'Ada'),
  ];
}
