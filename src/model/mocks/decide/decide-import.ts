/** Decides what an import does to the mocks of an owner. */
import { isRefusal, refuse, refuseLimit, type Refusal } from '../../../errors.ts';
import type { Limits } from '../../../limits.ts';
import type { Command, CommandContext, Decision } from '../../command.ts';
import type { Change, OwnerState } from '../../owner-state.ts';
import { createdStampsOf, type Stamps } from '../../stamps.ts';
import { refuseText } from '../../validate.ts';
import { newMock, refuseTaken, type MockInput } from './decide-mock.ts';
import type { MockDefinition, MockRoute, MockSettings } from '../definition/definition.ts';
import { normaliser } from '../../normalise.ts';
import { proxySettingsShape } from '../upstream/proxy-schema.ts';
import type { RECORDING_TARGETS } from '../upstream/replay-schema.ts';
import { addRoutes } from './add-routes.ts';
import { findEditableMock } from './find-mock.ts';
import { keepIds, type KeptIds } from './keep-ids.ts';
import { definitionOf, type Mock } from '../mock.ts';
import { replaceStaged } from './staged-edit.ts';
import { refuseHeap, stage, sum, writeMock } from './write-mock.ts';

/** A mock read from a file, with a checked definition. */
export interface ReadDefinition {
  /** Name in the file: may be empty or too long. */
  readonly name: string;
  readonly description: string;
  readonly definition: MockDefinition;
}

interface ImportedMocks {
  readonly mocks: readonly ReadDefinition[];
  readonly start: boolean;
  /** For a file that makes one mock. */
  readonly id?: string | undefined;
}

const SEVERAL = { path: '', message: 'the file does not make exactly one mock: import it as new mocks' };
const ONE_ID = { path: 'id', message: 'requires a file that makes one mock: this one makes several' };
const NAMELESS = 'Imported mock';

/** All of them in one commit, or none. */
export const importMocks: Command<{ imported: ImportedMocks | Refusal }, readonly Mock[]> = {
  name: 'mock.import',
  decide(state, { imported }, context) {
    if (isRefusal(imported)) return imported;
    const { id, start } = imported;
    if (id !== undefined && imported.mocks.length > 1) return refuse('importInvalid', [ONE_ID]);
    const taken = refuseTaken(state, id, context);
    if (taken !== undefined) return taken;
    const { mocksPerOwnerMax, ownerMockBytesMax } = context.limits.mocks;
    if (state.mocks.count + imported.mocks.length > mocksPerOwnerMax) {
      return refuseLimit(`${mocksPerOwnerMax} mocks per owner`);
    }
    const stamps = createdStampsOf(context, imported.mocks.length);
    const changes: Change[] = [];
    const answer: Mock[] = [];
    for (const { name: given, description, definition } of imported.mocks) {
      const name = given === '' ? NAMELESS : given;
      const tooLong = textLimit(name, description, context.limits);
      if (tooLong !== undefined) return tooLong;
      const draft = { id, name, description, definition, start };
      const { mock, routes } = newMock(draft, stamps.next().value as Stamps, context);
      const written = writeMock(state, undefined, mock, routes, context);
      if (isRefusal(written)) return written;
      changes.push(...written.changes);
      answer.push(written.answer);
    }
    // Each alone has been held against the quota already.
    const all = [...state.mocks.ordered(), ...answer];
    const bytes = sum(all.map(({ keptBytes }) => keptBytes));
    if (bytes > ownerMockBytesMax)
      return refuseLimit(`${ownerMockBytesMax} bytes of mocks and their versions per owner`);
    return refuseHeap(all, context.limits) ?? { changes, answer };
  },
};

export interface StagedImport {
  readonly mock: Mock;
  /** New ids of renamed parts, by the ids in the file. */
  readonly renamed: KeptIds['renamed'];
}

interface StageInput extends MockInput {
  readonly imported: readonly ReadDefinition[] | Refusal;
}

/** Replaces the working copy. Name and description stay. */
export const stageImport: Command<StageInput, StagedImport> = {
  name: 'mock.stage.import',
  decide: (state, input, context) =>
    stageRead(state, input, context, ({ settings, routes }, before) => ({
      settings,
      ...keepIds(before.routes, routes),
    })),
};

/** Like `stageImport`, for a recording. Keeps the settings, but no longer proxies the recorded requests. */
export const stageRecording: Command<StageInput & { into: (typeof RECORDING_TARGETS)[number] }, StagedImport> = {
  name: 'mock.stage.recording',
  decide: (state, input, context) =>
    stageRead(state, input, context, ({ routes }, before) =>
      input.into === 'add'
        ? { settings: servedByRoutes(before.settings, 'unmatched'), ...addRoutes(before.routes, routes) }
        : { settings: servedByRoutes(before.settings, 'never'), ...keepIds(before.routes, routes) },
    ),
};

const normaliseProxy = normaliser(proxySettingsShape);

/** @param otherwise Which requests are still sent on. "unmatched" leaves a stricter setting as it is. */
function servedByRoutes(settings: MockSettings, otherwise: 'unmatched' | 'never'): MockSettings {
  const { proxy } = settings;
  if (proxy === undefined || proxy === null || (otherwise === 'unmatched' && proxy.when !== 'always')) return settings;
  const { record, ...others } = proxy;
  const kept = otherwise === 'never' || record === undefined ? others : proxy;
  return { ...settings, proxy: normaliseProxy({ ...kept, when: otherwise }) };
}

function stageRead(
  state: OwnerState,
  { mockId, ifMatch, imported }: StageInput,
  context: CommandContext,
  copyOf: (read: MockDefinition, before: MockDefinition) => KeptIds & Pick<MockDefinition, 'settings'>,
): Decision<StagedImport> | Refusal {
  const mock = findEditableMock(state, mockId, context);
  if (isRefusal(mock)) return mock;
  if (isRefusal(imported)) return imported;
  const [read, another] = imported;
  if (read === undefined || another !== undefined) return refuse('importInvalid', [SEVERAL]);
  const { renamed, ...next } = copyOf(read.definition, definitionOf(mock.staged));
  const refusal = refuseSize(next.routes, context.limits);
  if (refusal !== undefined) return refusal;
  const decision = stage(state, mock, replaceStaged(mock, next), ifMatch, context);
  return isRefusal(decision) ? decision : { changes: decision.changes, answer: { mock: decision.answer, renamed } };
}

/** An import alone is within the limits. */
function refuseSize(routes: readonly MockRoute[], { mocks }: Limits): Refusal | undefined {
  const { routesPerMockMax, responsesPerRouteMax } = mocks;
  if (routes.length > routesPerMockMax) return refuseLimit(`${routesPerMockMax} routes per mock`);
  const isFull = routes.some(({ responses }) => responses.length > responsesPerRouteMax);
  return isFull ? refuseLimit(`${responsesPerRouteMax} responses per route`) : undefined;
}

function textLimit(name: string, description: string, { nameCharsMax, textCharsMax }: Limits): Refusal | undefined {
  if (name.length > nameCharsMax) {
    return refuseText('name', { path: '/name', message: `${nameCharsMax} characters` });
  }
  return description.length > textCharsMax
    ? refuseText('description', { path: '/description', message: `${textCharsMax} characters` })
    : undefined;
}
