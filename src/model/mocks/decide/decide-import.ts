/** Decides what an import does to the mocks of an owner. */
import { isRefusal, refuse, refuseLimit, type Refusal } from '../../../errors.ts';
import type { Limits } from '../../../limits.ts';
import type { Command } from '../../command.ts';
import type { Change } from '../../owner-state.ts';
import { createdStampsOf, type Stamps } from '../../stamps.ts';
import { refuseText } from '../../validate.ts';
import { newMock, refuseTaken, type MockInput } from './decide-mock.ts';
import type { MockDefinition } from '../definition/definition.ts';
import { findEditableMock } from './find-mock.ts';
import { keepIds, type KeptIds } from './keep-ids.ts';
import { definitionOf, type Mock } from '../mock.ts';
import { replaceStaged } from './staged-edit.ts';
import { stage, sum, writeMock } from './write-mock.ts';

/** What was read of a file. Its definition has been checked. */
export interface ReadDefinition {
  /** As the file says it: it may be empty, or too long. */
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

const SEVERAL = { path: '', message: 'the file does not make one mock: import it as mocks of their own' };
const ONE_ID = { path: 'id', message: 'is for a file that makes one mock: this one makes several' };
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
    const bytes = sum([...state.mocks.ordered(), ...answer].map(({ keptBytes }) => keptBytes));
    if (bytes > ownerMockBytesMax)
      return refuseLimit(`${ownerMockBytesMax} bytes of mocks and their versions per owner`);
    return { changes, answer };
  },
};

export interface StagedImport {
  readonly mock: Mock;
  /** What the ids that were read have become. */
  readonly renamed: KeptIds['renamed'];
}

/** Replaces the working copy. Name and description stay. */
export const stageImport: Command<MockInput & { imported: readonly ReadDefinition[] | Refusal }, StagedImport> = {
  name: 'mock.stage.import',
  decide(state, { mockId, ifMatch, imported }, context) {
    const mock = findEditableMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (isRefusal(imported)) return imported;
    const [read, another] = imported;
    if (read === undefined || another !== undefined) return refuse('importInvalid', [SEVERAL]);
    const { settings } = read.definition;
    const { routes, renamed } = keepIds(definitionOf(mock.staged).routes, read.definition.routes);
    const decision = stage(state, mock, replaceStaged(mock, { settings, routes }), ifMatch, context);
    return isRefusal(decision) ? decision : { changes: decision.changes, answer: { mock: decision.answer, renamed } };
  },
};

function textLimit(name: string, description: string, { nameCharsMax, textCharsMax }: Limits): Refusal | undefined {
  if (name.length > nameCharsMax) {
    return refuseText('name', { path: '/name', message: `${nameCharsMax} characters` });
  }
  return description.length > textCharsMax
    ? refuseText('description', { path: '/description', message: `${textCharsMax} characters` })
    : undefined;
}
