/** Decides what an import does to the mocks of an owner. */
import { isRefusal, type Refusal } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import type { Command } from '../command.ts';
import { refuseText } from '../validate.ts';
import { createMock } from './decide-mock.ts';
import type { MockDefinition } from './definition.ts';
import type { Mock } from './mock.ts';

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

/** Every format that is read makes one mock of a file. */
export const importMock: Command<{ imported: ImportedMocks | Refusal }, Mock> = {
  name: 'mock.import',
  decide(state, { imported }, context) {
    if (isRefusal(imported)) return imported;
    const [mock] = imported.mocks;
    if (mock === undefined) throw new Error('an import makes a mock');
    const { name: given, description, definition } = mock;
    const name = given === '' ? NAMELESS : given;
    const tooLong = textLimit(name, description, context.limits);
    if (tooLong !== undefined) return tooLong;
    return createMock.decide(state, { draft: { name, description, definition, start: imported.start } }, context);
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
