/** Whether a response uses keys of its mock, which the setting `signing` gives it. */
import { tokenHelperIn } from '../../../languages/templates/template-checks.ts';
import { eventsOf, eventTexts } from '../streams/stream.ts';
import { templatesOf } from '../upstream/callbacks.ts';
import { conditionsOf } from './conditions.ts';
import type { MockResponse } from './definition.ts';

/** A helper that needs keys, and the member of the response that has it. */
interface TokenUse {
  readonly member: string;
  readonly helper: string;
}

export function needsSigning(helper: string): string {
  return `${helper} needs the setting \`signing\``;
}

const known = new WeakMap<MockResponse, TokenUse | null>();

/** Computed once for each response, which never changes. */
export function tokenUseOf(response: MockResponse): TokenUse | undefined {
  const found = known.get(response);
  if (found !== undefined) return found ?? undefined;
  const [first] = tokenUsesIn(response);
  known.set(response, first ?? null);
  return first;
}

function* tokenUsesIn(response: MockResponse): Generator<TokenUse> {
  const { rules, templated, body, headers, proxy, store, callbacks = [] } = response;
  const rendered = templated !== false;
  const texts: readonly (readonly [member: string, texts: readonly string[]])[] = [
    ['rules', conditionsOf(rules).flatMap(({ target, property }) => (target === 'template' ? [property] : []))],
    ['body', rendered ? [body] : []],
    ['headers', rendered ? headers.map(({ value }) => value) : []],
    ['proxy', rendered ? [proxy?.path ?? ''] : []],
    ['store', [store?.id ?? '', store?.value ?? '']],
    ['stream', rendered ? eventsOf(response).flatMap((event) => eventTexts(event).map(({ text }) => text)) : []],
    ['callbacks', callbacks.flatMap(templatesOf)],
  ];
  for (const [member, all] of texts) {
    for (const text of all) {
      const helper = tokenHelperIn(text);
      if (helper !== undefined) yield { member, helper };
    }
  }
}
