/** The callbacks that would follow an answer: rendered as for serving, and sent by nobody. Secrets are not shown. */
import type { CallbackSent } from '../../../forward/callbacks-sent.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { compileCallback } from '../compile/callbacks.ts';
import type { PlacedResponse } from '../compile/placed-response.ts';
import type { RequestView } from '../request/request-view.ts';
import { isHeld } from './explain-conditions.ts';

export interface CallbackShown extends Pick<
  CallbackSent,
  'name' | 'method' | 'url' | 'body' | 'bodyEncoding' | 'delaysMs'
> {
  readonly headers: readonly HeaderLine[];
  /** The scheme that it is signed by; null without one. */
  readonly signed: string | null;
  /** Why it would not be sent. That its host may not be reached shows only then. */
  readonly problem?: string;
}

/** @param answered Without faults. */
export function explainCallbacks(
  placed: PlacedResponse,
  { headers, body }: { readonly headers: readonly HeaderLine[]; readonly body: Buffer },
  view: RequestView,
): { readonly callbacks?: readonly CallbackShown[] } {
  const { callbacks = [], status } = placed.response;
  const answered = { status, headers: () => headers, body: () => body.toString() };
  const shown = callbacks.flatMap((callback, index) => {
    const compiled = compileCallback(
      callback,
      index,
      placed,
      (when) => (asked) => when.every((rule) => isHeld(rule, asked, placed.targets) && asked.work >= 0),
    );
    const sent = compiled.render(view, answered);
    return sent === undefined ? [] : [show(sent)];
  });
  return shown.length === 0 ? {} : { callbacks: shown };
}

function show({ name, method, url, headers, body, bodyEncoding, delaysMs, key, problem }: CallbackSent): CallbackShown {
  return {
    name,
    method,
    url,
    headers: headers.flatMap((each, index) =>
      index % 2 === 0 ? [{ name: each, value: headers[index + 1] as string }] : [],
    ),
    body,
    bodyEncoding,
    delaysMs,
    signed: key?.scheme ?? null,
    ...(problem === undefined ? {} : { problem }),
  };
}
