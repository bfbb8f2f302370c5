/** Shared by the readers of stubs: the files of a folder, and the mock that stubs make. */
import type { Scenario } from '../../model/mocks/definition/definition.ts';
import type { Code } from '../report/codes.ts';
import type { ReadMock } from '../format.ts';
import type { Bundle } from '../source/bundle.ts';
import type { Member } from '../source/member.ts';
import { takeProxy } from './stub-proxy.ts';
import { routesOf, STUB_SETTINGS } from './stub-routes.ts';
import type { Stub } from './stub.ts';

interface StubOptions {
  /** Noted of a stub whose requests cannot be counted, since too many are. */
  readonly uncounted?: Code;
  /** Option of ImportOptions. */
  readonly stubsAlone?: boolean | undefined;
}

/**
 * @param stubs     In the order in which they are asked.
 * @param scenarios Those that the stubs name.
 */
export function stubMock(
  name: string,
  stubs: readonly Stub[],
  { uncounted, stubsAlone = false }: StubOptions = {},
  scenarios: readonly Scenario[] = [],
): ReadMock {
  const { stubs: own, proxy } = takeProxy(stubs, stubsAlone);
  const made = routesOf(own);
  if (uncounted !== undefined) for (const { item } of made.uncounted) item.note(uncounted);
  const all = [...scenarios, ...made.scenarios];
  const settings = {
    ...STUB_SETTINGS,
    ...(all.length === 0 ? {} : { scenarios: all }),
    ...(proxy === undefined ? {} : { proxy }),
  };
  return { name, settings, routes: made.routes };
}

/** @returns The entry and the other files of its folder that hold stubs, in the order of their paths. */
export function stubFiles(
  root: Member,
  bundle: Bundle,
  hasStubs: (content: unknown) => boolean,
  mayHave: (path: string) => boolean = () => true,
  mustHave: (path: string) => boolean = () => false,
): Member[] {
  const others = bundle.paths.filter((path) => {
    if (path === root.file || !mayHave(path)) return false;
    if (mustHave(path)) return true;
    const parsed = bundle.parsed(path);
    return parsed !== undefined && !('problem' in parsed) && hasStubs(parsed.value);
  });
  return [root.file, ...others].toSorted().flatMap((path) => (path === root.file ? [root] : (bundle.root(path) ?? [])));
}
