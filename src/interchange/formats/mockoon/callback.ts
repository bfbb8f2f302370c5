/** Reads the callbacks of a response: callbacks of the environment, each after a time that the response says. */
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { LATENCY_MS_MAX } from '../../../limits.ts';
import { callbacksOf, SENT_ONCE, type ReadCallback } from '../../exchanges/callback.ts';
import type { ReadResponse } from '../../format.ts';
import { countMembers, numberIn, objectsIn, textIn, type Members } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { among, plain } from '../../templates/reword.ts';
import type { RouteContext } from './context.ts';
import { headersIn } from './headers.ts';
import { bodyOf, noteTemplates } from './response.ts';
import { readTemplate } from './templates.ts';

const CALLBACK: Members = { uuid: ['text'], id: ['text'], name: ['text'], documentation: ['text'] };

/** Those that no response names have no effect. */
export function callbacksIn(environment: Member, { report }: Pick<RouteContext, 'report'>): Map<unknown, Member> {
  const callbacks = objectsIn(environment, 'callbacks', report);
  for (const callback of callbacks) {
    countMembers(callback, CALLBACK, { code: 'mockoon.environment' }, report);
    callback.whole();
  }
  return new Map(callbacks.map((callback) => [callback.at('/uuid')?.value, callback]));
}

/** Where the response has no templates, the bodies of its callbacks have none. */
export function readCallbacks(response: Member, item: Item, context: RouteContext): Pick<ReadResponse, 'callbacks'> {
  const { report } = context;
  const isPlain = response.at('/disableTemplating')?.value === true;
  const read = objectsIn(response, 'callbacks', report).flatMap((source): ReadCallback[] => {
    const named = context.callbacks.get(textIn(source, 'uuid'));
    const latency = Math.max(0, numberIn(source, 'latency') ?? 0);
    if (latency > LATENCY_MS_MAX) item.note('mockoon.latency', source);
    // Mockoon calls nothing there, too.
    return named === undefined
      ? []
      : readCallback(named, source, { delay: Math.min(latency, LATENCY_MS_MAX), isPlain }, item, context);
  });
  return callbacksOf(read, { refused: 'mockoon.callback', header: 'mockoon.header' }, item, report);
}

function readCallback(
  callback: Member,
  source: Member,
  { delay, isPlain }: { readonly delay: number; readonly isPlain: boolean },
  item: Item,
  context: RouteContext,
): ReadCallback[] {
  const { report } = context;
  const name = textIn(callback, 'name') ?? '';
  const method = (textIn(callback, 'method') ?? 'post').toUpperCase();
  const body = BODIED.has(method) ? bodyOf(callback, item, context) : { text: '', isTemplate: true };
  if (body === undefined) return [];
  if (body.attachment !== undefined) {
    item.note('mockoon.callback', source, `${name}: its body is a form with a file upload`);
    return [];
  }
  const templates = {
    url: readTemplate(textIn(callback, 'uri') ?? '', context),
    body: isPlain || !body.isTemplate ? plain(body.text) : readTemplate(body.text, context),
    headers: withType(headersIn(callback, item, report), body).map((line) => ({
      name: line.name,
      ...readTemplate(line.value, context),
    })),
  };
  const all = [templates.url, templates.body, ...templates.headers];
  noteTemplates(all, item);
  const templated = all.some((each) => each.templated);
  return [
    {
      source,
      callback: {
        ...(name === '' ? {} : { name: name.slice(0, NAME_CHARS_MAX) }),
        url: among(all, templates.url),
        method,
        ...(templates.headers.length === 0
          ? {}
          : { headers: templates.headers.map((each) => ({ name: each.name, value: among(all, each) })) }),
        ...(body.text === '' ? {} : { body: among(all, templates.body) }),
        ...(body.encoding === undefined ? {} : { bodyEncoding: body.encoding }),
        ...(templated ? { templated } : {}),
        ...(delay === 0 ? {} : { delay }),
        ...SENT_ONCE,
      },
    },
  ];
}

const NAME_CHARS_MAX = 100;
/** Mockoon sends no body with other methods. */
const BODIED: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** A text has a type there that nobody wrote. */
function withType(
  lines: readonly HeaderLine[],
  body: { readonly text: string; readonly mediaType?: string },
): HeaderLine[] {
  const hasType = lines.some(({ name }) => name.toLowerCase() === 'content-type');
  if (hasType || body.text === '') return [...lines];
  return [...lines, { name: 'Content-Type', value: body.mediaType ?? 'text/plain;charset=UTF-8' }];
}
