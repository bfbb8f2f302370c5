/** Templates of JSON that keep it JSON, whatever a request sends: `templated: "json"`, which no other tool has. */
import { templateProblem } from '../languages/templates/template-checks.ts';
import type { ReadMock, ReadResponse } from './format.ts';
import type { ReportWriter } from './report/report.ts';

/** An object or an array, and no tag. */
const JSON_BEGINS = /^\s*(?:\[|\{(?!\{))/;

/** The mock with its templates made such of JSON where their text is JSON. */
export function withJsonTemplates(mock: ReadMock, report: ReportWriter): ReadMock {
  let count = 0;
  const asJson = <Holder extends Templated>(holder: Holder): Holder => {
    if (!isJsonTemplate(holder)) return holder;
    count++;
    return { ...holder, templated: 'json' };
  };
  const converted = (response: ReadResponse): ReadResponse => {
    const { callbacks } = response;
    return asJson(callbacks === undefined ? response : { ...response, callbacks: callbacks.map(asJson) });
  };
  const routes = mock.routes.map((route) => ({ ...route, responses: route.responses.map(converted) }));
  if (count > 0) report.count('import.json-template', count);
  return { ...mock, routes };
}

/** A response, or a callback of one. */
type Templated = Pick<ReadResponse, 'templated' | 'body' | 'bodyEncoding'>;

function isJsonTemplate({ templated, body = '', bodyEncoding = 'text' }: Templated): boolean {
  if (templated !== true || bodyEncoding !== 'text') return false;
  return JSON_BEGINS.test(body) && body.includes('{{') && templateProblem(body, 'json') === undefined;
}
