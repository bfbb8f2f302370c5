/** The upstreams that a mock or a part of one names, with their places, for checks that depend on the server and not on the mock. */
import type { MockDefinition } from '../definition/definition.ts';
import { pointerTo } from '../definition/pointer.ts';

interface PlacedUpstream {
  /** JSON pointer, in the body that was sent. */
  readonly path: string;
  readonly upstream: string;
}

/** Why requests can never be sent there, by the options of this server; undefined when they may. */
export type UpstreamRefusal = (upstream: string) => string | undefined;

/** Members that hold parts of a mock. */
const PARTS = ['settings', 'routes', 'responses', 'merge', 'response'] as const;
/** Members that a body does not have between a part and what holds it. */
const UNSEEN: ReadonlySet<string> = new Set(['response']);

/** @param part A draft, or what it consists of. @param at Its pointer. */
export function* upstreamsIn(part: unknown, at = ''): Generator<PlacedUpstream> {
  if (typeof part !== 'object' || part === null) return;
  const { proxy, ...members } = part as { readonly proxy?: { readonly upstream?: string } } & Partial<
    Record<(typeof PARTS)[number], unknown>
  >;
  if (proxy?.upstream !== undefined) yield { path: `${at}/proxy/upstream`, upstream: proxy.upstream };
  for (const name of PARTS) {
    const held = members[name];
    const place = UNSEEN.has(name) ? at : `${at}/${name}`;
    const isList = name === 'routes' || name === 'responses';
    if (!isList) yield* upstreamsIn(held, place);
    else if (typeof held === 'object' && held !== null) {
      for (const [key, each] of Object.entries(held)) yield* upstreamsIn(each, `${place}/${pointerTo(key)}`);
    }
  }
}

/** Warnings on an imported file, which may be meant for another server. Each completes a sentence that starts like in show/warnings.ts. */
export function upstreamWarnings(
  definition: MockDefinition,
  refusal: UpstreamRefusal,
): { routeId?: string; responseId?: string; warning: string }[] {
  return [...upstreamsIn(definition)].flatMap(({ path, upstream }) => {
    const why = refusal(upstream);
    if (why === undefined) return [];
    const [, routeAt, responseAt] = /^\/routes\/(\d+)\/responses\/(\d+)\//.exec(path) ?? [];
    const route = definition.routes[Number(routeAt ?? NaN)];
    const response = route?.responses[Number(responseAt)];
    const of = route === undefined || response === undefined ? {} : { routeId: route.id, responseId: response.id };
    return [{ ...of, warning: `${route === undefined ? 'name' : 'names'} an upstream that is never reached: ${why}` }];
  });
}
