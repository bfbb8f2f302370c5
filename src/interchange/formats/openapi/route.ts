/**
 * Operations of one method and path as a route. Some documents have several: what follows "?" or "#" in their paths is what their requests
 * say in the query or in a header, which distinguishes them.
 */
import { decodeOnce } from '../../../base/percent.ts';
import { withDefault, withIds } from '../../exchanges/responses.ts';
import type { ReadResponse, ReadRoute, ReadRule } from '../../format.ts';
import type { Item } from '../../report/report.ts';
import { stableId } from '../../stable-id.ts';
import type { SplitPath } from './path.ts';
import type { Parameters } from './request.ts';
import type { Labels } from './response.ts';

export interface Operation {
  readonly item: Item;
  readonly summary: string;
  /** Rules that hold for its requests, and not for those of the others. */
  readonly conditions: readonly ReadRule[];
  readonly responses: readonly ReadResponse[];
}

/** A route while its operations are read. */
export interface Draft {
  readonly method: string;
  readonly path: string;
  readonly operations: Operation[];
  readonly labels: Labels;
}

/**
 * @param parameters Of the operation: they say where a value is sent.
 * @returns undefined when what follows the path says nothing of requests.
 */
export function conditionsOf({ mark, rest }: SplitPath, parameters: Parameters): ReadRule[] | undefined {
  if (rest.length > REST_CHARS_MAX) return undefined;
  const rules: ReadRule[] = [];
  for (const part of rest.split(/[&?#]/).filter((text) => text !== '')) {
    const [name = '', value = ''] = part.split(/=(.*)/s).map(decodeOnce);
    const declared = [...parameters.values()].find((each) => each.name === name && TARGETS.has(each.place));
    const isPlain = declared !== undefined || mark === '?' || part.includes('=');
    if (!isPlain || name === '') return undefined;
    const target = declared?.place ?? (/^x-/i.test(name) ? 'header' : 'query');
    const isAny = value === '' || /\{[^{}]*\}/.test(value);
    rules.push(
      isAny ? { target, property: name, operator: 'exists' } : { target, property: name, operator: 'equals', value },
    );
  }
  return rules;
}

/** No client sends a longer one. */
const REST_CHARS_MAX = 2_000;
const TARGETS: ReadonlySet<string> = new Set(['query', 'header', 'cookie']);

export function routeOf({ method, path, operations }: Draft): ReadRoute {
  // One that asks for more comes first: the others take its requests, too.
  const ordered = operations.toSorted((one, other) => other.conditions.length - one.conditions.length);
  const first: ReadResponse[] = [];
  const others: ReadResponse[] = [];
  for (const { item, conditions, responses } of ordered) {
    const own =
      conditions.length === 0 ? responses : responses.map((each): ReadResponse => ({ ...each, rules: conditions }));
    if (first.length === 0 && conditions.length === 0) first.push(...own);
    else {
      // Routes have a bounded number of responses: of each operation one is more than all of some.
      const [main, ...rest] = own;
      if (main !== undefined) first.push(main.item === item ? main : { ...main, others: [item] });
      others.push(...rest);
    }
  }
  const [{ item }] = operations as [Operation];
  const summaries = operations.map(({ summary }) => summary).filter((summary) => summary !== '');
  return {
    item,
    id: stableId('r', method, path),
    method,
    path,
    ...(summaries.length === 0 ? {} : { description: cut(summaries.join('\n')) }),
    responses: withIds(withDefault([...first, ...others])),
  };
}

const DESCRIPTION_CHARS_MAX = 10_000;

export function cut(text: string): string {
  return text.length > DESCRIPTION_CHARS_MAX ? `${text.slice(0, DESCRIPTION_CHARS_MAX - 1)}…` : text;
}
