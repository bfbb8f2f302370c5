/** The JSON of a sample as a template: made-up values in the place of sampled ones, and ids of the path. */
import { isObject } from '../../../base/json-object.ts';
import { parseRoutePath } from '../../../languages/paths/route-path.ts';
import { madeUp, parameterOf, pathValue, type PathParameter } from '../../samples/made-up.ts';
import type { Sample } from '../../samples/schema-sample.ts';

/** @param path Of the route. @returns undefined where the sample stays as it is. */
export function fakerBody({ value, leaves }: Sample, path: string): string | undefined {
  if (leaves === undefined || JSON.stringify(value).includes('{{')) return undefined;
  const parameters = parametersOf(path);
  const written = (each: unknown, isWhole: boolean): string => {
    if (typeof each !== 'object' || each === null) return JSON.stringify(each) ?? 'null';
    const own = leaves.get(each);
    const parts = Object.entries(each).map(([name, child]): string => {
      const leaf = own?.get(name);
      const text = (leaf && madeUp(name, leaf)) ?? written(child, false);
      const parameter = isWhole && leaf !== undefined && isObject(each) ? parameterOf(name, parameters) : undefined;
      const found = (parameter !== undefined && leaf && pathValue(parameter, leaf, text)) || text;
      return Array.isArray(each) ? found : `${JSON.stringify(name)}: ${found}`;
    });
    return Array.isArray(each) ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
  };
  const text = written(value, true);
  const tags = text.split('{{').length - 1;
  return tags > 0 && tags <= TAGS_MAX ? text : undefined;
}

/** A template may have as many. */
const TAGS_MAX = 5_000;

function parametersOf(path: string): readonly PathParameter[] {
  const segments = parseRoutePath(path);
  if (typeof segments === 'string') return [];
  return segments.flatMap((segment, index): PathParameter[] =>
    segment.kind === 'parameter' ? [{ name: segment.name, isLast: index === segments.length - 1 }] : [],
  );
}
