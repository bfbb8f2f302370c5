/** The servers of an OpenAPI document: a mock stands for the first, and takes its path. */
import { objectsIn, textIn, typed } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { count, countWhole, SERVER, SERVER_VARIABLE, type Reading } from './members.ts';
import { basePathOf, withSlash } from './path.ts';

/**
 * @param owner The document, a path, or an operation.
 * @returns The path in front of those of the document; undefined when the owner has no server of its own.
 */
export function readBasePath(owner: Member, item: Item, reading: Reading): string | undefined {
  if (reading.isSwagger) {
    const path = owner.parent === undefined ? textIn(owner, 'basePath') : undefined;
    return path === undefined ? undefined : withSlash(path);
  }
  const [server, ...others] = objectsIn(owner, 'servers', reading.report, 'openapi.unknown');
  const { path, doubt } = server === undefined ? { path: undefined } : pathOf(server, reading);
  // One with the same paths, such as that of a sandbox, is answered as well.
  for (const other of others) {
    const isSame = pathOf(other, reading).path === path;
    countWhole(other, isSame ? 'openapi.description' : 'openapi.server', reading);
  }
  if (server === undefined) return undefined;
  count(server, SERVER, 'openapi.description', reading);
  if (doubt !== undefined) item.note('openapi.base-path', server, doubt);
  return path;
}

function pathOf(server: Member, reading: Reading): ReturnType<typeof basePathOf> {
  const values = valuesIn(server, reading);
  const url = textIn(server, 'url') ?? '';
  return basePathOf(url.replaceAll(/\{([^{}]*)\}/g, (text, name: string) => values.get(name) ?? text));
}

/** Each variable has its default. */
function valuesIn(server: Member, reading: Reading): Map<string, string> {
  const values = new Map<string, string>();
  for (const variable of typed(server, 'variables', 'object')?.members() ?? []) {
    if (!variable.isObject) continue;
    count(variable, SERVER_VARIABLE, 'openapi.description', reading);
    const standard = typed(variable, 'default', 'text', 'number', 'flag');
    if (standard === undefined) continue;
    reading.report.count('openapi.description');
    values.set(variable.name, String(standard.value));
  }
  return values;
}
