/** The mock whose sessions are the imposters of an owner: one for all spaces, made with the first imposter. */
import { isRefusal, type Refusal } from '../../../errors.ts';
import { STUB_SETTINGS } from '../../../interchange/stubs/stub-routes.ts';
import { createMock } from '../../../model/mocks/decide/decide-mock.ts';
import { definitionParser } from '../../../model/mocks/definition/definition-payload.ts';
import type { Mock } from '../../../model/mocks/mock.ts';
import { readMock } from '../../../model/mocks/show/query-mock.ts';
import type { Principal } from '../../../model/principal.ts';
import { BASE_NAME, baseMockId } from '../../../model/mocks/base-mock-id.ts';
import { badData, type Failure } from './errors.ts';
import type { MountebankParts } from './question.ts';

/** @returns undefined where none was made yet. */
export async function findBase({ owners }: MountebankParts, caller: Principal): Promise<Mock | undefined | Refusal> {
  const mockId = baseMockId(caller.ownerId);
  const found = await new Promise<Mock | Refusal>((resolve) => {
    owners.query(readMock, { mockId }, caller, resolve);
  });
  return isRefusal(found) && found.kind === 'mockNotFound' ? undefined : found;
}

/** Calls that need it at the same time share it. */
const making = new Map<string, Promise<Mock | Refusal>>();

/** @returns It, served by every thread. */
export async function makeBase(parts: MountebankParts, caller: Principal): Promise<Mock | Refusal> {
  const id = baseMockId(caller.ownerId);
  const made = making.get(id) ?? make(parts, caller, id);
  making.set(id, made);
  try {
    return await made;
  } finally {
    making.delete(id);
  }
}

async function make(parts: MountebankParts, caller: Principal, id: string): Promise<Mock | Refusal> {
  const { owners, limits, publish } = parts;
  const definition = definitionParser(limits).definition({ settings: STUB_SETTINGS, routes: [] });
  if (isRefusal(definition)) return definition;
  const draft = {
    id,
    name: BASE_NAME,
    description: "Imposters of mountebank's admin API: one session each",
    start: true,
    definition,
  };
  const made = await new Promise<Mock | Refusal>((resolve) => {
    owners.command(createMock, { draft }, caller, resolve);
  });
  if (!isRefusal(made)) await publish(id);
  // It was made since the caller looked for it.
  const known = isRefusal(made) && made.kind === 'mockIdTaken' ? await findBase(parts, caller) : undefined;
  return known ?? made;
}

/** Somebody may have changed it. */
export function unfit({ id, state, saved: { settings, routes } }: Mock): Failure | undefined {
  const problem =
    state === 'running'
      ? settings.precedence !== STUB_SETTINGS.precedence || settings.cors || routes.length > 0
        ? 'needs the settings `precedence` "listed" and `cors` false, and no routes'
        : undefined
      : 'is stopped: start it';
  return problem === undefined ? undefined : badData(`the mock ${id}, which serves imposters, ${problem}`);
}
