/** Decides what an import does to the mocks of an owner. */
import { assert } from '../../base/assert.ts';
import { isRefusal, type Refusal } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import type { Command } from '../command.ts';
import { refuseText } from '../validate.ts';
import { createMock, type MockInput } from './decide-mock.ts';
import type { MockDefinition } from './definition.ts';
import { findMock } from './find-mock.ts';
import { keepIds, type KeptIds } from './keep-ids.ts';
import { definitionOf, type Mock } from './mock.ts';
import { replaceStaged } from './staged-edit.ts';
import { stage } from './write-mock.ts';

/** What was read of a file. Its definition has been checked. */
export interface ReadDefinition {
  /** As the file says it: it may be empty, or too long. */
  readonly name: string;
  readonly description: string;
  readonly definition: MockDefinition;
}

export interface ImportedMocks {
  readonly mocks: readonly ReadDefinition[];
  readonly start: boolean;
}

const NAMELESS = 'Imported mock';

export const importMock: Command<{ imported: ImportedMocks | Refusal }, Mock> = {
  name: 'mock.import',
  decide(state, { imported }, context) {
    if (isRefusal(imported)) return imported;
    const { name: given, description, definition } = onlyOf(imported.mocks);
    const name = given === '' ? NAMELESS : given;
    const tooLong = textLimit(name, description, context.limits);
    if (tooLong !== undefined) return tooLong;
    return createMock.decide(state, { draft: { name, description, definition, start: imported.start } }, context);
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
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (isRefusal(imported)) return imported;
    const { settings, routes: read } = onlyOf(imported).definition;
    const { routes, renamed } = keepIds(definitionOf(mock.staged).routes, read);
    const decision = stage(state, mock, replaceStaged(mock, { settings, routes }), ifMatch, context);
    return isRefusal(decision) ? decision : { changes: decision.changes, answer: { mock: decision.answer, renamed } };
  },
};

function onlyOf(mocks: readonly ReadDefinition[]): ReadDefinition {
  const [mock] = mocks;
  assert(mock !== undefined, 'every format that is read makes one mock of a file');
  return mock;
}

function textLimit(name: string, description: string, { nameCharsMax, textCharsMax }: Limits): Refusal | undefined {
  if (name.length > nameCharsMax) {
    return refuseText('name', { path: '/name', message: `${nameCharsMax} characters` });
  }
  return description.length > textCharsMax
    ? refuseText('description', { path: '/description', message: `${textCharsMax} characters` })
    : undefined;
}
